/// The effects of commands in shells and programs, as far as they matter for a value among the words.
enum ShellWords {
  /// Comparisons of `[[` that evaluate their operands.
  static let comparisons: Set<String> = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v", "-R", "-t", "-o"]
  /// Tests of one word that evaluate nothing.
  static let tests: Set<String> = ["-n", "-z", "-e", "-f", "-d", "-r", "-w", "-x", "-s", "-h", "-L", "-p", "-S"]
  /// Commands that run the command directly after them.
  static let prefixes: Set<String> = [
    "command", "builtin", "exec", "env", "sudo", "doas", "nohup", "time", "setsid", "noglob", "nocorrect", "-",
  ]
  /// Commands that run a command after words of their own.
  static let wrappers: Set<String> = prefixes.union([
    "nice", "ionice", "timeout", "stdbuf", "chroot", "strace", "ltrace", "unshare", "nsenter", "setpriv", "flock",
    "xvfb-run", "chrt", "taskset", "numactl", "prlimit", "choom", "setarch", "linux32", "linux64", "systemd-run",
    "systemd-inhibit", "dbus-run-session", "fakeroot", "faketime", "firejail", "bwrap", "gosu", "su-exec", "tini",
    "dumb-init", "valgrind", "perf", "torsocks", "proxychains", "proxychains4", "eatmydata", "cpulimit", "softlimit",
    "chpst", "setuidgid", "envdir", "envuidgid", "setlock", "logsave", "rlwrap", "unbuffer", "hyperfine", "pkexec",
    "runcon", "capsh", "start-stop-daemon", "daemonize", "ssh-agent", "ifne", "chronic", "lckdo", "uftrace", "run0",
  ])
  /// Shells, which run their arguments, and without a file their input.
  static let shells: Set<String> = [
    "sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "yash", "rbash", "fish", "csh", "tcsh", "busybox",
  ]
  /// Programs that run their words, or some of them.
  static let programs: Set<String> = [
    "eval", "source", "ssh", "su", "runuser", "watch", "script", "awk", "gawk", "mawk", "nawk", "sed", "perl", "python",
    "python2", "python3", "ruby", "node", "php", "lua", "tclsh", "make", "find", "vi", "vim", "ex", "ed", "m4", "gdb",
    "dc", "tmux", "screen", "sg", "newgrp", "entr", "busctl", "nvim", "emacs", "pwsh", "deno", "bun", "guile", "R",
    "Rscript", "julia", "osascript", "gmake", "bmake", "rsh", "pdsh", "autossh", "mosh",
  ]
  /// Programs that start a shell, which runs its input.
  static let openers: Set<String> = [
    "su", "runuser", "chroot", "unshare", "nsenter", "newgrp", "sg", "script", "login", "machinectl", "tmux", "screen",
  ]
  /// Programs that run their input.
  static let readers: Set<String> = [
    "xargs", "parallel", "at", "batch", "crontab", "expect", "zargs", "incrontab",
  ]
  /// Built-in commands that evaluate a word: as a command, a name, a number or a prompt.
  static let builtins: Set<String> = [
    ".", "trap", "let", "unset", "read", "mapfile", "readarray", "getopts", "declare", "typeset", "local", "integer",
    "float", "complete", "compgen", "compopt", "compctl", "bind", "bindkey", "enable", "hash", "exit", "return",
    "break",
    "continue", "shift", "wait", "kill", "ulimit", "umask", "fc", "history", "print", "autoload", "functions", "zle",
    "zstyle", "sched", "vared", "zmodload", "zcompile", "fg", "bg", "jobs", "disown", "caller", "pushd", "popd", "dirs",
    "shopt", "unalias", "unfunction", "unhash", "rehash", "strftime", "zparseopts", "zformat", "private", "nameref",
    "bye", "logout", "getln", "limit", "unlimit", "disable", "zpty", "ztie", "zselect", "sysread", "sysopen", "sysseek",
    "zstat", "pushln", "r", "eval", "coproc",
  ]
  /// Built-in commands that set the variables that they name.
  static let setters: Set<String> = [
    "read", "mapfile", "readarray", "getopts", "print", "printf", "vared", "getln", "sysread", "strftime", "zparseopts",
    "zstat", "wait",
  ]
  /// Commands that print variables of the script.
  static let printers: Set<String> = [
    "env", "printenv", "set", "export", "readonly", "declare", "typeset", "local", "compgen", "fc", "history", "dirs",
    "jobs", "trap",
  ]
  /// Commands that change how a shell reads or runs the text after them.
  static let changers: Set<String> = ["alias", "setopt", "unsetopt", "emulate", "eval", "coproc"]
  /// Variables in which a shell leaves its last input or result.
  static let leavings: Set<String> = [
    "_", "REPLY", "MAPFILE", "OPTARG", "BASH_REMATCH", "BASH_ARGV", "BASH_COMMAND", "BASH_EXECUTION_STRING", "MATCH",
    "match", "history", "historywords", "dirstack", "DIRSTACK", "COPROC", "BASH_ALIASES", "BASH_CMDS",
  ]
  /// Functions that a shell calls by itself, with words of a command.
  static let hooks: Set<String> = ["command_not_found_handle", "command_not_found_handler"]
  /// Options of `set` that do not change how a script is read.
  static let options: Set<String> = [
    "errexit", "nounset", "pipefail", "xtrace", "noglob", "allexport", "noclobber", "verbose", "posix", "errtrace",
    "functrace", "monitor", "notify",
  ]
  /// Variables whose values a shell evaluates or runs by itself.
  static let specials: Set<String> = [
    "PS0", "PS1", "PS2", "PS3", "PS4", "PROMPT", "PROMPT2", "PROMPT3", "PROMPT4", "RPROMPT", "RPS1", "SPROMPT",
    "OPTIND",
    "RANDOM", "SRANDOM", "SECONDS", "LINENO", "UID", "EUID", "GID", "EGID", "HISTSIZE", "HISTFILESIZE", "SAVEHIST",
    "COLUMNS",
    "LINES", "SHLVL", "KEYTIMEOUT", "LISTMAX", "LOGCHECK", "MAILCHECK", "MAILPATH", "MAIL", "BAUD", "FUNCNEST", "TMOUT",
    "ERRNO", "TTYIDLE", "FPATH", "CDPATH", "MODULE_PATH", "NULLCMD", "READNULLCMD", "ZDOTDIR", "HISTCHARS", "histchars",
    "DIRSTACKSIZE", "TIMEFMT", "REPORTTIME", "REPORTMEMORY", "SHELL", "path", "argv", "prompt", "fpath", "cdpath",
    "mailpath", "module_path", "status", "aliases", "functions", "commands", "options", "POSIXLY_CORRECT",
    "galiases", "saliases", "dis_aliases", "dis_galiases", "dis_saliases", "dis_functions", "builtins", "nameddirs",
    "PROMPT_COMMAND", "HISTCMD", "TRY_BLOCK_ERROR", "TRY_BLOCK_INTERRUPT", "EPOCHSECONDS", "PERIOD", "WATCH", "watch",
    "manpath", "psvar", "zsh_eval_context", "ARGV0", "PERLLIB", "MAKEFLAGS", "GMAKEFLAGS", "MFLAGS", "LESSOPEN",
    "LESSCLOSE", "TAR_OPTIONS", "RSYNC_RSH", "SSH_ASKPASS", "SUDO_ASKPASS", "MANPAGER", "BROWSER", "FCEDIT",
  ]

  static func isSpecial(_ name: String) -> Bool {
    let saysSecret = DeliveredVariable.fileEndings.contains { name.uppercased().hasSuffix($0) }
    return specials.contains(name) || name.hasPrefix("BASH") || name.hasPrefix("ZSH")
      || DeliveredVariable.decidesWhatRuns(name) && !saysSecret
  }

  /// Whether a format of `printf` prints each value as text.
  static func isTextFormat(_ format: [UInt8]) -> Bool {
    guard format.first != UInt8(ascii: "-") else { return false }
    var index = 0
    while index < format.count {
      defer { index += 1 }
      guard format[index] == UInt8(ascii: "%") else { continue }
      index += 1
      while index < format.count, "-0123456789.".utf8.contains(format[index]) { index += 1 }
      guard index < format.count, "sbq%".utf8.contains(format[index]) else { return false }
    }
    return true
  }
}
