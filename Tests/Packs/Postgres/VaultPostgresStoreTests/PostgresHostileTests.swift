import Testing
import VaultPostgresStore
import VaultStorage
import VaultTestSupport

@Suite("A server that means no good", .serialized) struct PostgresHostileTests {
  @Test(
    "whatever it answers ends in an error of one line that commands no terminal",
    arguments: HostileServer.Manner.allCases)
  func manner(_ manner: HostileServer.Manner) throws {
    guard PostgresServer.need.isMet(forCases: 1, of: "a server that means no good") else { return }
    let server = try #require(HostileServer())
    defer { server.stop() }
    server.answer(manner)
    let address = try PostgresAddress(
      parsing: "postgresql://tests@127.0.0.1:\(server.port)/d?vault=v&sslmode=disable")
    let error = #expect(throws: StoreError.self) { try PostgresStore(at: address) }
    let said = "\(error.map { "\($0) \($0.underlying.map { "\($0)" } ?? "")" } ?? "")"
    #expect(
      said.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && $0.value != 0x202E })
    #expect(said.utf8.count < 2000)
  }
}
