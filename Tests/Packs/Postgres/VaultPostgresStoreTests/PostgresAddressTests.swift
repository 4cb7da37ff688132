import Testing
import VaultDocument
import VaultPostgresStore

@Suite("Addresses of databases") struct PostgresAddressTests {
  @Test("an address names host, port, database, user, vault and schema")
  func parts() throws {
    let address = try PostgresAddress(
      parsing: "postgresql://ada%2Bops@DB.example:6432/prod%20one?vault=team%20ops&schema=safe&sslmode=require")
    #expect(address.host == "db.example")
    #expect(address.port == 6432)
    #expect(address.user == "ada+ops")
    #expect(address.database == "prod one")
    #expect(address.vault == "team ops")
    #expect(address.schema == "safe")
    #expect(address.encryption == "require")
    #expect(address.isOpenToOthers)
    let plain = try PostgresAddress(parsing: "postgres://[::1]/prod?vault=ops")
    #expect(plain.host == "::1")
    #expect(plain.port == 5432)
    #expect(plain.user == nil)
    #expect(plain.isLocal)
    #expect(!plain.isOpenToOthers)
    #expect(try PostgresAddress(parsing: "postgresql://x/prod?vault=ops&host=/run/Pg").host == "/run/Pg")
  }

  @Test("a host that is not local has to prove who it is, unless the address says otherwise")
  func encryption() throws {
    #expect(try PostgresAddress(parsing: "postgresql://db.example/prod?vault=ops").encryption == "verify-full")
    #expect(try PostgresAddress(parsing: "postgresql://localhost/prod?vault=ops").encryption == "prefer")
  }

  @Test("a commit may be asked to come further than the server says, and never less far")
  func durability() throws {
    let address = "postgresql://db.example/prod?vault=ops"
    #expect(try PostgresAddress(parsing: address).synchronousCommit == nil)
    for setting in ["on", "remote_write", "remote_apply"] {
      #expect(try PostgresAddress(parsing: address + "&synchronous_commit=\(setting)").synchronousCommit == setting)
    }
    for setting in ["off", "local", "", "on; DROP TABLE x"] {
      #expect(throws: TextFault.self) {
        try PostgresAddress(parsing: address + "&synchronous_commit=\(setting.replacing(" ", with: "%20"))")
      }
    }
  }

  @Test(
    "an address is this machine's only where each host is a socket, localhost, or a loopback address",
    arguments: [
      ("127.0.0.1", true), ("127.9.9.9", true), ("127.255.255.254:5433", true), ("localhost", true),
      ("LocalHost:1", true), ("[::1]", true), ("[::1]:5433", true), ("%2Frun%2Fpostgresql", true),
      ("%40abstract", true),
      ("127.0.0.1:1,localhost:2,[::1]:3", true), ("127.0.0.1,10.77.0.1", false), ("10.77.0.1,127.0.0.1", false),
      ("127.db.example", false), ("127.0.0.1.db.example", false), ("127.1", false), ("127.0.0.256", false),
      ("127.0.0.01", false), ("127.0.0.1.", false), ("128.0.0.1", false), ("0.0.0.0", false),
      ("localhost.example", false),
      ("localhost.", false), ("[::2]", false), ("[::ffff:127.0.0.1]", false), ("[fe80::1%25lo]", false),
      ("%2Ftmp,db.example", false), ("db.example,%2Ftmp", false), ("127.0.0.1:5433,db.example:5433", false),
    ])
  func locality(_ hosts: String, _ isLocal: Bool) throws {
    let address = try PostgresAddress(parsing: "postgresql://ada@\(hosts)/app?vault=ops")
    #expect(address.isLocal == isLocal)
    #expect(address.encryption == (isLocal ? "prefer" : "verify-full"))
    #expect(
      try PostgresAddress(parsing: "postgresql://ada@\(hosts)/app?vault=ops&sslmode=require").isOpenToOthers == !isLocal
    )
    let parameters = address.parameters(of: address.hosts[0], applicationName: "x", password: nil)
    #expect((parameters["channel_binding"] == "require") == !isLocal)
  }

  @Test(
    "hosts of the setting `host` count as those before the database do",
    arguments: [
      ("/tmp", true), ("@abstract", true), ("127.0.0.1,::1,localhost,/run/Pg", true), ("/tmp,192.0.2.2", false),
      ("127.9.9.9,10.77.0.1", false), ("127.db.example", false),
    ])
  func settingOfHosts(_ hosts: String, _ isLocal: Bool) throws {
    let address = try PostgresAddress(parsing: "postgresql://ada@x:5999/app?vault=ops&host=\(hosts)")
    #expect(address.isLocal == isLocal)
    #expect(address.hosts.map(\.name) == hosts.split(separator: ",").map(String.init))
    #expect(address.hosts.allSatisfy { $0.port == 5999 })
  }

  @Test(
    "each host has its own port, 5432 where it says none",
    arguments: [
      ("h1:5433,h2:5434", ["h1:5433", "h2:5434"]), ("h1,h2:5434", ["h1:5432", "h2:5434"]),
      ("h1:5433,h2", ["h1:5433", "h2:5432"]),
      ("[2001:db8::1]:5433,[2001:DB8::2]", ["2001:db8::1:5433", "2001:db8::2:5432"]),
      ("h1:,h2", ["h1:5432", "h2:5432"]), ("%2Fvar%2FRun:5,H", ["/var/Run:5", "h:5432"]),
    ])
  func ports(_ hosts: String, _ expected: [String]) throws {
    let address = try PostgresAddress(
      parsing: "postgresql://bob@\(hosts)/app?vault=ops&target_session_attrs=read-write")
    #expect(address.hosts.map { "\($0.name):\($0.port)" } == expected)
    #expect(address.user == "bob")
    #expect(address.settings["target_session_attrs"] == "read-write")
    #expect(try PostgresAddress(parsing: address.canonicalText).canonicalText == address.canonicalText)
  }

  @Test("two orders of the same hosts are one place")
  func orderOfHosts() throws {
    let first = try PostgresAddress(parsing: "postgresql://bob@h1:5433,h2/app?vault=ops")
    let second = try PostgresAddress(parsing: "postgresql://h2:5432,H1:5433/app?vault=ops")
    #expect(first.canonicalText == "postgresql://h1:5433,h2:5432/app?vault=ops")
    #expect(second.canonicalText == first.canonicalText)
  }

  @Test("with a certificate of the client no channel binding is asked for")
  func clientCertificate() throws {
    let address = try PostgresAddress(parsing: "postgresql://db.example/app?vault=ops&sslcert=/c&sslkey=/k")
    #expect(address.parameters(of: address.hosts[0], applicationName: "x", password: nil)["channel_binding"] == nil)
  }

  @Test("the place that is remembered has neither user nor settings, however it was written")
  func canonicalText() throws {
    let first = try PostgresAddress(parsing: "postgresql://ada@DB.example/prod?vault=ops&sslmode=require")
    let second = try PostgresAddress(parsing: "postgres://grace@db.example:5432/prod?sslmode=verify-full&vault=ops")
    #expect(first.canonicalText == "postgresql://db.example:5432/prod?vault=ops")
    #expect(second.canonicalText == first.canonicalText)
    #expect(try PostgresAddress(parsing: first.canonicalText).canonicalText == first.canonicalText)
  }

  @Test(
    "what is no address, or holds a password, is refused without any of its text",
    arguments: [
      "postgresql://", "postgresql://h/", "postgresql://h/db", "postgresql://h/db?vault=", "postgresql://h/a/b?vault=v",
      "postgresql://ada:hunter2@h/db?vault=v", "postgresql://h/db?vault=v&password=hunter2",
      "postgresql://h/db?vault=v&vault=hunter2", "postgresql://h/db?vault=v&options=hunter2",
      "postgresql://h/db?vault=v&schema=hunter2;", "postgresql://h/db?vault=v&sslmode=%00hunter2",
      "postgresql://h/db?vault=v hunter2", "https://h/db?vault=v", "postgresql://h1,,h2/db?vault=v",
      "postgresql://,h/db?vault=v", "postgresql://h,/db?vault=v", "postgresql://h/db?vault=v&host=",
      "postgresql://h/db?vault=v&host=a,,b", "postgresql://h1,h2/db?vault=v&host=hunter2",
      "postgresql://h/db?vault=v&hostaddr=10.0.0.1", "postgresql://h/db?vault=v&port=1", "postgresql://h:0/db?vault=v",
      "postgresql://h:65536/db?vault=v", "postgresql://h:5433:5434/db?vault=v", "postgresql://h1:x,h2/db?vault=v",
      "postgresql://::1/db?vault=v", "postgresql://[::1/db?vault=v", "postgresql://[h]/db?vault=v",
      "postgresql://h%2Cx/db?vault=v", "postgresql://h%00/db?vault=v", "postgresql://ada@b:hunter2@h/db?vault=v",
      "postgresql://h/db?vault=v&host=h:5433", "postgresql:///db?vault=v",
    ])
  func refused(_ text: String) throws {
    let fault = #expect(throws: TextFault.self) { try PostgresAddress(parsing: text) }
    #expect(fault?.reason.contains("hunter2") == false)
  }
}
