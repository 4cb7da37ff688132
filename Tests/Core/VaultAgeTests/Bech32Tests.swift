import Testing
import VaultAge

@Suite("Bech32")
struct Bech32Tests {
  private func decode(_ text: String) throws(Bech32.Fault) -> [UInt8] {
    let characters = bytes(text)
    let span = RawSpan(_elements: characters.span)
    let layout = try Bech32.check(span)
    var decoded = [UInt8](repeating: 0, count: layout.byteCount)
    var elements = decoded.mutableSpan
    var output = MutableRawSpan(_elements: &elements)
    Bech32.decode(span, layout, into: &output)
    return decoded
  }

  private func encode(_ data: [UInt8], prefix: StaticString) -> String {
    var text = [UInt8](repeating: 0, count: Bech32.encodedCount(prefix: prefix.utf8CodeUnitCount, data: data.count))
    var elements = text.mutableSpan
    var output = MutableRawSpan(_elements: &elements)
    Bech32.encode(prefix: prefix, RawSpan(_elements: data.span), into: &output)
    return String(decoding: text, as: UTF8.self)
  }

  @Test("the valid strings of BIP 173 with whole bytes are accepted")
  func validStrings() throws {
    #expect(try decode("A12UEL5L").isEmpty)
    #expect(try decode("a12uel5l").isEmpty)
    let text = "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw"
    #expect(try hex(decode(text)) == "00443214c74254b635cf84653a56d7c675be77df")
    #expect(try decode("split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w").count == 30)
  }

  @Test(
    "a malformed string is refused",
    arguments: [
      ("", "no separator"), ("pzry9x0s0muk", "no separator"), ("1pzry9x0s0muk", "empty prefix"),
      ("x1b4n0q5v", "character outside the alphabet"), ("li1dgmt3", "short checksum"), ("A1G7SGD8", "wrong checksum"),
      ("10a06t8", "empty prefix"), ("1qzzfhee", "empty prefix"), ("A12uEL5L", "mixed case"),
      ("\u{20}1nwldj5", "space in the prefix"), ("\u{7F}1axkwrx", "control character"),
      ("an84characterslonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1569pvz", "checksum"),
    ])
  func malformed(text: String, fault: String) {
    #expect(throws: Bech32.Fault.self, "\(fault)") { _ = try decode(text) }
  }

  @Test("one changed character is always noticed")
  func changedCharacter() throws {
    let text = bytes("age1xmwwc06ly3ee5rytxm9mflaz2u56jjj36s0mypdrwsvlul66mv4q47ryef")
    for offset in text.indices {
      var changed = text
      changed[offset] = changed[offset] == UInt8(ascii: "q") ? UInt8(ascii: "p") : UInt8(ascii: "q")
      #expect(throws: Bech32.Fault.self) { _ = try decode(String(decoding: changed, as: UTF8.self)) }
    }
  }

  @Test("encoding is the inverse of decoding for every length")
  func roundTrip() throws {
    var pattern = Pattern(seed: 1)
    for count in 0...70 {
      let data = pattern.bytes(count)
      #expect(try decode(encode(data, prefix: "age")) == data)
      #expect(try decode(encode(data, prefix: "AGE-SECRET-KEY-")) == data)
    }
  }

  @Test("padding bits that are not zero, or five and more of them, are refused")
  func padding() throws {
    // One byte is two groups, of which two bits are padding; built with the checksum of the right text replaced.
    #expect(throws: Bech32.Fault.self) { _ = try decode(Self.withChecksum([0, 1])) }
    #expect(throws: Bech32.Fault.self) { _ = try decode(Self.withChecksum([0, 0, 0])) }
    #expect(try decode(Self.withChecksum([0, 4])) == [1])
  }

  /// `age1` text of any five-bit groups, with a valid checksum found by an independent formula.
  private static func withChecksum(_ groups: [UInt8]) -> String {
    let generator: [UInt32] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3]
    let prefix = bytes("age")
    var sum: UInt32 = 1
    for value in prefix.map({ $0 >> 5 }) + [0] + prefix.map({ $0 & 31 }) + groups + [0, 0, 0, 0, 0, 0] {
      let top = sum >> 25
      sum = (sum & 0x1ff_ffff) << 5 ^ UInt32(value)
      for bit in 0..<5 where top >> UInt32(bit) & 1 == 1 { sum ^= generator[bit] }
    }
    let checksum = (0..<6).map { UInt8((sum ^ 1) >> UInt32(5 * (5 - $0)) & 31) }
    let alphabet = bytes("qpzry9x8gf2tvdw0s3jn54khce6mua7l")
    return "age1" + String(decoding: (groups + checksum).map { alphabet[Int($0)] }, as: UTF8.self)
  }
}
