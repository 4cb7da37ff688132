#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import VaultCrypto
import VaultDocument
import VaultSealing
import VaultStorage

/// The small texts of the format: tokens, wrapped keys, ids, dates, base64, hex, places, paths. Each input is read as
/// all.
enum TokenTarget: FuzzTarget {
  static let name = "token"

  private static let context = Fixture.keys.context(sealingAt: Fixture.now)
  private static let cryptoKit = must("the CryptoKit context") { () throws in
    try SealingContext(cryptoKitKey: SecretBytes(copying: RawSpan(_elements: [UInt8](repeating: 7, count: 32).span)))
  }

  static func seeds() throws -> [[UInt8]] {
    let tokens = try ["", "x", String(repeating: "long ", count: 60)].map { text in
      try Fixture.keys.seal(RawSpan(_elements: Array(text.utf8).span), at: Fixture.now)
    }
    let texts = [
      "es2:x", Fixture.wrappedKey.text, Fixture.recordID.text, Fixture.root.id.description, "20261121T014028Z",
      "2026-11-21T01:40:28Z", "0001-01-01T00:00:00.000000001+23:59", "9999-12-31T23:59:59.999-00:01",
      "2000-02-29T12:00:00Z", "contact_info.email", #"tags[0]["odd.\u00e9\"name"][12].x"#, ".", "Zm9vYg==", "Zm9vYg",
      "00ff", StoreLocation.record(Fixture.recordID).relativePath, "trash/../vault.json", "-1.5e10",
    ]
    return (tokens + texts).map { Array($0.utf8) }
  }

  static func check(_ input: [UInt8]) {
    checkBytes(input)
    checkSealing(input)
    guard let text = String(validating: input, as: UTF8.self) else { return }
    checkToken(text)
    checkDates(text)
    checkNames(text)
    checkEncodings(text)
  }

  // MARK: Any bytes

  private static func checkBytes(_ input: [UInt8]) {
    require((try? Base64.decode(Base64.encode(input))) == input, "base64 gives back the bytes")
    require((try? Base64.decodeURL(Base64.encodeURL(input))) == input, "base64url gives back the bytes")
    require((try? Hex.decode(Hex.encode(input))) == input, "hex gives back the bytes")
  }

  /// Any text is sealed and opened; a token with one changed byte does not open.
  private static func checkSealing(_ input: [UInt8]) {
    let isUTF8 = String(validating: input, as: UTF8.self) != nil
    let sealed = outcome { () throws(SealingError) in
      try Fixture.keys.seal(RawSpan(_elements: input.span), at: Fixture.now)
    }
    let token: String
    switch sealed {
    case .success(let text): token = text
    case .failure(let error):
      return require(!isUTF8 && error.code == .malformedPlaintext, "only what is no UTF-8 cannot be sealed")
    }
    require(isUTF8, "what is no UTF-8 is not sealed")
    require((try? Fixture.keys.reveal(token)).map { Array($0.utf8) } == input, "a token opens to what was sealed")
    var changed = Array(token.utf8)
    let place = input.reduce(0) { ($0 &* 31 &+ Int($1)) % changed.count }
    changed[place] ^= 1 << UInt8(input.count & 7)
    guard let text = String(validating: changed, as: UTF8.self) else { return }
    require((try? Fixture.keys.reveal(text)) == nil, "a token that was changed does not open")
  }

  // MARK: Tokens

  private static func checkToken(_ text: String) {
    let opened = outcome { () throws(SealingError) in try Fixture.keys.reveal(text) }
    if let token = try? SealedToken(parsing: text) {
      require(same(token.text, text) && token.hint.count == 8, "a token is kept as it was written")
      require(text.utf8.count > 33 && text.contains(token.sealedAt.compactText), "a token says when it was sealed")
    } else {
      require((try? opened.get()) == nil, "what is no token does not open")
    }
    if let wrapped = try? WrappedKey(parsing: text) {
      require(same(wrapped.text, text) && wrapped.rootHint.count == 8, "a wrapped key is kept as it was written")
    }
    if let id = try? RootID(parsing: text) { require(same(id.description, text), "a root id has one spelling") }
    checkCoding(text, opened)
  }

  /// The same text as a member of a document that Codable reads.
  private static func checkCoding(_ text: String, _ opened: Result<String, SealingError>) {
    let asToken = decode(text, context)
    require((try? asToken.get().reveal()) == (try? opened.get()), "decoding opens what opening opens")
    if case .success(let value) = asToken {
      require(encode(value, context) == text, "an unchanged value keeps its token")
    }
    let clear = decode(text, context.reading(.clearText))
    require(
      (try? clear.get().reveal()).map { same($0, text) } ?? false,
      "clear text is taken as it is, whatever it looks like")
    if case .success(let value) = decode(text, context.reading(.tokensOrClearText)) {
      let sealed = encode(value, context)
      require(
        sealed.flatMap { try? Fixture.keys.reveal($0) }.map { same($0, (try? value.reveal()) ?? "") } ?? false,
        "what was decoded can be sealed")
    }
    if case .success(let value) = decode(text, .locked) {
      require(!value.isOpen && encode(value, context) == nil, "what was read without a key is neither shown nor saved")
    }
    if case .success(let value) = decode(text, cryptoKit) { require(encode(value, cryptoKit) == text, "a box is kept") }
  }

  private static func decode(
    _ text: String, _ context: SealingContext
  ) -> Result<EncryptedCodableString, SealingError> {
    let json = must("any text can be written") { () throws(DocumentError) in
      try JSONValue.array([.string(text)]).compactBytes()
    }
    do {
      let values = try JSONDecoder.opening(with: context).decode([EncryptedCodableString].self, from: Data(json))
      return .success(values[0])
    } catch {
      guard let error = error.sealingError else { broken("a field that does not open is a sealing error", error) }
      return .failure(error)
    }
  }

  private static func encode(_ value: EncryptedCodableString, _ context: SealingContext) -> String? {
    guard let json = try? JSONEncoder.sealing(with: context).encode([value]) else { return nil }
    return (try? JSONParser.parse([UInt8](json)))?.array?.first?.string
  }

  // MARK: Dates, names, encodings

  private static func checkDates(_ text: String) {
    if let time = try? Timestamp(parsing: text) {
      let again = must("a written date can be read") { () throws(DocumentError) in try Timestamp(parsing: time.text) }
      require(again.secondsSinceEpoch == time.secondsSinceEpoch, "a written date is the same second")
      require(again.nanoseconds == time.nanoseconds / 1_000_000 * 1_000_000, "a written date is the same millisecond")
      require(same(again.text, time.text) && again <= time, "a date has one spelling and is cut toward the past")
      let compact = must("a short date can be read") { () throws(DocumentError) in
        try Timestamp(parsingCompact: time.compactText)
      }
      require(compact.secondsSinceEpoch == time.secondsSinceEpoch, "a short date is the same second")
      require(Timestamp(Date(again)) == again, "a date of Foundation is the same millisecond")
    }
    if let time = try? Timestamp(parsingCompact: text) {
      require(same(time.compactText, text), "a short date has one spelling")
    }
  }

  private static func checkNames(_ text: String) {
    if let id = Identifier(parsing: text) {
      require(same(id.text, text) && Identifier(bytes: id.bytes) == id, "an id has one spelling")
    }
    if let place = StoreLocation(relativePath: text) {
      require(same(place.relativePath, text) && !text.utf8.starts(with: "/".utf8), "a place has one spelling")
      require(!text.contains(".."), "a place lies in the vault")
    }
    guard let path = try? MemberPath(parsing: text) else { return }
    let again = must("a printed path can be read") { () throws(DocumentError) in
      try MemberPath(parsing: path.description)
    }
    require(again == path && same(again.description, path.description), "a printed path is read as the same path")
    var tree = JSONValue.null
    guard !path.components.isEmpty, let first = path.components.first else { return }
    if case .index = first { tree = .array([]) } else { tree = .object(JSONObject()) }
    guard (try? tree.set("x", at: path)) != nil else { return }
    require((try? tree.value(at: path)) == "x", "what was set at a path is there")
    require((try? tree.compactBytes()) != nil, "what was set can be written")
  }

  private static func checkEncodings(_ text: String) {
    if let bytes = try? Base64.decode(text) { require(same(Base64.encode(bytes), text), "base64 has one spelling") }
    if let bytes = try? Base64.decodeURL(text) {
      require(same(Base64.encodeURL(bytes), text), "base64url has one spelling")
    }
    if let bytes = try? Hex.decode(text) { require(same(Hex.encode(bytes), text), "hex has one spelling") }
    if let number = JSONNumber(literal: text) {
      require(same(number.literal, text), "a number is kept as it was written")
      require(number.int.map { same(String($0), text) } ?? true, "a plain number has one spelling")
      require((try? JSONParser.parse(text)) == .number(number), "a number of the tree is one of the parser")
    }
    if RecordKindName.isValid(text) { require((1...64).contains(text.utf8.count), "the name of a kind is short") }
  }

  private static func same(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
}
