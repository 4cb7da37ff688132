import Testing
import VaultTestSupport

/// A vault with a login whose password was changed twice.
struct FormerBench {
  /// The oldest first; the last one is the present password.
  static let passwords = ["first-secret-11", "second-secret-22", "third-secret-33"]
  let workspace: Workspace

  init() throws {
    workspace = try Workspace.withVault()
    let added = workspace.open("add", "login", "Mail", "username=ada", "--secret-stdin", "password", input: Self[0])
    try #require(added.code == 0, "\(added.errors)")
    for password in Self.passwords.dropFirst() { try seal(password) }
  }

  static subscript(index: Int) -> String { passwords[index] }

  func seal(_ value: String, in record: String = "Mail", at field: String = "password") throws {
    let set = workspace.open("set", record, "--secret-stdin", field, input: value)
    try #require(set.code == 0, "\(set.errors)")
  }

  /// A former password; empty if the field has fewer former values.
  func former(_ number: Int, of record: String = "Mail", _ field: String = "password") -> String {
    workspace.open("get", record, field, "--former", "\(number)").output
  }

  /// The former passwords, newest first.
  var all: [String] { (1...20).map { former($0) }.prefix { !$0.isEmpty }.map(\.self) }

  func requireSilent(_ outcome: ProcessOutcome) {
    for secret in Self.passwords + ["es1:"] {
      #expect(!outcome.output.contains(secret), "\(outcome.output)")
      #expect(!outcome.errors.contains(secret), "\(outcome.errors)")
    }
  }

  /// Makes the vault's folder a work tree with one commit.
  func commit(_ message: String = "all") {
    let git = "git -c user.name=Ada -c user.email=ada@example.com"
    workspace.prepare("cd v && git init -q && git add -A && \(git) commit -qm '\(message)'")
  }
}
