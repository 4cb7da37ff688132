# shellcheck shell=bash
# What every script here shares: where the package is, how to find Swift, how to install what is missing.
# It is sourced, after `set -euo pipefail`. Nothing here needs git to trust, or even to know, this folder.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
export root

note() { printf '==> %s\n' "$*" >&2; }
hint() { printf '    %s\n' "$*" >&2; }
fail() {
  printf '%s: %s\n' "${0##*/}" "$1" >&2
  shift
  local line
  for line in "$@"; do printf 'hint: %s\n' "$line" >&2; done
  exit 1
}

# The comment that the calling script begins with.
usage() { sed -n '2,/^set /{/^set /d;/^# shellcheck/d;s/^# \{0,1\}//p;}' "$0"; }
usage_error() {
  printf '%s: %s\n' "${0##*/}" "$1" >&2
  usage >&2
  exit 64
}

# git, for the commit of this package, also if the folder belongs to somebody else.
git_here() { git -C "$root" -c safe.directory="$root" "$@"; }

# --- Root folders of other systems ----------------------------------------------------------------------------------------

# share_network FOLDER: gives a root folder the names and the proxies by which this machine fetches packages.
share_network() {
  cp -L /etc/resolv.conf /etc/hosts "$1/etc/" 2>/dev/null || true
  apt-config dump Acquire 2>/dev/null | grep -E '^Acquire::(http|https)::[^:]*Proxy' >"$1/etc/apt/apt.conf.d/90outside" || true
}

# enter_root FOLDER COMMAND…: becomes a command in a root folder. For the first process of new namespaces of mounts and
# processes, so that the mounts end with it.
enter_root() {
  mount -t proc proc "$1/proc"
  mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm"
  exec chroot "$@"
}

# SwiftPM keeps caches under HOME. Where there is none that can be written to, they go next to the build.
need_home() {
  if [ -z "${HOME:-}" ] || [ ! -d "$HOME" ] || [ ! -w "$HOME" ]; then
    export HOME="$root/.build/home"
    mkdir -p "$HOME"
  fi
}

# A user's own vault, keys and state are never touched from here: only what a script sets itself counts, and where data
# by others lies, and which seed tests draw their samples by.
forget_user_vault() {
  local name
  for name in $(compgen -e | grep '^CVAULT_' | grep -vxE 'CVAULT_TEST_(SHARED|SEED)' || true); do unset "$name"; done
}

# --- Debian and Ubuntu packages ------------------------------------------------------------------------------------

apt_lists_updated=no

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif ! command -v sudo >/dev/null; then
    return 1
  elif [ -t 0 ]; then
    sudo "$@"
  else
    sudo -n "$@"
  fi
}

# Quiet unless it fails.
apt_get() {
  local log
  log=$(mktemp)
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120 "$@" </dev/null >"$log" 2>&1 ||
    { tail -n 20 "$log" >&2 && rm -f "$log" && return 1; }
  rm -f "$log"
}

# True when apt knows a version of every package, so that `apt-get update` is not needed first.
apt_knows() {
  local package
  for package in "$@"; do
    apt-cache policy "$package" 2>/dev/null | grep 'Candidate: [^(]' >/dev/null || return 1
  done
}

apt_update_once() {
  [ "$apt_lists_updated" = no ] || return 1
  note "apt-get update"
  apt_lists_updated=yes
  apt_get update
}

# apt_install PACKAGE…: true when they are installed afterwards. Fetches the package lists only when apt does not know
# a package, or when what the lists name is no longer there.
apt_install() {
  command -v apt-get >/dev/null || return 1
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    hint "not root, and there is no sudo: cannot install $*"
    return 1
  fi
  note "installing Debian packages: $*"
  apt_knows "$@" || apt_update_once || true
  apt_get install -y --no-install-recommends "$@" && return 0
  apt_update_once && apt_get install -y --no-install-recommends "$@"
}

# need_packages WHY PACKAGE…: installs or stops.
need_packages() {
  local why=$1
  shift
  apt_install "$@" || fail "$why: not there and could not be installed" \
    "on Debian or Ubuntu: sudo apt-get install $*" \
    "on macOS: brew install openssl@3 pkgconf"
}

# --- What is not needed to build ---------------------------------------------------------------------------------------

have_library() {
  local folder
  for folder in /lib/*-linux-* /usr/lib/*-linux-* /lib64 /usr/lib64 /lib /usr/lib /usr/local/lib; do
    [ ! -e "$folder/$1" ] || return 0
  done
  return 1
}

# The libraries that the program opens when one is needed: installed where that is possible, else done without.
want_late_libraries() {
  [ "$(uname -s)" = Linux ] || return 0
  local library package
  while read -r library package; do
    have_library "$library" || apt_install "$package" || true
  done <<'LIBRARIES'
libargon2.so.1 libargon2-1
libexpat.so.1 libexpat1
libgcrypt.so.20 libgcrypt20
libyaml-0.so.2 libyaml-0-2
libzxcvbn.so.0 libzxcvbn0
libz.so.1 zlib1g
libpq.so.5 libpq5
LIBRARIES
}

# Whether there is a database server that tests can start for themselves.
has_databases() { ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; }

# That server, and a pooler. Debian would make a server of its own at once, and is told not to.
want_databases() {
  [ "$(uname -s)" = Linux ] || return 0
  local settings=/etc/postgresql-common
  if ! has_databases; then
    if [ -w /etc ] && [ ! -e "$settings/createcluster.conf" ]; then
      mkdir -p "$settings" && echo 'create_main_cluster = false' >"$settings/createcluster.conf"
    fi
    apt_install postgresql || true
  fi
  [ -x /usr/sbin/pgbouncer ] || apt_install pgbouncer || true
}

# want_commands NAME…: the same for programs of packages of the same name.
want_commands() {
  local name
  for name in "$@"; do command -v "$name" >/dev/null || apt_install "$name" || true; done
}

# A new folder for what tests write. In memory where there is room: they sync each file, and no power fails here.
make_scratch() {
  local folder free=0
  if [ -z "${TMPDIR:-}" ] && [ "$(uname -s)" = Linux ]; then
    free=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 && $1 == "tmpfs" { print $4 }')
  fi
  if [ "${free:-0}" -ge $((2 << 20)) ] && folder=$(mktemp -d /dev/shm/tests.XXXXXX 2>/dev/null); then
    # Some tests write programs and run them.
    printf '#!/bin/sh\n' >"$folder/true" && chmod +x "$folder/true"
    if "$folder/true" 2>/dev/null; then
      rm "$folder/true"
      printf '%s\n' "$folder"
      return
    fi
    rm -r "$folder"
  fi
  mktemp -d
}

# unfinished_tests LOG CODE: if the process of LOG did not reach its end, the place where it crashed, and the tests that
# were running when it ended with CODE.
unfinished_tests() {
  if [ ! -f "$1" ] || grep -aq '^. Test run with ' "$1"; then return 0; fi
  awk '/ crashed:$/ { isCrash = 1 } isCrash && / at (Sources|Tests)\// { sub(/ in [^ ]* at /, " at "); print; if (++count == 3) exit }' "$1"
  sed -En 's/^. Test (.*) (started\.|passed after .*|failed after .*|skipped.*)$/\2\t\1/p' "$1" | awk -F'\t' -v file="${1##*/}" -v code="$2" '
    $2 ~ /^case passing / { next }
    $1 == "started." { if ($2 != "run") running[$2] = 1; next }
    { delete running[$2] }
    END {
      for (name in running) names = names (names == "" ? "" : ", ") name
      printf "%s: the process ended with exit code %s before its tests did; running: %s\n", file, code, names
    }' | cut -c1-1000
}

# tests_not_run LOG: what tests said that they did not run, one line for each reason. They say `NOT RUN: REASON: SUITE: COUNT`.
tests_not_run() {
  sed -n 's/^.*NOT RUN: //p' "$1" | awk -F': ' '
    {
      count = $NF; suite = $2
      for (i = 3; i < NF; i++) suite = suite ": " $i
      if (!($1 in total)) order[++reasons] = $1
      total[$1] += count
      if (seen[$1, suite]++) next
      suites[$1]++
      if (suites[$1] <= 4) names[$1] = names[$1] (suites[$1] > 1 ? ", " : "") suite
    }
    END {
      for (i = 1; i <= reasons; i++) {
        reason = order[i]
        more = suites[reason] > 4 ? " and " suites[reason] - 4 " more" : ""
        printf "%d test cases: %s (%s%s)\n", total[reason], reason, names[reason], more
      }
    }'
}

# --- What the build needs --------------------------------------------------------------------------------------------

need_libcrypto() {
  command -v pkg-config >/dev/null && pkg-config --exists 'libcrypto >= 3.0' && return 0
  need_packages "OpenSSL 3 headers and pkg-config" libssl-dev pkg-config
  pkg-config --exists 'libcrypto >= 3.0' || fail "the OpenSSL that is installed is older than 3.0" \
    "Debian 12 and Ubuntu 22.04 are the oldest releases that have it"
}

# Where a Swift toolchain usually lies when it is not on PATH.
swift_candidates() {
  [ -z "${SWIFT:-}" ] || printf '%s\n' "$SWIFT"
  command -v swift || true
  printf '%s\n' /opt/swift/usr/bin/swift /usr/share/swift/usr/bin/swift /usr/local/swift/usr/bin/swift \
    "${HOME:-/root}/.local/share/swiftly/bin/swift" /usr/libexec/swift/bin/swift
  find /opt -maxdepth 4 -path '*/usr/bin/swift' 2>/dev/null || true
}

# A toolchain from an archive brings neither the C headers it compiles against nor the libraries it runs on.
need_swift_surroundings() {
  [ "$(uname -s)" = Linux ] || return 0
  local missing=()
  command -v git >/dev/null || missing+=(git)
  [ -e /etc/ssl/certs/ca-certificates.crt ] || missing+=(ca-certificates)
  [ -e /usr/include/stdlib.h ] || missing+=(libc6-dev)
  [ -n "$(compgen -G '/usr/include/c++/*' || true)" ] || missing+=(g++)
  command -v ld >/dev/null || missing+=(binutils)
  if [ ${#missing[@]} -gt 0 ]; then need_packages "what Swift needs to compile and link" "${missing[@]}"; fi
  "$swift" build --version >/dev/null 2>&1 && return 0
  need_packages "the libraries that Swift itself runs on" libcurl4-openssl-dev libxml2-dev libedit-dev libsqlite3-dev \
    libncurses-dev libz3-dev zlib1g-dev tzdata
}

need_swift() {
  need_home
  local candidate
  swift=
  while IFS= read -r candidate; do
    if [ -x "$candidate" ]; then
      swift=$candidate
      break
    fi
  done < <(swift_candidates)
  [ -n "$swift" ] || fail "no Swift found" "install Swift 6.2 or later: https://www.swift.org/install" \
    "or name it: SWIFT=/path/to/usr/bin/swift $0"
  need_swift_surroundings
  "$swift" build --version >/dev/null 2>&1 || fail "$swift does not run" "$("$swift" build --version 2>&1 | head -n 1)"
  local version
  version=$("$swift" --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+\.[0-9]+).*/\1/p' | sed -n 1p)
  case $version in
    6.[01] | [0-5].*) fail "$swift is Swift $version; this package needs 6.2 or later" ;;
  esac
  export swift
}

# Everything for `swift build`: call it first in each script that builds.
need_build_tools() {
  need_swift
  need_libcrypto
}

# swift_build ARGUMENT…: quiet unless it fails. Progress belongs on stderr, so that stdout stays the script's answer.
swift_build() { (cd "$root" && "$swift" build "$@") >&2; }

# The folder that holds what `swift_build` with the same arguments has built.
swift_bin_path() { (cd "$root" && "$swift" build "$@" --show-bin-path); }

# Arguments of `swift build` for the one release build. The program as installed, the tests, the examples and the replay
# of fuzz inputs come from its objects (docs/decisions/0160-one-build.md). The folder of the package is not part of what
# is built, so that the same commit gives the same bytes anywhere. Nor is the hash of each module with its debug
# information, because it depends on folders: zeros take its place. (-file-prefix-map would map the index as well, in which
# SwiftPM looks for the tests.)
# A type is made by a call and not by its name: by its name the Swift runtime would look for each conformance that it
# needs among all of the program, when the type is met for the first time (docs/decisions/0215-a-shorter-start.md).
release=(-c release -Xswiftc -debug-prefix-map -Xswiftc "$root=/vault")
for flag in -disable-incremental-llvm-codegen -disable-concrete-type-metadata-mangled-name-accessors; do
  release+=(-Xswiftc -Xfrontend -Xswiftc "$flag")
done

# Suites of the command that wait for agents, servers and traced programs. A process of the tests runs two at once.
waiting_suites='(Agent|Clipboard|Database|Traced)[A-Za-z]*'

# make_archives FOLDER: a folder that has libstdc++ as an archive alone, so that the linker takes that one. Without the
# archive it stays empty, and the program loads the library.
make_archives() {
  local archive
  archive=$("$(dirname "$(readlink -f "$swift")")/clang" -print-file-name=libstdc++.a 2>/dev/null) || true
  mkdir -p "$1"
  rm -f "$1"/*
  if [ -e "$archive" ]; then ln -s "$archive" "$1/libstdc++.a"; fi
}

# take_release FOLDER NAME ARGUMENT FOR swift build…: links one program as it is installed, with the Swift runtime inside,
# and puts a stripped copy into FOLDER.
take_release() {
  local folder=$1 name=$2 build=("${release[@]}") stripped=() code=0
  shift 2
  command -v strip >/dev/null || need_packages "strip" binutils
  if [ "$(uname -s)" = Linux ]; then
    build+=(--disable-local-rpath)
    # Programs of other packages are compiled for it, too. Without the build id, a hash of what was linked with its
    # folders. (`strip` that removes a section also drops what makes the table of symbols read-only.)
    case " $* " in
      *" --package-path "*) build+=(--static-swift-stdlib) && stripped=(--remove-section=.note.gnu.build-id) ;;
      *) export VAULT_LINK_STATIC=$root/.build/archives && make_archives "$VAULT_LINK_STATIC" ;;
    esac
  fi
  note "building $name"
  # If a caller asks how this ends, the shell does not stop by itself: what an earlier build left must not be taken.
  swift_build "${build[@]}" --product "$name" "$@" &&
    cp "$(swift_bin_path "${build[@]}" --product "$name" "$@")/$name" "$folder/$name" &&
    strip ${stripped[@]+"${stripped[@]}"} "$folder/$name" || code=$?
  unset VAULT_LINK_STATIC
  return "$code"
}

# mark_build PROGRAM: writes commit and toolchain behind the mark in a finished program, for `vault --version --verbose`.
mark_build() {
  local offset text commit
  # Another repository that this folder happens to lie in says nothing about it.
  [ -e "$root/.git" ] && commit=$(git_here rev-parse HEAD 2>/dev/null) || return 0
  [ -z "$(git_here status --porcelain 2>/dev/null)" ] || commit+=-changed
  offset=$(LC_ALL=C grep -abo '@vault-build@' "$1" | head -n 1 | cut -d : -f 1)
  [ -n "$offset" ] || fail "$1 has no place for the commit"
  text=$("$swift" --version 2>/dev/null | sed -n 's/.*\(Swift version [0-9.]*\).*/\1/p' | head -n 1)
  printf '%-100.100s' "$commit ${text:-unknown}" |
    dd of="$1" bs=1 seek=$((offset + 13)) conv=notrunc status=none
}
