import Testing
import VaultDocument
import VaultTestSupport

/// A vault in whose records marker secrets are sealed, and a shell in an empty folder, as a coding agent has it.
struct CodingAgentBench {
  static let variables = [
    "AI_AGENT", "CLAUDECODE", "CODEX_SANDBOX", "CODEX_THREAD_ID", "CURSOR_AGENT", "GEMINI_CLI", "OPENCODE",
    "COPILOT_CLI", "CVAULT_NO_REVEAL",
  ]
  /// Part of every secret here. Its signs differ in an address.
  static let marker = "Kestrel+7f3a9c5e=Quarry"
  static let oneTimeKey = "KRSXG5DJNZTUWZLTORZGK3A"

  let workspace: Workspace
  private var work: String { workspace.path + "/work" }

  init() throws {
    workspace = try Workspace.withVault()
    let marker = Self.marker
    try add(["add", "login", "GitHub", "username=ada", "urls[0]=https://github.com", "tags[0]=work"], "\(marker)-0")
    try add(["set", "GitHub"], "\(marker)-1")
    try add(["set", "GitHub"], Self.oneTimeKey, as: "totp")
    try add(
      ["add", "database", "Orders", "engine=postgresql", "host=db.example.com", "database=orders", "user=web"],
      "\(marker)-2")
    try add(["add", "api-key", "Deploy", "key_id=AKIDEXAMPLE", "issuer=AWS"], "\(marker)-3", as: "secret")
    let file = workspace.write("\(marker)-4\n", to: "note.txt")
    let attached = workspace.open("attach", "GitHub", file)
    try #require(attached.code == 0, "\(attached.errors)")
    workspace.prepare("rm note.txt; mkdir bin; ln -s '\(Binary.path)' bin/vault")
  }

  private func add(_ words: [String], _ secret: String, as field: String = "password") throws {
    let run = workspace.run(
      words + ["--secret-stdin", field, "--vault", workspace.vault, "--identity", workspace.identity], input: secret)
    try #require(run.code == 0, "\(run.errors)")
  }

  var environment: [String: String] {
    workspace.environment.merging([
      "PATH": workspace.path + "/bin:/usr/bin:/bin", "CVAULT_DIR": workspace.vault,
      "CVAULT_IDENTITY_FILE": workspace.identity, "CVAULT_NO_USES": "1",
    ]) { $1 }
  }

  /// Everything that a line has shown or written.
  struct Transcript {
    let outcome: ProcessOutcome
    let files: FolderState

    /// The bytes in which a secret could be.
    var all: [UInt8] {
      outcome.stdout + outcome.stderr + outcome.screen + files.values.flatMap { $0 }
        + files.keys.flatMap { Array($0.utf8) }
    }

    /// The forms in which a marker is there.
    var leaks: [String] {
      let all = all
      return [CodingAgentBench.marker, CodingAgentBench.oneTimeKey].flatMap { marker in
        CodingAgentBench.forms(of: marker).filter { all.holds($0.bytes) }.map(\.name)
      }
    }
  }

  /// Runs a line of the shell in a new folder.
  ///
  /// - Parameter atTerminal: whether all streams are a terminal.
  func type(_ line: String, adding: [String: String] = [:], atTerminal: Bool = false) -> Transcript {
    workspace.prepare("rm -rf work; mkdir work")
    var plan = ProcessRun(
      path: "/bin/sh", arguments: ["-c", line], environment: environment.merging(adding) { $1 }, directory: work)
    if atTerminal { (plan.terminal, plan.outputOnTerminal, plan.errorsOnTerminal) = ([], true, true) }
    let outcome = plan.run()
    // The vault and the identity are not the agent's work.
    let files = FolderState(below: workspace.path) { !$0.hasPrefix("v/") && !$0.hasPrefix("bin/") && $0 != "id.txt" }
    return Transcript(outcome: outcome, files: files)
  }

  /// A secret as programs write it.
  static func forms(of secret: String) -> [(name: String, bytes: [UInt8])] {
    let bytes = Array(secret.utf8)
    let hex = Hex.encode(bytes)
    var forms: [(name: String, bytes: [UInt8])] = [
      ("plain", bytes), ("reversed", Array(bytes.reversed())), ("hex", Array(hex.utf8)),
      ("HEX", Array(hex.uppercased().utf8)), ("UTF-16", bytes.flatMap { [$0, 0] }),
    ]
    let encoded = bytes.flatMap { byte -> [UInt8] in
      let isPlain = Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber
      return isPlain ? [byte] : Array("%".utf8) + Array(Hex.encode([byte]).uppercased().utf8)
    }
    if encoded != bytes { forms.append(("percent-encoded", encoded)) }
    for offset in 0..<3 {
      let text = Array(Base64.encode([UInt8](repeating: 0, count: offset) + bytes).utf8)
      // The digits that depend on nothing else.
      forms.append(("base64", Array(text[(offset * 8 + 5) / 6..<(offset + bytes.count) * 8 / 6])))
    }
    return forms
  }
}
