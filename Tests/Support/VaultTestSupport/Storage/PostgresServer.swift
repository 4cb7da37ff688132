internal import VaultSystem

/// A database server of the tests' own, with a pooler before it, as `Scripts/postgres-server` starts it. It ends with
/// the process that it was started by, however that ends.
package struct PostgresServer: Sendable {
  /// The port of the server, on 127.0.0.1.
  package let port: Int
  /// The port of PgBouncer, which gives a connection to one transaction at a time; nil where it is not installed.
  package let poolerPort: Int?
  /// The port of a server that follows it; nil for one without.
  package let replicaPort: Int?
  /// The folder of the server's files.
  package let folder: String
  private let script: OrderedScript

  /// One for all tests that do nothing to the server itself; nil where none can be started.
  package static let shared = PostgresServer()

  /// The need of tests with the server.
  package static let need = Need(shared != nil, otherwise: "no PostgreSQL server can be started here")
  /// The need of tests with the pooler.
  package static let poolerNeed = Need(shared?.poolerPort != nil, otherwise: "PgBouncer is not installed")

  /// One that takes TLS as well, and from the role `ada` TLS and SCRAM alone; nil where none can be started.
  package static let withTLS = PostgresServer(takesTLS: true)

  /// Starts another one; nil where that is not possible.
  ///
  /// - Parameter settings: `NAME=VALUE` for its configuration.
  package init?(settings: [String] = [], takesTLS: Bool = false, hasReplica: Bool = false) {
    let arguments = (takesTLS ? ["--tls"] : hasReplica ? ["--replica"] : []) + settings
    guard let (script, words) = OrderedScript.start("postgres-server", arguments), words.count >= 4,
      words[0] == "ready",
      let port = Int(words[1]), let pooler = Int(words[2])
    else { return nil }
    (self.port, poolerPort, folder, self.script) = (port, pooler == 0 ? nil : pooler, words[3], script)
    replicaPort = words.count > 4 ? Int(words[4]) : nil
  }

  /// Ends it.
  package func stop() { script.stop() }

  /// Stops the server as a power cut does, and starts it again.
  package func restart() { script.order("restart", expecting: "restarted") }

  /// Stops the server as a power cut does.
  package func cutPower() { script.order("stop", expecting: "stopped") }

  /// Starts it again.
  package func start() { script.order("start", expecting: "started") }

  /// The address of a vault in it.
  package func address(_ vault: String, port: Int? = nil, user: String = "tests", settings: String = "") -> String {
    "postgresql://\(user)@127.0.0.1:\(port ?? self.port)/postgres?vault=\(vault)\(settings)"
  }

  /// The password of `ada`, in a server that takes TLS.
  package static let password = "sesame"

  /// The address of a vault in it for `ada`: the server has to prove who it is, and that nobody stands between.
  package func strictAddress(_ vault: String) -> String {
    address(
      vault, user: "ada", settings: "&sslmode=verify-full&channel_binding=require&sslrootcert=\(folder)/root.crt")
  }

  /// Lets commits wait for a standby that never comes, or for none again.
  package func waitForStandby(_ waits: Bool) {
    run("ALTER SYSTEM SET synchronous_standby_names = '\(waits ? "nobody" : "")'")
    run("SELECT pg_reload_conf()")
  }

  /// Ends waits for a standby, as an administrator does, by a function of the server.
  package func endWaits(by function: String = "pg_cancel_backend") {
    run("SELECT \(function)(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
  }

  /// Ends the sessions by which vaults of its database `postgres` are locked.
  package func endLockSessions() {
    // The holder of a lock has a name for it.
    let sessions = """
      SELECT pid FROM pg_stat_activity WHERE application_name ~ '^vault [0-9a-f]{8} ' AND datname = 'postgres'
      """
    run("SELECT pg_terminate_backend(pid) FROM (\(sessions)) AS s")
  }

  /// Runs a statement as its administrator; returns the output of `psql`.
  @discardableResult
  package func run(_ statement: String, database: String = "postgres", onReplica: Bool = false) -> ProcessOutcome {
    ProcessRun(
      path: "/usr/bin/env",
      arguments: [
        "psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p",
        String(onReplica ? replicaPort ?? 0 : port), "-U", "tests",
        "-d", database, "-c", statement,
      ], environment: ["PATH": ProcessEnvironment.variable("PATH") ?? "/usr/bin:/bin"]
    ).run()
  }
}
