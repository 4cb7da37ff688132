import Testing
import VaultAge

@Suite("age header")
struct HeaderTests {
  private static let mac = "--- IoMpDGTVS4zBiBBGQHtHn5SZf2lTKlFKhwSDPFbVDMM\n"
  private static let full = String(repeating: "A", count: 64)

  private func text(_ stanzas: String, mac: String = mac) -> String { "age-encryption.org/v1\n\(stanzas)\(mac)" }

  @Test("stanzas are given with type, arguments and body, and the payload's offset is known")
  func stanzas() throws {
    let parsed = try header(text("-> X25519 abc\nAAAA\n-> one! two ~\n\(Self.full)\n\n") + "payload")
    #expect(parsed.stanzas.map(\.type) == ["X25519", "one!"])
    #expect(parsed.stanzas.map(\.arguments) == [["abc"], ["two", "~"]])
    #expect(parsed.stanzas.map(\.body) == [[0, 0, 0], [UInt8](repeating: 0, count: 48)])
    #expect(parsed.mac.count == 32)
    #expect(parsed.byteCount == text("-> X25519 abc\nAAAA\n-> one! two ~\n\(Self.full)\n\n").utf8.count)
  }

  @Test("what is written is parsed to the same stanzas, and what was parsed is written as the same bytes")
  func roundTrip() throws {
    var pattern = Pattern(seed: 2)
    for count in [0, 1, 2, 3, 32, 47, 48, 49, 95, 96, 97, 500] {
      let stanza = AgeStanza(type: "type", arguments: ["a", "b/c+d"], body: pattern.bytes(count))
      let written = AgeHeader.authenticatedBytes([stanza, stanza])
      let parsed = try header(written + bytes(String(Self.mac.dropFirst(3))))
      #expect(parsed.stanzas == [stanza, stanza])
      #expect(parsed.authenticatedByteCount == written.count)
      #expect(AgeHeader.authenticatedBytes(parsed.stanzas) == written)
    }
  }

  @Test(
    "a malformed header is refused",
    arguments: [
      ("", "empty"), ("age-encryption.org/v2\n-> a\n\n\(mac)", "another version"),
      ("age-encryption.org/v1\r\n-> a\n\n\(mac)", "CRLF after the version"),
      (" age-encryption.org/v1\n", "leading space"),
      ("age-encryption.org/v1\n\(mac)", "no stanza"), ("age-encryption.org/v1\n-> a\n\n", "no MAC"),
      ("age-encryption.org/v1\n-> a\n\(mac)", "no body line"), ("age-encryption.org/v1\n->\n\n\(mac)", "no argument"),
      ("age-encryption.org/v1\n-> \n\n\(mac)", "empty argument"),
      ("age-encryption.org/v1\n->  a\n\n\(mac)", "two spaces"),
      ("age-encryption.org/v1\n-> a \n\n\(mac)", "trailing space"),
      ("age-encryption.org/v1\n->a\n\n\(mac)", "no space"),
      ("age-encryption.org/v1\n-> a\tb\n\n\(mac)", "tab"), ("age-encryption.org/v1\n-> é\n\n\(mac)", "not ASCII"),
      ("age-encryption.org/v1\n-> a\r\n\n\(mac)", "CR in the argument line"),
      ("age-encryption.org/v1\n-> a\nAAAA\r\n\(mac)", "CR in the body"),
      ("age-encryption.org/v1\n-> a\nAA==\n\(mac)", "padding"),
      ("age-encryption.org/v1\n-> a\nAB\n\(mac)", "stray bits"),
      ("age-encryption.org/v1\n-> a\nA\n\(mac)", "one character"),
      ("age-encryption.org/v1\n-> a\nA-_A\n\(mac)", "base64url"),
      ("age-encryption.org/v1\n-> a\nAAAA\nAAAA\n\(mac)", "two short lines"),
      ("age-encryption.org/v1\n-> a\n\(full)A\n\n\(mac)", "65 columns"),
      ("age-encryption.org/v1\n-> a\n\(full)\n\(mac)", "no short last line"),
      ("age-encryption.org/v1\nX25519\n\n\(mac)", "no arrow"),
      ("age-encryption.org/v1\n-> a\n\n---\n", "no MAC value"), ("age-encryption.org/v1\n-> a\n\n--- \n", "empty MAC"),
      (
        "age-encryption.org/v1\n-> a\n\n---  IoMpDGTVS4zBiBBGQHtHn5SZf2lTKlFKhwSDPFbVDMM\n", "two spaces before the MAC"
      ),
      ("age-encryption.org/v1\n-> a\n\n--- IoMpDGTVS4zBiBBGQHtHn5SZf2lTKlFKhwSDPFbVDMM \n", "space after the MAC"),
      ("age-encryption.org/v1\n-> a\n\n--- IoMpDGTVS4zBiBBGQHtHn5SZf2lTKlFKhwSDPFbVDMM=\n", "padded MAC"),
      ("age-encryption.org/v1\n-> a\n\n--- IoMpDGTVS4zBiBBGQHtHn5SZf2lTKlFKhwSDPFbVDMN\n", "stray bits in the MAC"),
      ("age-encryption.org/v1\n-> a\n\n--- IoMpDGTVS4zBiBBGQHtHn5SZf2lTKlFKhwSDPFbV\n", "short MAC"),
      ("age-encryption.org/v1\n-> a\n\n--- IoMpDGTVS4zBiBBGQHtHn5SZf2lTKlFKhwSDPFbVDMM", "no line feed after the MAC"),
      ("age-encryption.org/v1\n-> a\n\n---- IoMpDGTVS4zBiBBGQHtHn5SZf2lTKlFKhwSDPFbVDMM\n", "four dashes"),
    ])
  func malformed(text: String, fault: String) {
    expect(.malformedHeader) { _ = try header(text) }
    let pipe = Pipe(bytes(text), piece: 7)
    expect(.malformedHeader) { try pipe.open([]) }
    #expect(pipe.output.isEmpty, "\(fault)")
  }

  @Test("a fault in a header is told with its line")
  func line() {
    expect(.malformedHeader, line: 4) { _ = try header(text("-> a\n\nX\n")) }
    expect(.malformedHeader, line: 3) { _ = try header(text("-> a\nA\n")) }
  }

  @Test("a header of more than 1 MiB or 1000 stanzas is refused")
  func limits() throws {
    let stanza = "-> a\n\n"
    #expect(try header(text(String(repeating: stanza, count: 1000))).stanzas.count == 1000)
    expect(.tooLarge) { _ = try header(text(String(repeating: stanza, count: 1001))) }
    let long = text("-> " + String(repeating: "a", count: AgeHeader.maximumByteCount) + "\n\n")
    expect(.tooLarge) { _ = try header(long) }
    expect(.tooLarge) { try Pipe(bytes(long)).open([]) }
  }

  @Test("a stream without a header's end is given up after the limit, and foreign data at once")
  func endless() {
    final class Counter { var count = 0 }
    let counter = Counter()
    let start = bytes("age-encryption.org/v1\n-> ")
    expect(.tooLarge) {
      _ = try AgeReader(
        with: [],
        read: { span in
          for offset in 0..<span.byteCount {
            let position = counter.count + offset
            let octet = position < start.count ? start[position] : UInt8(ascii: "a")
            span.storeBytes(of: octet, toByteOffset: offset, as: UInt8.self)
          }
          counter.count += span.byteCount
          return span.byteCount
        })
    }
    #expect(counter.count <= 2 * AgeHeader.maximumByteCount)
    let foreign = Pipe([UInt8](repeating: 0, count: 1 << 20))
    expect(.malformedHeader, line: 1) { try foreign.open([]) }
    #expect(foreign.largestRequest <= 4096)
  }

  @Test("the work factor is known before any key is derived")
  func workFactor() throws {
    let salt = "ajMFur+EJLGaohv/dLRGnw"
    let body = "8SHBz/ldWnjyGFQqfjat6uNBarWqqEMDS7W8X7+Xq5Q\n"
    func factor(_ text: String) throws -> Int? {
      try header(self.text("-> scrypt \(salt) \(text)\n\(body)")).scryptWorkFactor()
    }
    #expect(try factor("18") == 18)
    #expect(try factor("999") == 999)
    #expect(try header(text("-> a\n\n")).scryptWorkFactor() == nil)
    for malformed in ["0", "018", "+18", "-1", "0x12", "18a", "1e1", "١٨"] {
      expect(.malformedHeader) { _ = try factor(malformed) }
    }
    expect(.workFactorOutOfRange) { _ = try factor("99999999999999999999") }
  }
}
