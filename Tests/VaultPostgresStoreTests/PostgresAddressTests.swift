import Testing
import VaultPostgresStore

@Suite("Addresses of databases") struct PostgresAddressTests {
  @Test("an address names host, port, database, user, vault and schema")
  func parts() throws {
    let address = try PostgresAddress(
      parsing: "postgresql://ada%2Bops@DB.example:6432/prod%20one?vault=team%20ops&schema=safe&sslmode=require")
    #expect(address.host == "db.example" && address.port == 6432 && address.user == "ada+ops")
    #expect(address.database == "prod one" && address.vault == "team ops" && address.schema == "safe")
    #expect(address.encryption == "require" && address.isOpenToOthers)
    let plain = try PostgresAddress(parsing: "postgres://[::1]/prod?vault=ops")
    #expect(plain.host == "::1" && plain.port == 5432 && plain.user == nil && plain.isLocal && !plain.isOpenToOthers)
    #expect(try PostgresAddress(parsing: "postgresql://x/prod?vault=ops&host=/run/Pg").host == "/run/Pg")
  }

  @Test("a host that is not local has to prove who it is, unless the address says otherwise")
  func encryption() throws {
    #expect(try PostgresAddress(parsing: "postgresql://db.example/prod?vault=ops").encryption == "verify-full")
    #expect(try PostgresAddress(parsing: "postgresql://localhost/prod?vault=ops").encryption == "prefer")
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
      "postgresql://h/db?vault=v hunter2", "https://h/db?vault=v",
    ])
  func refused(_ text: String) throws {
    let fault = #expect(throws: PostgresAddress.Fault.self) { try PostgresAddress(parsing: text) }
    #expect(fault?.reason.contains("hunter2") == false)
  }
}
