# What narrated scripts share: chapters, command lines that are shown and run, and a folder that goes when they end.
# shellcheck shell=bash
# Sourced behind lib.sh. begin_story NAME builds the program and changes into the folder.
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\e[1m' dim=$'\e[2m' plain=$'\e[0m'; else bold='' dim='' plain=''; fi

chapter() { printf '\n%s%s%s\n' "$bold" "$1" "$plain"; }
say() { printf '\n%s\n' "$1"; }

# run 'COMMAND LINE': prints it as a person would type it, then runs it.
run() {
  printf '%s%s$ %s%s\n' "$dim" "${person:-}" "$1" "$plain"
  eval "$1" || return
  # `get` prints the value alone; a terminal gets a newline from it, a pipe does not.
  case $1 in 'vault get '*) [ -t 1 ] || echo ;; esac
}

# run_expecting CODE 'COMMAND LINE': for a command that must not succeed.
run_expecting() {
  local wanted=$1 code=0
  run "$2" || code=$?
  [ "$code" = "$wanted" ] || fail "expected exit code $wanted, got $code"
  printf '%s(exit code %s)%s\n' "$dim" "$code" "$plain"
}

clean_up() {
  local code=$?
  rm -rf "$work"
  [ "$code" = 0 ] || printf '\n%s: stopped with exit code %s\n' "$story" "$code"
}

# begin_story NAME: builds, and makes the folder for all that is written: everything in it goes when the script ends.
begin_story() {
  story=$1
  forget_user_vault
  need_build_tools
  # A debug build: it takes less time than a release build, which is what counts here, and Scripts/test uses it too.
  note "building (a few minutes the first time)"
  swift_build --product vault
  local binary
  binary=$(swift_bin_path --product vault)/vault
  started=$SECONDS
  work=$(mktemp -d "${TMPDIR:-/tmp}/vault-$story.XXXXXX")
  trap clean_up EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  mkdir "$work/state" "$work/bin"
  # On the PATH, since git starts it, too.
  ln -s "$binary" "$work/bin/vault"
  PATH=$work/bin:$PATH
  export CVAULT_STATE_DIR="$work/state"
  export XDG_CONFIG_HOME="$work/config" XDG_CACHE_HOME="$work/cache" XDG_DATA_HOME="$work/data" XDG_STATE_HOME="$work/xdg-state"
  cd "$work"
}

end_story() { chapter "Done after $((SECONDS - started)) seconds. Nothing is left behind."; }
