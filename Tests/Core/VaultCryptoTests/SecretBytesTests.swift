import Testing
import VaultCrypto
import VaultTestSupport

/// Rules for every secret; tests of the whole process are in `ProcessTests`.
@Suite("Secret bytes") struct SecretBytesTests {
  private let marker = Array("hunter2-marker".utf8)

  @Test("a copy holds the bytes, also none") func copy() throws {
    #expect(try SecretBytes.of(marker).exposed == marker)
    #expect(try SecretBytes.of([]).exposed.isEmpty)
    #expect(try SecretBytes.of([]).count == 0)
  }

  @Test("bytes that nobody wrote are zero") func zeroed() throws {
    let secret = try SecretBytes(count: 100) { _ in }
    #expect(secret.exposed == [UInt8](repeating: 0, count: 100))
  }

  @Test("a negative size is refused") func negative() {
    #expect(throws: CryptoError(.wrongByteCount, "")) { try SecretBytes(count: -1) { _ in } }
  }

  @Test("equal means the same bytes") func equality() throws {
    let (secret, same) = (try SecretBytes.of(marker), try SecretBytes.of(marker))
    let (other, shorter) = (try SecretBytes.of(marker.reversed()), try SecretBytes.of(Array(marker.dropLast())))
    #expect(secret == same)
    #expect(secret != other)
    #expect(secret != shorter)
    #expect(try SecretBytes.of([]) == SecretBytes.of([]))
  }

  @Test("a slice is a copy of its own and stays inside") func slice() throws {
    let secret = try SecretBytes.of(marker)
    #expect(try secret.slice(0..<7).exposed == Array("hunter2".utf8))
    #expect(try secret.slice(0..<14) == secret)
    #expect(try secret.slice(14..<14).count == 0)
    #expect(throws: CryptoError(.wrongByteCount, "")) { try secret.slice(0..<15) }
    #expect(throws: CryptoError(.wrongByteCount, "")) { try secret.slice(-1..<3) }
  }

  @Test("the error of the body comes through with its type") func bodyError() throws {
    struct Mine: Error, Equatable {}
    let secret = try SecretBytes.of(marker)
    #expect(throws: Mine()) {
      do throws(Mine) {
        try secret.withBytes { _ throws(Mine) in throw Mine() }
      } catch {
        throw error
      }
    }
  }

  @Test("nothing that prints shows a byte of it") func placeholder() throws {
    let secret = try SecretBytes.of(marker)
    var dumped = ""
    dump(secret, to: &dumped)
    dump((secret, [secret], Optional(secret)), to: &dumped)
    let all = [
      "\(secret)", String(describing: secret), String(reflecting: secret), "\([secret])",
      "\(Mirror(reflecting: secret))",
      secret.description, secret.debugDescription, dumped,
    ]
    for text in all {
      #expect(!text.contains("hunter2"))
      #expect(!text.contains("0x"))
      #expect(!text.contains("count"))
    }
    #expect(secret.description == "<secret bytes>")
    #expect(Mirror(reflecting: secret).children.isEmpty)
  }
}
