import Testing
import VaultAgent
import VaultSystem
import VaultTestSupport

@Suite("Connections within a machine")
struct LocalSocketTests {
  private let folder = TemporaryFolder()

  @Test("what one side writes the other reads, then the end; a failed read is not tried again", .timeLimit(.minutes(1)))
  func reading() throws {
    let path = folder.path + "/socket"
    let listener = try LocalSocket.listen(at: path)
    defer { LocalSocket.close(listener) }
    let client = try LocalSocket.connect(to: path)
    let server = try LocalSocket.accept(listener)
    let sent: [UInt8] = [1, 2, 3]
    try unsafe LocalSocket.write(sent.span.bytes, to: client)
    LocalSocket.close(client)
    let (first, read) = try Self.read(server)
    #expect(first == 3)
    #expect(read == [0, 0, 1, 2, 3, 0, 0, 0])
    #expect(try Self.read(server).count == 0)
    LocalSocket.close(server)
    #expect(throws: Errno.self) { try Self.read(-1) }
  }

  private static func read(_ file: Int32) throws -> (count: Int, bytes: [UInt8]) {
    var bytes = [UInt8](repeating: 0, count: 8)
    var span = bytes.mutableSpan
    // Any bytes can be stored in these.
    var raw = unsafe span.mutableBytes
    let count = try LocalSocket.read(file, into: &raw, at: 2)
    return (count, bytes)
  }
}
