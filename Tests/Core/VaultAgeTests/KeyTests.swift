import Testing
import VaultCrypto
import VaultAge

@Suite("recipients and identities")
struct KeyTests {
  // The pair that the specification prints.
  private let identityText = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"
  private let recipientText = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"

  private func parseFile(_ text: String) throws -> [AgeIdentity] {
    let file = bytes(text)
    return try AgeIdentityFile.parse(RawSpan(_elements: file.span))
  }

  private func parseRecipients(_ text: String) throws -> [AgeRecipient] {
    let file = bytes(text)
    return try AgeRecipientsFile.parse(RawSpan(_elements: file.span))
  }

  @Test("the specification's identity gives the specification's recipient")
  func specification() throws {
    #expect(try identity(identityText).recipient.text == recipientText)
    guard case .x25519(let scalar, _) = try identity(identityText).kind else { Issue.record("another type"); return }
    #expect(contents(scalar) == [UInt8](repeating: 0x42, count: 32))
  }

  @Test("a generated identity comes back from its text, and no two are equal")
  func generated() throws {
    let first = try AgeIdentity.generate()
    let again = try first.text().withBytes { (text) throws(AgeError) in try AgeIdentity(parsing: text) }
    #expect(try again.recipient == first.recipient)
    #expect(try AgeIdentity.generate().recipient != first.recipient)
    #expect(try AgeRecipient(parsing: first.recipient.text) == first.recipient)
  }

  @Test(
    "a malformed recipient is refused",
    arguments: [
      "", "age1", "age", "AGE1ZVKYG2LQZRAA2LNJVQEJ32NKUU0UES2S82HZRYE869XEEXVN73EQUNUJWJ",
      " age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj",
      "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj\n",
      "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwk", "a12uel5l", "user@example.com",
    ])
  func malformedRecipient(text: String) {
    expect(.malformedRecipient) { _ = try AgeRecipient(parsing: text) }
  }

  @Test(
    "SSH and tagged recipients are refused by name",
    arguments: [
      ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIH9pO5pz22JZEasoS2LEWWvJiUYI9M6l1uZc31FGYMXa", "SSH"),
      ("ssh-rsa AAAAB3NzaC1yc2E=", "SSH"), ("age1tag1qqqqqqqq", "tagged"), ("age1tagpq1qqqqqqqq", "tagged"),
    ])
  func unsupportedRecipient(text: String, name: String) throws {
    let error = #expect(throws: AgeError.self) { _ = try AgeRecipient(parsing: text) }
    #expect(error?.code == .unsupportedRecipient)
    #expect(try #require(error).reason.contains(name))
  }

  @Test(
    "a malformed identity is refused",
    arguments: [
      "", "AGE-SECRET-KEY-1", "age-secret-key-1gfpyysjzgfpyysjzgfpyysjzgfpyysjzgfpyysjzgfpyysjzgfpq4egaex",
      "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEZ",
      "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX ", "A12UEL5L",
      "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj",
    ])
  func malformedIdentity(text: String) {
    expect(.malformedIdentity) { _ = try identity(text) }
  }

  @Test(
    "SSH and sealed identities are refused by name",
    arguments: [
      ("-----BEGIN OPENSSH PRIVATE KEY-----", "SSH"),
      ("age-encryption.org/v1", "age file"), ("-----BEGIN AGE ENCRYPTED FILE-----", "age file"),
    ])
  func unsupportedIdentity(text: String, name: String) throws {
    let error = #expect(throws: AgeError.self) { _ = try identity(text) }
    #expect(error?.code == .unsupportedIdentity)
    #expect(try #require(error).reason.contains(name))
  }

  @Test("an identity file may hold comments, empty lines, CRLF, several identities, and no last line feed")
  func identityFile() throws {
    let other = try AgeIdentity.generate()
    let otherText = String(decoding: contents(try other.text()), as: UTF8.self)
    let parsed = try parseFile("# a comment\r\n\r\n\(identityText)\r\n\n#\n\(otherText)")
    #expect(try parsed.map { try $0.recipient } == [try identity(identityText).recipient, other.recipient])
  }

  @Test("a fault in an identity file is told with its line, and a file without identity is refused")
  func identityFileFaults() {
    expect(.malformedIdentity, line: 3) { _ = try parseFile("# one\n\nAGE-SECRET-KEY-1QQ\n") }
    expect(.malformedIdentity, line: 1) { _ = try parseFile(" \(identityText)\n") }
    expect(.malformedIdentity, line: 2) { _ = try parseFile("\(identityText)\nAGE-PLUGIN-X-1QQ\n") }
    expect(.malformedIdentity) { _ = try parseFile("# only a comment\n") }
    expect(.malformedIdentity) { _ = try parseFile("") }
    expect(.tooLarge) { _ = try parseFile(String(repeating: "#", count: AgeIdentityFile.maximumByteCount + 1)) }
  }

  @Test("a written identity file has the three lines of age-keygen and is read again")
  func writtenIdentityFile() throws {
    let text = try AgeIdentityFile.text(identity(identityText), created: "2026-11-21T01:40:28Z")
    let expected = "# created: 2026-11-21T01:40:28Z\n# public key: \(recipientText)\n\(identityText)\n"
    #expect(String(decoding: contents(text), as: UTF8.self) == expected)
    #expect(try parseFile(expected).map { try $0.recipient.text } == [recipientText])
  }

  @Test("a line feed in the time of a new identity file stops the program")
  func lineFeedInTime() async {
    await #expect(processExitsWith: .failure) {
      _ = try AgeIdentityFile.text(AgeIdentity.generate(), created: "2026\nAGE-SECRET-KEY-1")
    }
  }

  @Test("a sealed identity file is known by its beginning, and nothing else is", arguments: [false, true])
  func sealedFile(_ isArmored: Bool) throws {
    let sealed = try seal(bytes("# mine\n\(identityText)\n"), passphrase: "words", workFactor: 10)
    let file = isArmored ? bytes("\n \n") + armor(sealed) : sealed
    let isSealed = AgeIdentityFile.isSealed(RawSpan(_elements: file.span))
    #expect(isSealed)
    let workFactor = try AgeIdentityFile.workFactor(ofSealed: RawSpan(_elements: file.span))
    #expect(workFactor == 10)
    func read(_ passphrase: String, maximum: Int = 20) throws -> [String] {
      try AgeIdentityFile.parse(
        RawSpan(_elements: file.span), passphrase: secret(passphrase), maximumWorkFactor: maximum
      ).map { try $0.recipient.text }
    }
    #expect(try read("words") == [recipientText])
    expect(.wrongPassphrase) { _ = try read("other") }
    expect(.workFactorOutOfRange) { _ = try read("words", maximum: 9) }
    for text in ["", "\n", identityText, "-----BEGIN OPENSSH PRIVATE KEY-----", "# age-encryption.org/v1"] {
      let other = bytes(text)
      let isSealed = AgeIdentityFile.isSealed(RawSpan(_elements: other.span))
      #expect(!isSealed, "\(text)")
    }
  }

  @Test("a sealed identity file in a sealed identity file is not opened, nor one that is sealed to a recipient")
  func sealedTwice() throws {
    let inner = try seal(bytes(identityText), passphrase: "words", workFactor: 10)
    let outer = try seal(inner, passphrase: "words", workFactor: 10)
    expect(.unsupportedIdentity, line: 1) {
      _ = try AgeIdentityFile.parse(RawSpan(_elements: outer.span), passphrase: secret("words"))
    }
    let forRecipient = try seal(bytes(identityText), to: [AgeRecipient(parsing: recipientText)])
    expect(.noMatchingIdentity) {
      _ = try AgeIdentityFile.parse(RawSpan(_elements: forRecipient.span), passphrase: secret("words"))
    }
  }

  @Test("a recipients file is read line by line, and a fault in it is told with its line")
  func recipientsFile() throws {
    #expect(try parseRecipients("# team\n\n\(recipientText)\r\n").map(\.text) == [recipientText])
    expect(.malformedRecipient, line: 2) { _ = try parseRecipients("# team\nage1qq\n") }
    expect(.unsupportedRecipient, line: 1) { _ = try parseRecipients("ssh-rsa AAAA\n") }
    expect(.malformedRecipient) { _ = try parseRecipients("\n") }
  }

  @Test("an identity prints its recipient and nothing of its scalar, and an error nothing of its input")
  func printing() throws {
    let identity = try identity(identityText)
    var dumped = ""
    dump(identity, to: &dumped)
    for printed in ["\(identity)", String(reflecting: identity), dumped] {
      #expect(!printed.contains("GFPYYSJZ"))
      #expect(!printed.contains("66"))
      #expect(!printed.contains("4242"))
      #expect(printed.contains("age1zvkyg"))
    }
    for text in ["AGE-SECRET-KEY-1MARKER", "AGE-PLUGIN-MARKER-1QQ", "age1marker1qq", "MARKER"] {
      let fromIdentity = #expect(throws: AgeError.self) { _ = try VaultAgeTests.identity(text) }
      let fromRecipient = #expect(throws: AgeError.self) { _ = try AgeRecipient(parsing: text) }
      for error in [fromIdentity, fromRecipient] {
        #expect(!String(reflecting: error).lowercased().contains("marker"))
      }
    }
  }
}
