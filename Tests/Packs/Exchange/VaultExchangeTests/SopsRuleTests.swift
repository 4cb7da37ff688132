import Testing
import VaultAge
import VaultCrypto
import VaultDocument
import VaultExchange

@Suite("What the rules of a SOPS file mean")
struct SopsRuleTests {
  private let identity: AgeIdentity
  private let key: [UInt8]

  init() throws {
    identity = try AgeIdentity.generate()
    key = (0..<32).map { UInt8($0) }
  }

  /// A value as sops seals it.
  private func token(_ text: String, _ associated: String, type: String = "str") throws -> String {
    let (plain, data) = (Array(text.utf8), Array(associated.utf8))
    let box = try AESGCM.seal(
      RawSpan(_elements: plain.span), key: RawSpan(_elements: key.span), associatedData: RawSpan(_elements: data.span))
    let (nonce, sealed, tag) = (Array(box[..<12]), Array(box[12..<box.count - 16]), Array(box.suffix(16)))
    return
      "ENC[AES256_GCM,data:\(Base64.encode(sealed)),iv:\(Base64.encode(nonce)),tag:\(Base64.encode(tag)),type:\(type)]"
  }

  /// A file with these members, the MAC over `hashed`, and more metadata of sops.
  private func file(_ members: String, hashed: [UInt8], _ rules: String) throws -> String {
    let age = try AgeFile.seal(RawSpan(_elements: key.span), to: [identity.recipient])
    let armor = String(decoding: AgeArmor.encode(RawSpan(_elements: age.span)), as: UTF8.self)
    let moment = "2026-01-01T00:00:00Z"
    let hash = Hex.encode(try SHA512.hash(RawSpan(_elements: hashed.span))).uppercased()
    return """
      {\(members), "sops": {"age": [{"recipient": "x", "enc": "\(armor.replacing("\n", with: "\\n"))"}],
       "lastmodified": "\(moment)", "mac": "\(try token(hash, moment))"\(rules)}}
      """
  }

  private func record(_ text: String) throws -> ImportedRecord {
    var options = ImportOptions()
    options.identities = [identity]
    return try #require(try Imported("sops-json", text, options: options).records.first)
  }

  @Test("the MAC may be over sealed values alone, and then begins with the hash of a word")
  func sealedOnly() throws {
    let word = Array("sops".utf8)
    let start = try SHA256.hash(RawSpan(_elements: word.span))
    let members = #""b": "\#(try token("secret", "b:"))", "a_unencrypted": "open""#
    let text = try file(members, hashed: start + Array("secret".utf8), #", "mac_only_encrypted": true"#)
    #expect(try record(text).text("secrets.b") == "secret")
    #expect(try record(text).text("fields.a_unencrypted") == "open")
    let all = try file(members, hashed: Array("secretopen".utf8), "")
    #expect(try record(all).text("secrets.b") == "secret")
    let wrong = try file(members, hashed: Array("secretopen".utf8), #", "mac_only_encrypted": true"#)
    #expect(throws: ExchangeError(.notAuthentic, "")) { _ = try record(wrong) }
  }

  @Test("values count in the order of the file, numbers in digits without an exponent, flags as words")
  func order() throws {
    let members = #""z": 1.50, "a": true, "m": [1e3, 12, null], "e": {}, "k": "\#(try token("7", "k:", type: "int"))""#
    let text = try file(members, hashed: Array("1.5True1000127".utf8), #", "encrypted_regex": "^k$""#)
    #expect(try record(text).text("secrets.k") == "7")
  }

  @Test("a name anywhere above decides by pattern")
  func patterns() throws {
    let members = #""data": {"x": "\#(try token("s", "data:x:"))"}, "kind": "Secret""#
    let text = try file(members, hashed: Array("sSecret".utf8), #", "encrypted_regex": "^(data|stringData)$""#)
    #expect(try record(text).text("secrets[\"data.x\"]") == "s")
    #expect(try record(text).text("fields.kind") == "Secret")
  }

  @Test("a value in clear where the rules want it sealed is no value of the file")
  func clear() throws {
    let text = try file(#""a": "clear""#, hashed: Array("clear".utf8), "")
    let error = #expect(throws: ExchangeError.self) { _ = try record(text) }
    #expect(error?.code == .notAuthentic)
    #expect(error?.place?.path == "a")
  }

  @Test("two rules, rules in comments, and groups of keys are refused")
  func refusedRules() throws {
    let rules = [
      #", "encrypted_regex": "a", "unencrypted_suffix": "b""#, #", "encrypted_comment_regex": "a""#,
      #", "encrypted_regex": "(?=a)""#, #", "key_groups": [{"age": []}, {"age": []}]"#,
    ]
    for rule in rules {
      let text = try file(#""a": "\#(try token("s", "a:"))""#, hashed: Array("s".utf8), rule)
      #expect(throws: ExchangeError.self, "\(rule)") { _ = try record(text) }
    }
  }
}
