import Testing
import VaultTestSupport

/// A workspace, and the address of a vault that is not there yet.
struct DatabaseBench {
  let workspace: Workspace
  let server: PostgresServer
  let address: String

  /// - Parameter schema: where the tables are; nil for where they are without a setting.
  init(_ server: PostgresServer? = PostgresServer.shared, schema: String? = nil) throws {
    workspace = try Workspace()
    self.server = try #require(server)
    address = self.server.address(Self.name("c"), settings: schema.map { "&schema=\($0)" } ?? "")
  }

  /// With a vault of one login.
  static func withVault(
    _ server: PostgresServer? = PostgresServer.shared, schema: String? = nil
  ) throws -> DatabaseBench {
    let bench = try DatabaseBench(server, schema: schema)
    let made = bench.workspace.run("init", bench.address, "--create-tables", "--generate-identity", "id.txt")
    try #require(made.code == 0, "\(made.errors)")
    let added = bench.run(
      "add", "login", "GitLab", "--set", "username=ada", "--secret-stdin", "password", input: "pw1")
    try #require(added.code == 0, "\(added.errors)")
    return bench
  }

  /// A name that nothing else in the server has.
  static func name(_ beginning: String) -> String { "\(beginning)\(UInt64.random(in: .min ... .max))" }

  /// The condition for the vault's row among the rows of `vaults`.
  var isItsRow: String { "name = '\(address.split(separator: "=")[1].prefix { $0 != "&" })'" }

  /// The same vault for another role.
  func address(of role: String) -> String { address.replacing("tests@", with: "\(role)@") }

  /// The same vault through a proxy, which takes no request for encryption.
  func address(through proxy: PostgresProxy) -> String {
    address.replacing(":\(server.port)/", with: ":\(proxy.port)/") + "&sslmode=disable"
  }

  func run(_ arguments: String..., input: String = "", at address: String? = nil) -> ProcessOutcome {
    run(arguments, input: input, at: address)
  }

  func run(_ arguments: [String], input: String = "", at address: String? = nil) -> ProcessOutcome {
    workspace.run(arguments, input: input, adding: variables(address))
  }

  /// Which vault it is, and what opens it.
  func variables(_ address: String? = nil) -> [String: String] {
    ["CVAULT_DIR": address ?? self.address, "CVAULT_IDENTITY_FILE": workspace.identity]
  }

  /// Does something as the server's administrator, which must not fail.
  @discardableResult
  func administer(_ statements: String) throws -> String {
    let outcome = server.run(statements)
    try #require(outcome.code == 0, "\(outcome.errors)")
    return outcome.output
  }
}
