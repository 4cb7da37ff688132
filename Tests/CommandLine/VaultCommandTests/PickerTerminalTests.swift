import Testing
import VaultTestSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// `vault` alone, with keys that are pressed.
@Suite("The picker at a terminal", .atTerminal)
struct PickerTerminalTests {
  private func workspace() throws -> Workspace {
    let workspace = try Workspace.withVault()
    for title in ["GitHub", "GitLab", "東京銀行", "בנק"] {
      let added = workspace.open(
        "add", "login", "title=\(title)", "username=ada", "--secret-stdin", "password", input: "password of \(title)")
      try #require(added.code == 0, "\(added.errors)")
    }
    return workspace
  }

  private func plan(_ workspace: Workspace, _ keys: [(prompt: String, reply: String)]) -> ProcessRun {
    var plan = workspace.plan([])
    plan.terminal = keys
    plan.screen = (80, 12)
    (plan.outputOnTerminal, plan.errorsOnTerminal) = (true, true)
    plan.environment.merge(
      ["TERM": "xterm", "CVAULT_DIR": workspace.vault, "CVAULT_IDENTITY_FILE": workspace.identity]
    ) { $1 }
    return plan
  }

  /// The screen after the program gave it back.
  private func rest(_ outcome: ProcessOutcome) throws -> String {
    let end = try #require(outcome.shown.ranges(of: "\u{1B}[?1049l").last)
    return String(outcome.shown[end.upperBound...])
  }

  @Test("letters filter, a key shows, and what it shows stands on the screen that was there before")
  func showing() throws {
    let workspace = try workspace()
    let outcome = plan(workspace, [("Esc leave", "lab"), ("1 of 4", "\u{13}")]).run()
    #expect(outcome.code == 0, "\(outcome.shown)")
    #expect(outcome.shown.hasPrefix("\u{1B}[?1049h"), "\(outcome.shown)")
    #expect(outcome.shown.contains("\u{2068}בנק\u{2069}"))
    let rest = try rest(outcome)
    #expect(rest.contains("GitLab"), "\(rest)")
    #expect(!rest.contains("GitHub"), "\(rest)")
    #expect(rest.contains("••••"), "\(rest)")
  }

  @Test("a word in any readable field finds a record, as find does; a sealed one does not")
  func fields() throws {
    let workspace = try workspace()
    #expect(workspace.open("set", "GitLab", "urls=https://code.example", "fields.city=Paris").code == 0)
    let outcome = plan(workspace, [("Esc leave", "PARIS lab\u{13}")]).run()
    #expect(outcome.shown.contains("4 records, not verified"), "\(outcome.shown)")
    #expect(try rest(outcome).contains("fields.city"), "\(outcome.shown)")
    #expect(try rest(outcome).contains("GitLab"), "\(outcome.shown)")
    let sealed = plan(workspace, [("Esc leave", "password"), ("0 of 4 records, not verified", "\u{3}")]).run()
    #expect(!sealed.hung, "\(sealed.shown)")
  }

  @Test("Enter copies the main secret of the selected record, whose key is only then used")
  func copying() throws {
    let workspace = try workspace()
    workspace.prepare("mkdir bin; printf '#!/bin/sh\\n/bin/cat > board\\n' > bin/xclip; chmod 700 bin/xclip")
    var plan = plan(workspace, [("Esc leave", "\u{1B}[B"), ("GitLab", "\r")])
    plan.environment.merge(["PATH": workspace.path + "/bin", "DISPLAY": ":0"]) { $1 }
    let outcome = plan.run()
    #expect(outcome.code == 0, "\(outcome.shown)")
    #expect(workspace.text(of: "board") == "password of GitLab", "\(outcome.shown)")
    #expect(try rest(outcome).contains("password of GitLab"), "names the field and the record")
  }

  @Test("Esc clears the filter, then leaves; nothing is left on the screen")
  func leaving() throws {
    let workspace = try workspace()
    let outcome = plan(workspace, [("Esc leave", "git"), ("2 of 4", "\u{1B}"), ("Esc leave", "\u{1B}")]).run()
    #expect(outcome.code == 0, "\(outcome.code) \(outcome.shown.debugDescription)")
    #expect(!outcome.hung, "\(outcome.code) \(outcome.shown.debugDescription)")
    #expect(try rest(outcome) == "")
  }

  @Test(
    "Ctrl-C and signals give the terminal back",
    arguments: [(0, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
  func interruption(_ number: Int32, _ code: Int32) throws {
    let workspace = try workspace()
    let script = "trap : INT; \(Binary.path); echo \"code $?\"; stty -a | grep -o -- '[-]*icanon'"
    var plan = plan(workspace, [("Esc leave", number == 0 ? "\u{03}" : "x")])
    if number == 0 { (plan.path, plan.arguments) = ("/bin/sh", ["-c", script]) }
    if number != 0 { plan.signal = ("0 of 4", number) }
    let outcome = plan.run()
    let rest = try rest(outcome)
    #expect(number == 0 ? rest.hasSuffix("code 130\r\nicanon\r\n") : outcome.code == code && rest == "", "\(rest)")
  }

  @Test("Ctrl-Z gives the terminal back and stops; it goes on where it was")
  func stopping() throws {
    let workspace = try workspace()
    let script = "set -m; \(Binary.path); echo; stty -a | grep -o -- '[-]*icanon'; fg"
    var plan = plan(workspace, [("Esc leave", "lab"), ("1 of 4", "\u{1A}"), ("1 of 4", "\u{13}")])
    (plan.path, plan.arguments) = ("/bin/bash", ["-c", script])
    let outcome = plan.run()
    #expect(!outcome.hung, "\(outcome.code) \(outcome.shown.debugDescription)")
    #expect(outcome.shown.ranges(of: "\u{1B}[?1049h").count == 2, "\(outcome.code) \(outcome.shown.debugDescription)")
    #expect(outcome.shown.contains("\r\nicanon\r\n"))
    #expect(try rest(outcome).contains("GitLab"))
  }

  @Test("without a terminal of the kind and in a pipe there is help; without a vault there is the way to one")
  func help() throws {
    let workspace = try workspace()
    var dumb = plan(workspace, [])
    dumb.environment["TERM"] = "dumb"
    #expect(dumb.run().shown.contains("USAGE: vault"))
    var missing = plan(workspace, [])
    missing.environment["CVAULT_DIR"] = workspace.path + "/none"
    #expect(missing.run().shown.contains("vault init my-vault"))
    let piped = workspace.run([], adding: ["CVAULT_DIR": workspace.vault])
    #expect(piped.status == .usage)
    #expect(piped.errors.contains("USAGE: vault"))
  }
}
