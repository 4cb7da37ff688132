internal import VaultAge
internal import VaultCrypto
internal import VaultDocument

/// JSON that `sops` decrypts: an object with a list of records, in which only the sealed members are encrypted.
///
/// Source: the format description in the README of sops 3. `encrypted_regex` matches the names of sealed members, and
/// everything below a matching member is encrypted. The MAC covers all values in order.
struct SOPSExporter: Exporter {
  private(set) var notes = ExportNotes("sops")
  private let recipients: [AgeRecipient]
  private let cipher: SOPSCipher
  private var names: Set<String> = []
  private var isFirst = true

  init(recipients: [AgeRecipient]) throws(ExportError) {
    self.recipients = recipients
    cipher = try SOPSCipher()
  }

  mutating func survey(_ record: ExportedRecord) throws(ExportError) {
    for (path, value) in record.leaves {
      if let sealed = record.sealedPath(of: path) { names.insert(record.sealedName(at: sealed)) }
      guard case .number(let number) = value else { continue }
      guard let text = SOPSNumber.text(of: number) else {
        throw ExportError("is a number that sops would change", in: record, at: path)
      }
      if !sameBytes(text, number.literal) { notes.add(.numbers) }
    }
  }

  mutating func begin() -> [UInt8] { Array("{\n\t\"records\": [".utf8) }

  mutating func bytes(of record: ExportedRecord) throws(ExportError) -> [UInt8] {
    for (path, _) in record.leaves {
      guard let sealed = record.sealedPath(of: path) else { continue }
      guard names.contains(record.sealedName(at: sealed)) else { throw .changed(record) }
    }
    var members = JSONObject()
    members["id"] = .string(record.id)
    members["kind"] = .string(record.kind)
    members["record"] = .object(record.members)
    let sealed = try value(.object(members), at: ["records"], isSealed: false, record)
    defer { isFirst = false }
    return Array((isFirst ? "\n\t\t" : ",\n\t\t").utf8) + (try Self.bytes(sealed))
  }

  mutating func end() throws(ExportError) -> [UInt8] {
    let time = String(Timestamp.now().text.prefix(19)) + "Z"
    var metadata = JSONObject()
    metadata["age"] = .array(try cipher.keys(for: recipients))
    metadata["lastmodified"] = .string(time)
    metadata["mac"] = .string(try cipher.mac(at: time))
    metadata["encrypted_regex"] = .string(regex)
    metadata["version"] = "3.9.0"
    return Array("\n\t],\n\t\"sops\": ".utf8) + (try Self.bytes(.object(metadata))) + Array("\n}\n".utf8)
  }

  /// The tree, with values encrypted if a name on their way matches. Items of lists have no name.
  private func value(
    _ tree: JSONValue, at names: [String], isSealed: Bool, _ record: ExportedRecord
  ) throws(ExportError) -> JSONValue {
    switch tree {
    case .object(let members):
      var result = members
      for (name, member) in members {
        result[name] = try value(
          member, at: names + [name], isSealed: isSealed || self.names.contains(name), record)
      }
      return .object(result)
    case .array(let items):
      var result: [JSONValue] = []
      for item in items { result.append(try value(item, at: names, isSealed: isSealed, record)) }
      return .array(result)
    case .null: return .null
    case .bool(let flag):
      return try cipher.take(flag ? "True" : "False", type: "bool", plain: tree, names: names, isSealed: isSealed)
    case .string(let text): return try cipher.take(text, type: "str", plain: tree, names: names, isSealed: isSealed)
    case .number(let number):
      guard let text = SOPSNumber.text(of: number), let plain = JSONNumber(literal: text) else {
        throw ExportError("is a number that sops would change", in: record)
      }
      return try cipher.take(text, type: "float", plain: .number(plain), names: names, isSealed: isSealed)
    }
  }

  /// An RE2 pattern for exactly these names. If nothing is sealed, the pattern matches nothing.
  private var regex: String {
    let patterns = names.sorted().map { name in
      name.unicodeScalars.map { scalar in
        let isPlain = !scalar.isASCII || scalar.properties.isAlphabetic || scalar == "_" || ("0"..."9").contains(scalar)
        if scalar.value < 0x20 || scalar.value == 0x7F { return "\\x" + Hex.encode([UInt8(scalar.value)]) }
        return (isPlain ? "" : "\\") + String(scalar)
      }.joined()
    }
    return patterns.isEmpty ? "^\\b\\B$" : "^(\(patterns.joined(separator: "|")))$"
  }

  private static func bytes(_ value: JSONValue) throws(ExportError) -> [UInt8] {
    do throws(DocumentError) {
      return try value.compactBytes(limits: .exchange)
    } catch {
      throw ExportError.notJSON(underlying: error)
    }
  }
}

/// The data key of one export, and the MAC over its values.
struct SOPSCipher {
  private let key: SecretBytes
  private let values: Values

  /// The hash of all values so far. A class, because a hasher cannot be copied but the exporter around it can.
  private final class Values {
    var hasher: SHA512.Hasher?

    init() throws(CryptoError) { hasher = try SHA512.Hasher() }
  }

  init() throws(ExportError) {
    key = try inExport { () throws(CryptoError) in try SecretBytes.random(count: AESGCM.keyByteCount) }
    values = try inExport { () throws(CryptoError) in try Values() }
  }

  /// Adds a value to the MAC, and returns the value to write.
  func take(
    _ text: String, type: String, plain: JSONValue, names: [String], isSealed: Bool
  ) throws(ExportError) -> JSONValue {
    let bytes = Array(text.utf8)
    try inExport { () throws(CryptoError) in try values.hasher?.update(RawSpan(_elements: bytes.span)) }
    // sops leaves an empty text unencrypted.
    guard isSealed, !bytes.isEmpty else { return plain }
    return .string(try sealed(bytes, type: type, associated: names.joined(separator: ":") + ":"))
  }

  private func sealed(_ text: [UInt8], type: String, associated: String) throws(ExportError) -> String {
    let associated = Array(associated.utf8)
    let box = try inExport { () throws(CryptoError) in
      try key.withBytes { key throws(CryptoError) in
        try AESGCM.seal(
          RawSpan(_elements: text.span), key: key, associatedData: RawSpan(_elements: associated.span))
      }
    }
    let data = Base64.encode(Array(box[AESGCM.nonceByteCount..<box.count - AESGCM.tagByteCount]))
    let nonce = Base64.encode(Array(box[..<AESGCM.nonceByteCount]))
    let tag = Base64.encode(Array(box[(box.count - AESGCM.tagByteCount)...]))
    return "ENC[AES256_GCM,data:\(data),iv:\(nonce),tag:\(tag),type:\(type)]"
  }

  /// The sealed MAC: SHA-512 of all values in upper-case hex, bound to the time.
  func mac(at time: String) throws(ExportError) -> String {
    let hash = try inExport { () throws(CryptoError) -> [UInt8] in
      guard let hasher = values.hasher.take() else { return [] }
      return try hasher.finish()
    }
    return try sealed(Array(Hex.encode(hash).uppercased().utf8), type: "str", associated: time)
  }

  func keys(for recipients: [AgeRecipient]) throws(ExportError) -> [JSONValue] {
    var keys: [JSONValue] = []
    for recipient in recipients {
      do throws(AgeError) {
        let file = try key.withBytes { key throws(AgeError) in try AgeFile.seal(key, to: [recipient]) }
        let armored = AgeArmor.encode(RawSpan(_elements: file.span))
        keys.append(
          .members(["recipient": recipient.text, "enc": String(decoding: armored, as: UTF8.self)]))
      } catch {
        throw ExportError("the data key could not be sealed", underlying: error)
      }
    }
    return keys
  }
}

/// Numbers as sops writes them: without an exponent.
enum SOPSNumber {
  /// The shortest decimal for the floating-point number; nil if that is not the number in the file.
  static func text(of number: JSONNumber) -> String? {
    if let int = Int(number.literal), abs(int) < 1 << 53 { return String(int) }
    guard let double = Double(number.literal), double.isFinite else { return nil }
    let plain = plain(double.description)
    // A literal with more digits than a floating-point number would lose them.
    return significant(plain) == significant(Self.plain(number.literal)) ? plain : nil
  }

  /// The literal without an exponent.
  private static func plain(_ literal: String) -> String {
    let parts = literal.lowercased().split(separator: "e" as Character)
    guard parts.count == 2, let exponent = Int(parts[1]), abs(exponent) < 400 else { return literal }
    let isNegative = parts[0].hasPrefix("-")
    let digits = parts[0].drop { $0 == "-" }.split(separator: "." as Character, omittingEmptySubsequences: false)
    var whole = String(digits[0])
    var fraction = digits.count > 1 ? String(digits[1]) : ""
    for _ in 0..<max(0, exponent) {
      whole.append(fraction.isEmpty ? "0" : fraction.removeFirst())
    }
    for _ in 0..<max(0, -exponent) { fraction = String(whole.popLast() ?? "0") + fraction }
    whole = String(whole.drop { $0 == "0" })
    let text = (whole.isEmpty ? "0" : whole) + (fraction.isEmpty ? "" : "." + fraction)
    return (isNegative ? "-" : "") + text
  }

  /// The significant digits, without zeros at the end of a fraction.
  private static func significant(_ plain: String) -> String {
    guard plain.contains(".") else { return plain }
    let end = plain.lastIndex { $0 != "0" } ?? plain.startIndex
    let text = plain[...end]
    return String(text.last == "." ? text.dropLast() : text)
  }
}
