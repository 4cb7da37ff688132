import Testing
import VaultTestSupport

@testable import VaultAge

@Suite("age files made by others")
struct SharedFileTests {
  private func data(_ name: String) throws -> [UInt8] { try SharedData.bytes("vectors/age-files/\(name)") }

  private func credentials(_ name: String) throws -> [AgeCredential] {
    let file = try data(name)
    return try AgeIdentityFile.parse(RawSpan(_elements: file.span)).map { .identity($0) }
  }

  @Test("each identity of the key pairs gives the recipient beside it, and both texts come back unchanged")
  func keyPairs() throws {
    guard SharedData.isPresent else { return print("age key pairs: 0 run, 7 not run (../shared is absent)") }
    let pairs = try Self.pairs(String(decoding: data("age-keypairs.json"), as: UTF8.self))
    for (identityText, recipientText) in pairs {
      let identity = try identity(identityText)
      #expect(identity.recipient.text == recipientText)
      #expect(try AgeRecipient(parsing: recipientText) == identity.recipient)
      #expect(contents(try identity.text()) == bytes(identityText))
    }
    print("age key pairs: \(pairs.count) run")
    #expect(pairs.count > 5)
  }

  // The values hold no escapes, so the quoted strings can be picked out without a JSON parser.
  private static func pairs(_ json: String) -> [(String, String)] {
    let strings = json.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    var pairs: [(String, String)] = []
    var identity = ""
    for (name, value) in zip(strings, strings.dropFirst()) {
      if name == "identity" { identity = value }
      if name == "recipient" { pairs.append((identity, value)) }
    }
    return pairs
  }

  @Test("age files of other implementations open, or are refused, as they should")
  func files() throws {
    guard SharedData.isPresent else { return print("age files: 0 run, 10 not run (../shared is absent)") }
    #expect(try !open(data("example.age"), credentials("example_keys.txt")).isEmpty)
    let armored = try data("armored_with_leading_and_trailing_whitespace.txt")
    #expect(try !open(armored, credentials("armored_ws_key.txt"), .armored).isEmpty)
    #expect(try !open(armored, credentials("armored_ws_key.txt"), .detected).isEmpty)
    expect(.malformedHeader) { _ = try open(armored, credentials("armored_ws_key.txt")) }
    expect(.noMatchingIdentity) { _ = try open(data("example.age"), credentials("x25519_key.txt")) }
    // Written by an early implementation: its grease stanza lacks the empty last line that the specification demands.
    expect(.malformedHeader) { _ = try open(data("empty_recipient_body.age"), credentials("x25519_key.txt")) }
    let passphrase = String(decoding: try data("fail_large_filekey_scrypt_password.txt"), as: UTF8.self)
    expect(.malformedHeader) {
      _ = try open(data("fail_large_filekey_scrypt.age"), [.passphrase(secret(passphrase.filter { $0 != "\n" }))])
    }
    expect(.unsupportedIdentity) { _ = try credentials("ssh_ed25519_key.pem") }
    expect(.unsupportedIdentity) { _ = try credentials("empty_recipient_body_key.txt") }
    let sshRecipient = String(decoding: try data("ssh_ed25519_key.pem.pub"), as: UTF8.self)
    expect(.unsupportedRecipient) { _ = try AgeRecipient(parsing: sshRecipient) }
    print("age files: 10 run")
  }
}
