import Testing
import VaultAge

@Suite("age armor")
struct ArmorTests {
  private static let begin = "-----BEGIN AGE ENCRYPTED FILE-----\n"
  private static let end = "-----END AGE ENCRYPTED FILE-----\n"
  private static let full = String(repeating: "A", count: 64) + "\n"

  @Test("armor comes back as it went in", arguments: [0, 1, 2, 3, 47, 48, 49, 96, 1000])
  func roundTrip(count: Int) throws {
    var pattern = Pattern(seed: 3)
    let file = pattern.bytes(count)
    let text = armor(file)
    #expect(try dearmor(text) == file)
    #expect(text.split(separator: UInt8(ascii: "\n")).allSatisfy { $0.count <= 64 })
  }

  @Test(
    "white space around the block, CRLF, a full last line and a missing last line feed are accepted",
    arguments: [
      ("\n \t\n\r\n\(begin)AAAA\n\(end)\n \r\n\t", 3),
      ("-----BEGIN AGE ENCRYPTED FILE-----\r\nAAAA\r\n-----END AGE ENCRYPTED FILE-----\r\n", 3),
      ("\(begin)\(full)\(end)", 48), ("\(begin)AA==\n-----END AGE ENCRYPTED FILE-----", 1),
    ])
  func accepted(text: String, byteCount: Int) throws {
    #expect(try dearmor(bytes(text)) == [UInt8](repeating: 0, count: byteCount))
  }

  @Test(
    "malformed armor is refused",
    arguments: [
      ("", "empty"), ("AAAA\n", "no begin line"), ("\(begin)AAAA\n", "no end line"), (begin, "only a begin line"),
      ("x\(begin)AAAA\n\(end)", "garbage before"), (" \(begin)AAAA\n\(end)", "space before the begin line"),
      ("\(begin)AAAA\n\(end)x", "garbage behind"), ("\(begin)AAAA\n \(end)", "space before the end line"),
      ("\(begin)AAAA\n-----END AGE ENCRYPTED FILE----- \n", "space behind the end line"),
      ("\(begin)Version: 1\n\nAAAA\n\(end)", "PEM header"), ("\(begin)\nAAAA\n\(end)", "empty line first"),
      ("\(begin)AAAA\n\n\(end)", "empty line last"), ("\(begin)AAAA\nAAAA\n\(end)", "short line inside"),
      ("\(begin)AA==\nAAAA\n\(end)", "padding inside"), ("\(begin)AAAA \n\(end)", "space in a line"),
      ("\(begin)\(full.dropLast())A\n\(end)", "65 columns"), ("\(begin)AAA\n\(end)", "no padding"),
      ("\(begin)AB==\n\(end)", "stray bits"), ("\(begin)AA=\n=\n\(end)", "line feed inside the padding"),
      ("\(begin)A===\n\(end)", "three padding characters"), ("\(begin)AAAA====\n\(end)", "four padding characters"),
      ("\(begin)AAAA\r\(end)", "CR alone"), ("\(begin)A-_A\n\(end)", "base64url"),
      ("-----BEGIN age ENCRYPTED FILE-----\nAAAA\n\(end)", "lower-case label"),
      ("-----BEGIN PGP MESSAGE-----\nAAAA\n-----END PGP MESSAGE-----\n", "another label"),
      (String(repeating: "\n", count: 1025) + "\(begin)AAAA\n\(end)", "too much white space before"),
      ("\(begin)AAAA\n\(end)" + String(repeating: "\n", count: 1025), "too much white space behind"),
      (String(repeating: " ", count: 5000) + "\n\(begin)AAAA\n\(end)", "an overlong line"),
    ])
  func malformed(text: String, fault: String) {
    expect(.malformedArmor) { _ = try dearmor(bytes(text)) }
    expect(.malformedArmor) { try Pipe(bytes(text), piece: 3).open([], .armored) }
  }

  @Test("a fault in armor is told with its line")
  func line() {
    expect(.malformedArmor, line: 3) { _ = try dearmor(bytes("\n\(Self.begin)!\n")) }
  }

  @Test("binary and armored input are told apart only when asked to, and a slot must be binary")
  func detection() throws {
    let identity = try AgeIdentity.generate()
    let binary = try seal([1, 2, 3], to: [identity.recipient])
    for file in [binary, armor(binary), bytes("\n \n") + armor(binary)] {
      #expect(try open(file, [.identity(identity)], .detected) == [1, 2, 3])
      let pipe = Pipe(file, piece: 1)
      try pipe.open([.identity(identity)], .detected)
      #expect(pipe.output == [1, 2, 3])
    }
    expect(.malformedHeader) { _ = try open(armor(binary), [.identity(identity)]) }
    expect(.malformedArmor) { _ = try open(binary, [.identity(identity)], .armored) }
  }
}
