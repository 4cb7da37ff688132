import Testing
import VaultTestSupport

/// A vault, and people who can write into its folder but have no key.
struct DepositBench {
  static let secret = "deposited-secret-77"
  static let before = "present-secret-12"
  let workspace: Workspace

  init() throws {
    workspace = try Workspace.withVault()
    let added = workspace.open("add", "login", "Mail", "username=ada", "--secret-stdin", "password", input: Self.before)
    try #require(added.code == 0, "\(added.errors)")
  }

  /// Runs `vault deposit` without a key, and with a state of its own.
  @discardableResult
  func deposit(_ words: String..., input: String = secret, at vault: String? = nil) -> ProcessOutcome {
    workspace.run(
      ["deposit"] + words + ["--vault", vault ?? workspace.vault], input: input,
      adding: ["CVAULT_STATE_DIR": workspace.path + "/depositor"])
  }

  /// The id of a new deposit of a login.
  func login(_ name: String, _ more: String...) throws -> String {
    let run = workspace.run(
      ["deposit", "login", name, "username=ada", "--secret-stdin", "password", "--vault", workspace.vault] + more,
      input: Self.secret, adding: ["CVAULT_STATE_DIR": workspace.path + "/depositor"])
    try #require(run.code == 0, "\(run.errors)")
    return String(run.output.dropLast())
  }

  var inbox: [String] { FileTree.names(in: workspace.vault + "/inbox").sorted() }

  func requireSilent(_ outcome: ProcessOutcome) {
    for secret in [Self.secret, Self.before, "es1:", "AGE-SECRET"] {
      #expect(!outcome.output.contains(secret), "\(outcome.output)")
      #expect(!outcome.errors.contains(secret), "\(outcome.errors)")
    }
  }
}
