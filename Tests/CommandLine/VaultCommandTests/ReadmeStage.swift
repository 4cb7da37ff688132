import Testing
import VaultTestSupport

/// A machine for each person, with the programs that the README speaks of and no test may start.
struct ReadmeStage {
  /// How a command line ended.
  struct End {
    let step: ReadmePage.Step
    let output: String
    let code: Int32
  }

  private let workspace: Workspace
  /// Programs that stand in for the clipboard, GnuPG and cron.
  private static let programs = [
    "xclip": "exec cat >/dev/null",
    "gpg": "for last; do :; done; test -f \"$last\" && exec cat \"$last\"; exec cat",
    "crontab": "case $1 in -l) cat ~/crontab 2>/dev/null ;; -) cat >~/new && mv ~/new ~/crontab ;; esac",
  ]
  /// Types one line for one person: where that person was last, between marks that no output has.
  private static let script = """
    base=$PWD
    step() {
      export HOME=$base/$1
      cd "$(cat "$HOME/.place")" || exit 1
      eval "$2"
      printf '\\036%s\\036' $?
      pwd >"$HOME/.place"
      # Li sends the public half to Ada.
      if [ -e "$base/li/li.pub" ]; then cp "$base/li/li.pub" "$base/ada/"; fi
    }

    """

  init() throws {
    workspace = try Workspace()
    workspace.prepare("mkdir bin ada li")
    for (name, text) in Self.programs { _ = workspace.write("#!/bin/sh\n\(text)\n", to: "bin/\(name)") }
    workspace.prepare("chmod 700 bin/*")
    for person in ["ada", "li"] {
      _ = workspace.write(workspace.path + "/" + person, to: person + "/.place")
      let settings = """
        [user]
          name = \(person)
          email = \(person)@example.com
        [url "\(workspace.path)/"]
          insteadOf = git@git.example.com:

        """
      _ = workspace.write(settings, to: person + "/.gitconfig")
    }
  }

  private var environment: [String: String] {
    [
      "PATH": workspace.path + "/bin:" + Binary.parent(Binary.path) + ":/usr/bin:/bin", "LANG": "C.UTF-8",
      "TMPDIR": workspace.path + "/tmp", "TERM": "xterm", "DISPLAY": ":0", "GIT_CONFIG_NOSYSTEM": "1",
    ]
  }

  /// Types the lines one after another at a terminal.
  func run(_ steps: [ReadmePage.Step], answers: [(prompt: String, reply: String)]) throws -> [End] {
    let quoted = steps.map { step in
      "step \(step.person) '\(step.line.replacing("'", with: #"'\''"#))'\n"
    }
    let script = workspace.write(Self.script + quoted.joined(), to: "typed.sh")
    var plan = ProcessRun(path: "/bin/bash", arguments: [script], environment: environment, directory: workspace.path)
    plan.terminal = answers
    plan.screen = (100, 24)
    (plan.outputOnTerminal, plan.errorsOnTerminal) = (true, true)
    let outcome = plan.run()
    let parts = outcome.shown.split(separator: "\u{1E}", omittingEmptySubsequences: false).map(String.init)
    try #require(parts.count == 2 * steps.count + 1, "\(outcome.shown)")
    return steps.enumerated().map { number, step in
      End(step: step, output: parts[2 * number], code: Int32(parts[2 * number + 1]) ?? -1)
    }
  }

  /// The text without colors and without the parts that each run makes anew.
  func settled(_ text: String) -> String {
    text.replacing("\r\n", with: "\n").replacing(#/\u{1B}\[[0-9;]*m/#, with: "")
      .replacing(workspace.path + "/ada", with: "/home/ada")
      .replacing(#/"es1:[^"]*"/#, with: "SEALED").replacing(#/#[0-9a-f]{6}/#, with: "#DIGITS")
      .replacing(#/(?m)^[A-Za-z0-9]{24}$/#, with: "PASSWORD").settled.trimmingNewline
  }
}
