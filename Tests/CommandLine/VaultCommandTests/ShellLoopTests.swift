import Testing
import VaultTestSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Ctrl-C while a shell runs the program again and again.
@Suite("Ctrl-C in a shell's loop", .atTerminal)
struct ShellLoopTests {
  /// The commands that ask, choose or show, and their screens.
  private static let cases: [(command: String, prompt: String)] = [
    ("set GitHub --secret password", "not shown"), ("add login", "Title: "), ("rm it", "Which one?"),
    ("get it password", "Which one?"), ("trash empty", "[y/N]"), ("rekey", "[y/N]"), ("", "Esc leave"),
    ("edit GitHub", "editing"), ("list", "paging"),
    ("init w --passphrase", "New passphrase"), ("show GitHub --reveal", "Passphrase"),
  ]

  private func workspace() throws -> Workspace {
    let workspace = try Workspace()
    _ = workspace.write("correct horse\n", to: "words.txt")
    let made = workspace.run(
      "init", "v", "--generate-identity", "id.txt", "--passphrase", "--new-passphrase-file", "words.txt",
      "--work-factor", "10")
    try #require(made.code == 0, "\(made.errors)")
    for title in ["GitHub", "GitLab", "removed"] {
      let added = workspace.open("add", "login", "title=\(title)", "--generate", "password")
      try #require(added.code == 0, "\(added.errors)")
    }
    try #require(workspace.open("rm", "removed", "-y").code == 0)
    return workspace
  }

  /// A program that says a word and waits. No shell starts it: dash forgets a signal while it starts a program.
  private static func waiting(_ word: String) -> String { "exec perl -e '$|=1; print \"\(word)\\n\"; sleep 600'" }

  /// A passphrase is asked for only if there is no identity.
  private func plan(_ workspace: Workspace, _ script: String, _ prompt: String) -> ProcessRun {
    var plan = ProcessRun(path: "/bin/sh", arguments: ["-c", script], environment: workspace.environment)
    plan.directory = workspace.path
    plan.screen = (80, 3)
    (plan.outputOnTerminal, plan.errorsOnTerminal) = (true, true)
    plan.terminal = [(prompt, "\u{03}")]
    plan.environment.merge([
      "TERM": "xterm", "CVAULT_DIR": workspace.vault, "CVAULT_IDENTITY_FILE": workspace.identity,
      "CVAULT_NO_AGENT": "1", "CVAULT_EDITOR": Self.waiting("editing"), "CVAULT_PAGER": Self.waiting("paging"),
    ]) { $1 }
    if prompt == "Passphrase" { plan.environment["CVAULT_IDENTITY_FILE"] = nil }
    return plan
  }

  @Test("Ctrl-C at a prompt, in a chooser, the picker, the pager and the editor ends the loop", arguments: cases)
  func loop(_ command: String, _ prompt: String) throws {
    let workspace = try workspace()
    let words = "\(Binary.path) \(command)"
    let before = workspace.snapshot()
    let outcome = plan(workspace, "for round in 1 2; do echo round $round; \(words); done; echo after", prompt).run()
    #expect(outcome.code == -SIGINT, "\(outcome.code) \(outcome.shown)")
    #expect(!outcome.shown.contains("round 2"), "\(outcome.shown)")
    #expect(!outcome.shown.contains("after"))
    #expect(workspace.snapshot() == before)
    #expect(!FileTree.names(in: workspace.path).contains("w"))
  }

  @Test("the terminal is as before, and a shell that goes on sees 130", arguments: cases)
  func restored(_ command: String, _ prompt: String) throws {
    let workspace = try workspace()
    let script = "trap : INT; \(Binary.path) \(command); echo \"code $?\"; stty -a | grep -o -e '-*icanon' -e '-*echo '"
    let outcome = plan(workspace, script, prompt).run()
    #expect(outcome.shown.hasSuffix("code 130\r\nicanon\r\necho \r\n"), "\(outcome.shown)")
  }
}
