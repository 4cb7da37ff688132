import Testing
import VaultTestSupport

/// The command with a server that takes TLS and SCRAM alone, whatever this program does before it connects.
@Suite("A vault in a database by TLS", .serialized) struct DatabaseTLSTests {
  private static let title = "a vault in a database by TLS"

  /// The source of the database password.
  enum Password: String, CaseIterable {
    case command, environment, file
  }

  /// A folder vault of one login beside the vault in the database, in a set.
  private struct Bench {
    let workspace: Workspace
    let address: String
    let copied: String
    private let variables: [String: String]

    init(_ server: PostgresServer, _ password: Password) throws {
      workspace = try Workspace()
      address = server.strictAddress(DatabaseBench.name("t"))
      copied = server.strictAddress(DatabaseBench.name("t"))
      var variables = ["CVAULT_IDENTITY_FILE": workspace.identity]
      switch password {
      case .command: variables["CVAULT_DATABASE_PASSWORD_COMMAND"] = "echo \(PostgresServer.password)"
      case .environment: variables["PGPASSWORD"] = PostgresServer.password
      case .file:
        variables["PGPASSFILE"] = workspace.write("*:*:*:ada:\(PostgresServer.password)\n", to: "pgpass")
        workspace.prepare("chmod 600 pgpass")
      }
      self.variables = variables
    }

    /// Of the identity that opens the vault in the database.
    func recipient() throws -> String {
      let text = String(decoding: try #require(FileTree.contents(of: workspace.identity)), as: UTF8.self)
      return String(try #require(text.split { $0.isWhitespace }.first { $0.hasPrefix("age1") }))
    }

    func run(_ arguments: String...) throws {
      let run = workspace.run(arguments, adding: variables)
      #expect(run.code == 0, "\(arguments): \(run.errors)")
    }
  }

  @Test("verify-full, channel binding and SCRAM work, whatever was opened before", arguments: Password.allCases)
  func orders(_ password: Password) throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try Bench(try #require(PostgresServer.withTLS), password)
    try bench.run("init", bench.address, "--create-tables", "--generate-identity", "id.txt")
    try bench.run("add", "login", "there", "-g", "--vault", bench.address)
    try bench.run("list", "--vault", bench.address, "--verify")
    try bench.run("init", "f", "--recipient", bench.recipient())
    try bench.run("add", "login", "here", "-g", "--vault", "f")
    try bench.run("store", "copy", "f", bench.copied, "--verify")
    try bench.run("store", "copy", bench.copied, "g", "--verify")
    try bench.run("diff", bench.copied, "--vault", "f", "--exit-code")
    for (name, place) in [("f1", "f"), ("db", bench.address)] {
      try bench.run("vaults", "add", name, place, "--vaults", "set.json")
    }
    try bench.run("list", "--everywhere", "--verify", "--vaults", "set.json")
    try bench.run("verify", "--everywhere", "--vaults", "set.json")
    try bench.run("move", "f1:here", "--to", "db", "--yes", "--vaults", "set.json")
    try bench.run("move", "db:there", "--to", "f1", "--yes", "--vaults", "set.json")
    try bench.run("get", "db:here", "password", "--vaults", "set.json")
    try bench.run("backup", "create", "--to", bench.workspace.path + "/home", "--vault", bench.address)
  }

  @Test(
    "verify-full works for a program that uses the library, whatever it did before it connects",
    arguments: [
      ["folder", "database"], ["database", "folder"], ["identity", "database"], ["folder", "identity", "database"],
    ])
  func library(_ steps: [String]) throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let server = try #require(PostgresServer.withTLS)
    let workspace = try Workspace()
    let words = steps.map { step in
      switch step {
      case "folder": "folder=f"
      case "database": "database=" + server.strictAddress(DatabaseBench.name("t"))
      default: step
      }
    }
    var plan = ProcessRun(
      path: try #require(Binary.built("VaultOutsider")), arguments: words, environment: workspace.environment,
      directory: workspace.path)
    plan.environment["PGPASSWORD"] = PostgresServer.password
    let run = plan.run()
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output == steps.map { $0 == "identity" ? "identity age1\n" : "\($0) 1\n" }.joined())
  }

  @Test("a certificate of another authority is refused, in words, also after something was opened")
  func otherAuthority() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let server = try #require(PostgresServer.withTLS)
    let workspace = try Workspace.withVault()
    let address = server.strictAddress("v").replacing("root.crt", with: "server.crt")
    let run = workspace.run("store", "copy", workspace.vault, address)
    #expect(run.status == .inputOutput)
    #expect(run.errors.contains("certificate verify failed"), "\(run.errors)")
  }

  @Test(
    "libpq's own variables lead no connection to this machine elsewhere",
    arguments: [
      ["PGHOSTADDR": "192.0.2.2"], ["PGSERVICE": "away", "PGSERVICEFILE": "services"],
    ])
  func elsewhere(_ variables: [String: String]) throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try DatabaseBench.withVault()
    _ = bench.workspace.write("[away]\nhostaddr=192.0.2.2\n", to: "services")
    for host in ["127.0.0.1", "localhost", "%2Ftmp"] {
      let address = bench.address.replacing("127.0.0.1", with: host)
      let run = bench.workspace.run(["list"], adding: bench.variables(address).merging(variables) { $1 })
      #expect(run.status == .inputOutput)
      #expect(run.errors.contains("leads to another machine"), "\(run.errors)")
    }
    let named = ["PGHOST": "192.0.2.2", "PGPORT": "1", "PGDATABASE": "none"]
    #expect(bench.workspace.run(["list"], adding: bench.variables().merging(named) { $1 }).code == 0)
  }

  @Test("of two hosts the one that answers is taken, each at its port")
  func hosts() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: Self.title) else { return }
    let bench = try DatabaseBench.withVault()
    for hosts in ["127.0.0.1:1,127.0.0.1", "127.0.0.1:1,localhost:2,127.0.0.1"] {
      let address = bench.address.replacing("127.0.0.1", with: hosts) + "&target_session_attrs=read-write"
      let run = bench.run("set", "GitLab", "username=\(hosts.count)", at: address)
      #expect(run.code == 0, "\(run.errors)")
    }
    let none = bench.run("list", at: "postgresql://127.0.0.1:1,localhost:2/d?vault=v")
    #expect(none.status == .inputOutput)
    #expect(none.errors.contains("127.0.0.1,localhost: the connection to the database failed"), "\(none.errors)")
    #expect(bench.run("list", at: "postgresql://h1:x,h2/d?vault=v").status == .usage)
  }

  @Test(
    "nothing that a server says before a connection is made reaches the terminal as it is",
    arguments: [
      HostileServer.Manner.greeting, .flood, .refusal, .notices, .codes,
    ])
  func notices(_ manner: HostileServer.Manner) throws {
    let server = try #require(HostileServer())
    defer { server.stop() }
    server.answer(manner)
    let workspace = try Workspace()
    let address = "postgresql://x@127.0.0.1:\(server.port)/app?vault=ops&sslmode=disable"
    let run = workspace.run("list", "--vault", address)
    #expect(run.status == .inputOutput)
    #expect(run.stderr.count < 2000)
    #expect(
      run.errors.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
    #expect(!run.errors.unicodeScalars.contains("\u{202E}"))
  }
}
