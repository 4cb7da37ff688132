import Testing
import VaultAge
import VaultCrypto
import VaultTestSupport

@Suite("post-quantum recipients and identities")
struct HybridTests {
  // The pair that the specification prints; of its recipient, which has 1,959 characters, the hash.
  private let identityText = "AGE-SECRET-KEY-PQ-1XX76JRALNLXDMEW0CRK45QMCCH4X06SE84UN3VPM33W6HWDX0H3SK3ZQFR"
  private let recipientHash = "a091dd7e0ee9d62b75173dcc98441a0424baa941e66a8776e570a4ae60ff61ea"

  private static let reason = "post-quantum keys need OpenSSL (libcrypto) 3.5 or later"

  private func hasLibrary(forCases count: Int) -> Bool {
    Need.postQuantum.isMet(forCases: count, of: "post-quantum recipients and identities")
  }

  /// A recipient of a key that nobody has, for tests of its form. Its ML-KEM half is valid: all coefficients are 0.
  private func strangerText() -> String { Bech32.text(prefix: "age1pq", [UInt8](repeating: 0, count: 1216)) }

  @Test("the specification's identity gives the specification's recipient")
  func specification() throws {
    guard hasLibrary(forCases: 1) else { return }
    let recipient = try identity(identityText).recipient
    let text = bytes(recipient.text)
    #expect(text.count == 1959)
    #expect(try hex(SHA256.hash(RawSpan(_elements: text.span))) == recipientHash)
    #expect(try AgeRecipient(parsing: recipient.text) == recipient)
    #expect(try contents(identity(identityText).text()) == bytes(identityText))
  }

  @Test("a generated identity comes back from its file, and no two are equal")
  func generated() throws {
    guard hasLibrary(forCases: 1) else { return }
    let first = try AgeIdentity.generatePostQuantum()
    let file = try AgeIdentityFile.text(first, created: "2026-11-21T01:40:28Z")
    let again = try file.withBytes { (file) throws(AgeError) in try AgeIdentityFile.parse(file) }
    #expect(try again.map { try $0.recipient } == [first.recipient])
    #expect(try first.recipient.isPostQuantum)
    #expect(try AgeIdentity.generatePostQuantum().recipient != first.recipient)
  }

  @Test("each recipient's identity opens a file, beside those of others; nobody else does")
  func files() throws {
    guard hasLibrary(forCases: 1) else { return }
    let (one, other, stranger) = try (
      AgeIdentity.generatePostQuantum(), AgeIdentity.generatePostQuantum(), AgeIdentity.generatePostQuantum()
    )
    let file = try seal([1, 2, 3], to: [one.recipient, other.recipient])
    #expect(try open(file, [.identity(one)]) == [1, 2, 3])
    #expect(try open(file, [.identity(stranger), .identity(AgeIdentity.generate()), .identity(other)]) == [1, 2, 3])
    expect(.noMatchingIdentity) { _ = try open(file, [.identity(stranger), .identity(AgeIdentity.generate())]) }
    #expect(try header(file).stanzas.map(\.type) == ["mlkem768x25519", "mlkem768x25519"])
    #expect(try header(file).stanzas.map(\.body.count) == [32, 32])
  }

  @Test("a recipient is read and written with every OpenSSL, and is strict in its form")
  func form() throws {
    let text = strangerText()
    let recipient = try AgeRecipient(parsing: text)
    #expect(recipient.text == text && recipient.isPostQuantum && recipient.pluginName == nil)
    let wrong = [
      "age1pq1qqqqqqqq", "age1pq1", text.uppercased(), String(text.dropLast()) + "q", text + "q", " " + text,
      Bech32.text(prefix: "age1pq", [UInt8](repeating: 0, count: 1215)),
      Bech32.text(prefix: "age1pq", [UInt8](repeating: 0, count: 1217)),
      Bech32.text(prefix: "age1pq", [UInt8](repeating: 0, count: 32)),
      Bech32.text(prefix: "age", [UInt8](repeating: 0, count: 1216)),
    ]
    for text in wrong { expect(.malformedRecipient) { _ = try AgeRecipient(parsing: text) } }
  }

  @Test("an identity of another form is refused before OpenSSL is asked")
  func identityForm() {
    let wrong = [
      "AGE-SECRET-KEY-PQ-1", identityText.lowercased(), String(identityText.dropLast()) + "Q", identityText + " ",
      Bech32.text(prefix: "AGE-SECRET-KEY-PQ-", [UInt8](repeating: 0, count: 31)),
      Bech32.text(prefix: "AGE-SECRET-KEY-PQ-", [UInt8](repeating: 0, count: 64)),
      Bech32.text(prefix: "AGE-SECRET-KEY-", [UInt8](repeating: 0, count: 33)),
    ]
    for text in wrong { expect(.malformedIdentity) { _ = try identity(text) } }
  }

  @Test("post-quantum and other recipients are not sealed into one file")
  func mixed() throws {
    guard hasLibrary(forCases: 2) else { return }
    let recipients = try [AgeIdentity.generatePostQuantum().recipient, AgeIdentity.generate().recipient]
    for recipients in [recipients, recipients.reversed()] {
      expect(.mixedRecipients) { _ = try seal([1], to: recipients) }
      expect(.mixedRecipients) { try AgeRecipient.requireUsable(recipients) }
    }
  }

  @Test("a recipient whose ML-KEM half is not a key, or whose X25519 half is of low order, is refused")
  func badKeys() throws {
    guard hasLibrary(forCases: 2) else { return }
    let good = [UInt8](repeating: 9, count: 32)
    let notAKey = Bech32.text(prefix: "age1pq", [UInt8](repeating: 0xFF, count: 1184) + good)
    expect(.malformedRecipient) { _ = try seal([1], to: [AgeRecipient(parsing: notAKey)]) }
    expect(.lowOrderShare) { _ = try seal([1], to: [AgeRecipient(parsing: strangerText())]) }
  }

  @Test("with an older OpenSSL one sentence refuses to seal, to read an identity and to make one; other keys go on")
  func olderLibrary() throws {
    guard !Need.postQuantum.isMet else { return }
    let stranger = try AgeRecipient(parsing: strangerText())
    let refusals = [
      #expect(throws: AgeError.self) { _ = try seal([1], to: [stranger]) },
      #expect(throws: AgeError.self) { try AgeRecipient.requireUsable([stranger]) },
      #expect(throws: AgeError.self) { _ = try identity(identityText) },
      #expect(throws: AgeError.self) { _ = try AgeIdentity.generatePostQuantum() },
    ]
    for refusal in refusals {
      #expect(refusal?.reason == Self.reason)
      #expect(refusal?.isOfOlderLibrary == true)
    }
    #expect(
      refusals.map { $0?.code } == [
        .unsupportedRecipient, .unsupportedRecipient, .unsupportedIdentity, .unsupportedIdentity,
      ])
    let file = bytes("# one\n\(identityText)\n")
    expect(.unsupportedIdentity, line: 2) { _ = try AgeIdentityFile.parse(RawSpan(_elements: file.span)) }
  }

  @Test("a post-quantum identity prints its recipient and nothing of its seed")
  func printing() throws {
    guard hasLibrary(forCases: 1) else { return }
    let identity = try identity(identityText)
    var dumped = ""
    dump(identity, to: &dumped)
    for printed in ["\(identity)", String(reflecting: identity), dumped] {
      #expect(!printed.uppercased().contains("XX76JRALNL"))
      #expect(printed.contains("age1pq1"))
    }
  }
}
