import Testing
import VaultTestSupport
import VaultAge

@Suite("age files made by others")
struct SharedFileTests {
  private func data(_ name: String) throws -> [UInt8] { try SharedData.bytes("vectors/age-files/\(name)") }

  private static func names() throws -> [String] {
    try SharedData.names(in: "vectors/age-files").filter { $0 != "SOURCES.md" }
  }

  private func credentials(_ name: String) throws -> [AgeCredential] {
    let file = try data(name)
    return try AgeIdentityFile.parse(RawSpan(_elements: file.span)).map { .identity($0) }
  }

  @Test("each identity of the key pairs gives the recipient beside it, and both texts come back unchanged")
  func keyPairs() throws {
    guard SharedData.isPresent(forCases: 7, of: "age key pairs") else { return }
    let names = try Self.names().filter { $0.hasSuffix(".json") }
    let all = try names.flatMap { try Self.pairs(String(decoding: data($0), as: UTF8.self)) }
    let pairs = all.filter { pair in
      pair.0.hasPrefix("AGE-SECRET-KEY-1") || Need.postQuantum.isMet && pair.0.hasPrefix("AGE-SECRET-KEY-PQ-1")
    }
    for (identityText, recipientText) in pairs {
      let identity = try identity(identityText)
      #expect(try identity.recipient.text == recipientText)
      #expect(try AgeRecipient(parsing: recipientText) == identity.recipient)
      #expect(contents(try identity.text()) == bytes(identityText))
    }
    print("age key pairs: \(pairs.count) run, \(all.count - pairs.count) not applicable (another kind of key)")
    #expect(!pairs.isEmpty)
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
    guard SharedData.isPresent(forCases: 10, of: "age files") else { return }
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

  @Test("any file opens with the key or passphrase beside it, and is refused where it is named fail_")
  func anyFile() throws {
    guard SharedData.isPresent(forCases: 12, of: "any age file") else { return }
    var tally = CaseTally("any age file")
    let names = try Self.names()
    let keys = names.flatMap { name in (try? credentials(name)) ?? [] }
    for name in names {
      let file = try data(name)
      guard AgeEncoding.isFile(file) else {
        tally.notApplicable("no age file")
        continue
      }
      let passphrase = try name.passphraseFile(in: names).map { String(decoding: try data($0), as: UTF8.self) }
      let own = try passphrase.map { [AgeCredential.passphrase(try secret($0.filter { $0 != "\n" }))] }
      let outcome = Result { try open(file, own ?? keys, .detected) }
      switch outcome {
      case .success: #expect(!name.hasPrefix("fail_"), "\(name)")
      case .failure(let error as AgeError):
        // Without a supported kind of key, the only verdict is that the file cannot be opened.
        let hasKey = own != nil || names.contains { $0.isKey(of: name) && (try? credentials($0)) != nil }
        #expect(name.hasPrefix("fail_") || !hasKey, "\(name): \(error)")
        if !name.hasPrefix("fail_"), !hasKey {
          tally.notApplicable("\(name): no key of a kind that is here: \(error.code)")
          continue
        }
      case .failure(let error): Issue.record("\(name): another kind of error: \(error)")
      }
      tally.ran()
    }
    tally.report()
    #expect(tally.totalCount == names.count)
    #expect(tally.runCount > 0)
  }
}

extension AgeEncoding {
  /// Whether the bytes say that they are an age file, in either form.
  fileprivate static func isFile(_ file: [UInt8]) -> Bool {
    let text = String(decoding: file.prefix(4096), as: UTF8.self)
    return text.hasPrefix("age-encryption.org/") || text.contains("-----BEGIN AGE ENCRYPTED FILE-----")
  }
}

extension String {
  /// Without its last ending.
  private var stem: Substring { self[..<(lastIndex(of: ".") ?? endIndex)] }

  /// Whether a file of this name holds the key of another, by how they are named: `x.age` and `x_key.txt`, or
  /// `x_keys.txt`.
  fileprivate func isKey(of file: String) -> Bool { self == file.stem + "_key.txt" || self == file.stem + "_keys.txt" }

  fileprivate func passphraseFile(in names: [String]) -> String? { names.first { $0 == stem + "_password.txt" } }
}
