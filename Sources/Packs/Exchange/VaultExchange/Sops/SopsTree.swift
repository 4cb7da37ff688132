internal import VaultCrypto
internal import VaultDocument

/// One opened value of a sops file.
struct SopsValue {
  let path: MemberPath
  let text: String
  let wasSealed: Bool
  let line: Int?
}

/// Opens the values of a sops file and checks the MAC over them.
///
/// A value is `ENC[AES256_GCM,data:…,iv:…,tag:…,type:…]`. Its associated data is the names above it, each followed by a
/// colon, without positions in lists. The MAC is SHA-512 over all values in order. It is sealed like a value, bound to
/// the time of the last change.
struct SopsTree {
  private let metadata: SopsMetadata
  private let key: SecretBytes
  private var hashed: [UInt8]
  private var values: [SopsValue] = []

  /// All values except those under `sops`, in order.
  static func values(
    of document: SopsNode, _ metadata: SopsMetadata, key: SecretBytes
  ) throws(ExchangeError) -> [SopsValue] {
    var tree = try SopsTree(metadata, key)
    guard case .map(let members) = document else { throw ExchangeError(.malformed, "is not a map of names to values") }
    for (name, node) in members where name != "sops" { try tree.open(node, at: .root.appending(name), names: [name]) }
    try tree.checkMAC()
    return tree.values
  }

  private init(_ metadata: SopsMetadata, _ key: SecretBytes) throws(ExchangeError) {
    self.metadata = metadata
    self.key = key
    // A MAC over sealed values alone starts with a hash of its own, so it never equals a MAC over all values.
    let start = Array("sops".utf8)
    hashed =
      metadata.isMACOfSealedOnly
      ? try inCrypto { () throws(CryptoError) in try SHA256.hash(RawSpan(_elements: start.span)) } : []
  }

  private mutating func open(_ node: SopsNode, at path: MemberPath, names: [String]) throws(ExchangeError) {
    switch node {
    case .map(let members):
      if members.isEmpty { return append("", at: path, wasSealed: false, line: nil) }
      for (name, child) in members { try open(child, at: path.appending(name), names: names + [name]) }
    case .list(let items):
      if items.isEmpty { return append("", at: path, wasSealed: false, line: nil) }
      for (index, child) in items.enumerated() { try open(child, at: path.appending(index), names: names) }
    case .leaf(let leaf) where leaf.typed.isNull: append("", at: path, wasSealed: false, line: leaf.line)
    case .leaf(let leaf):
      guard metadata.seals(names) else {
        if !metadata.isMACOfSealedOnly { hashed += try SopsValueText.bytes(of: leaf.typed, at: path) }
        return append(leaf.text, at: path, wasSealed: false, line: leaf.line)
      }
      let opened = try openedBytes(leaf.text, names.map { $0 + ":" }.joined(), at: path)
      hashed += opened.bytes
      guard let text = String(validating: opened.bytes, as: UTF8.self) else {
        throw ExchangeError(.unsupported, "the value is not text", at: SourcePlace(path: path.description))
      }
      append(opened.type == "bool" ? text.lowercased() : text, at: path, wasSealed: true, line: leaf.line)
    }
  }

  private mutating func append(_ text: String, at path: MemberPath, wasSealed: Bool, line: Int?) {
    values.append(SopsValue(path: path, text: text, wasSealed: wasSealed, line: line))
  }

  /// The plaintext of a value. An empty text is never sealed.
  private func openedBytes(
    _ text: String, _ associated: String, at path: MemberPath
  ) throws(ExchangeError) -> (bytes: [UInt8], type: String) {
    if text.isEmpty { return ([], "str") }
    let place = SourcePlace(path: path.description)
    guard let token = SopsToken(text) else {
      throw ExchangeError(
        .notAuthentic, "the rules of the file say that the value is encrypted, and it is not", at: place)
    }
    let data = Array(associated.utf8)
    let box = token.data + token.tag
    do throws(CryptoError) {
      let bytes = try key.withBytes { key throws(CryptoError) in
        let nonce = token.nonce
        return try AESGCM.openForeign(
          RawSpan(_elements: box.span), nonce: RawSpan(_elements: nonce.span), key: key,
          associatedData: RawSpan(_elements: data.span))
      }
      return (bytes, token.type)
    } catch {
      throw ExchangeError(
        error.code == .authenticationFailed ? .notAuthentic : .malformed,
        "the value does not open with the key of the file",
        at: place, underlying: error)
    }
  }

  private func checkMAC() throws(ExchangeError) {
    let path = MemberPath([.member("sops"), .member("mac")])
    let sealed = try openedBytes(metadata.mac, metadata.lastModified, at: path).bytes
    let bytes = hashed
    let hash = try inCrypto { () throws(CryptoError) in try SHA512.hash(RawSpan(_elements: bytes.span)) }
    guard !sealed.isEmpty, String(decoding: sealed, as: UTF8.self).lowercased() == Hex.encode(hash).lowercased() else {
      throw ExchangeError.changed(at: "sops.mac")
    }
  }
}

private struct SopsToken {
  let data: [UInt8]
  let nonce: [UInt8]
  let tag: [UInt8]
  let type: String

  init?(_ text: String) {
    guard text.hasPrefix("ENC[AES256_GCM,"), text.hasSuffix("]") else { return nil }
    var parts: [String: String] = [:]
    for part in text.dropFirst(15).dropLast().split(separator: "," as Character) {
      let pair = part.split(separator: ":" as Character, maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2, parts.updateValue(String(pair[1]), forKey: String(pair[0])) == nil else { return nil }
    }
    guard let data = parts["data"].flatMap({ try? Base64.decode($0) }),
      let nonce = parts["iv"].flatMap({ try? Base64.decode($0) }),
      let tag = parts["tag"].flatMap({ try? Base64.decode($0) }), tag.count == 16, let type = parts["type"]
    else { return nil }
    self.data = data
    self.nonce = nonce
    self.tag = tag
    self.type = type
  }
}

/// The text that sops hashes for an unsealed value.
enum SopsValueText {
  static func bytes(of value: JSONValue, at path: MemberPath) throws(ExchangeError) -> [UInt8] {
    switch value {
    case .bool(let flag): return Array((flag ? "True" : "False").utf8)
    case .number(let number):
      if let int = number.int { return Array(String(int).utf8) }
      guard let double = Double(number.literal), double.isFinite else {
        throw ExchangeError(.unsupported, "the number is too large", at: SourcePlace(path: path.description))
      }
      return Array(decimal(double).utf8)
    default: return Array(value.leafText.utf8)
    }
  }

  /// The shortest decimal digits of a number, without an exponent.
  static func decimal(_ double: Double) -> String {
    let text = "\(double)"
    let parts = text.split(separator: "e" as Character)
    var digits = parts[0].hasSuffix(".0") ? String(parts[0].dropLast(2)) : String(parts[0])
    guard parts.count == 2, let exponent = Int(parts[1]) else { return digits }
    let sign = digits.hasPrefix("-") ? "-" : ""
    digits.removeAll { $0 == "-" }
    let whole = digits.prefix { $0 != "." }
    let all = digits.filter { $0 != "." }
    let point = whole.count + exponent
    if point <= 0 { return "\(sign)0." + String(repeating: "0", count: -point) + all }
    if point >= all.count { return sign + all + String(repeating: "0", count: point - all.count) }
    return "\(sign)\(all.prefix(point)).\(all.dropFirst(point))"
  }
}
