import VaultAge
import VaultCrypto

/// The text forms of age: armored files, identity files, recipients files.
enum ArmorTarget: FuzzTarget {
  static let name = "armor"

  private static let credentials: [AgeCredential] = [.identity(Fixture.identity)]

  static func seeds() throws -> [[UInt8]] {
    let file = try AgeIdentityFile.text(Fixture.identity, created: "2026-11-21T01:40:28Z")
    let own = try Fixture.identity.recipient.text
    let recipients = "# who\n\(own)\r\n\n\(own)"
    // Bound to a name of its own: a span must not outlive what it was taken of.
    let slotFile = Fixture.slotFile
    let armor = AgeArmor.encode(RawSpan(_elements: slotFile.span))
    return [
      armor, Array(" \r\n".utf8) + armor.flatMap { $0 == 10 ? [13, 10] : [$0] } + Array("\t\n".utf8),
      AgeArmor.encode(RawSpan(_elements: [1, 2, 3, 4].span)),
      AgeArmor.encode(RawSpan(_elements: [UInt8](repeating: 1, count: 48).span)),
      file.withBytes { AgeFileReader.copied($0) }, Array(recipients.utf8), Array("AGE-SECRET-KEY-PQ-1".utf8),
      Array("age1yubikey1qqqq".utf8),
    ]
  }

  static func check(_ input: [UInt8]) {
    require(
      (try? AgeArmor.decode(RawSpan(_elements: AgeArmor.encode(RawSpan(_elements: input.span)).span))) == input,
      "armor gives back the file")
    if let file = try? AgeArmor.decode(RawSpan(_elements: input.span)) {
      require(
        AgeArmor.encode(RawSpan(_elements: file.span)) == plain(input),
        "armor has one spelling but for line ends and white space around it")
      checkOpening(input, file)
    }
    checkKeys(input)
  }

  /// Armored text without white space around it, with LF line ends.
  private static func plain(_ text: [UInt8]) -> [UInt8] {
    let isSpace: (UInt8) -> Bool = { $0 == 32 || (9...13).contains($0) }  // W of RFC 7468
    let inner = text.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
    return inner.filter { $0 != 13 } + [10]
  }

  private static func checkOpening(_ input: [UInt8], _ file: [UInt8]) {
    let binary = AgeFileReader.open(file, credentials: credentials, encoding: .binary)
    let results = [
      AgeFileReader.open(input, credentials: credentials, encoding: .armored),
      AgeFileReader.open(input, credentials: credentials, encoding: .detected),
      AgeFileReader.stream(input, credentials: credentials, encoding: .armored, pieceByteCount: 1),
      AgeFileReader.stream(input, credentials: credentials, encoding: .detected, pieceByteCount: 100),
    ]
    for result in results {
      switch (binary, result) {
      case (.success(let left), .success(let right)): require(left == right, "armored and binary hold the same")
      case (.failure(let left), .failure(let right)): require(left.code == right.code, "armored and binary fail alike")
      default: broken("armored and binary are opened and refused alike")
      }
    }
  }

  private static func checkKeys(_ input: [UInt8]) {
    for identity in (try? AgeIdentityFile.parse(RawSpan(_elements: input.span))) ?? [] {
      let text = must("an identity can be written") { () throws(AgeError) in try identity.text() }
      let again = must("a written identity can be read") { () throws(AgeError) in
        try text.withBytes { bytes throws(AgeError) in try AgeIdentity(parsing: bytes) }
      }
      require((try? again.recipient) == (try? identity.recipient), "a written identity is the same")
    }
    for recipient in (try? AgeRecipientsFile.parse(RawSpan(_elements: input.span))) ?? [] {
      let again = must("a written recipient can be read") { () throws(AgeError) in
        try AgeRecipient(parsing: recipient.text)
      }
      require(again == recipient, "a written recipient is the same")
    }
  }
}
