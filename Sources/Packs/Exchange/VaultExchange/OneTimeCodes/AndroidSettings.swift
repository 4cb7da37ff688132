internal import VaultDocument
internal import VaultMarkup

/// The settings file of an Android app: XML with names and values, some of which are JSON.
enum AndroidSettings {
  /// Whether the file is XML with all of these texts, plain or with escaped quotes.
  static func begins(_ sample: ImportSample, with texts: String...) -> Bool {
    isXML(sample.head)
      && (["<map"] + texts).allSatisfy { text in
        [text, text.replacing("\"", with: "&quot;")].contains { !sample.head.ranges(of: Array($0.utf8)).isEmpty }
      }
  }

  static func isXML(_ bytes: [UInt8]) -> Bool {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.starts(with: mark) ? bytes[mark.count...] : bytes[...]
    return text.first { $0 > UInt8(ascii: " ") } == UInt8(ascii: "<")
  }

  /// The values by name. A text that is JSON becomes the parsed value.
  static func members(of bytes: [UInt8]) throws(ExchangeError) -> JSONObject {
    let root = try ExchangeError.xmlRoot(of: bytes)
    guard root.name == "map" else { throw ExchangeError(.malformed, "does not contain settings of an app") }
    var members: [(String, JSONValue)] = []
    for element in root.children {
      guard let name = element[attribute: "name"], isSetting(element) else {
        throw ExchangeError(.malformed, "the element is not a setting", at: SourcePlace(line: element.line))
      }
      members.append((name, value(of: element)))
    }
    guard let object = try? JSONObject(members) else { throw ExchangeError(.malformed, "has the same setting twice") }
    return object
  }

  private static func isSetting(_ element: XMLElement) -> Bool {
    if element.name == "set" { return element.children.allSatisfy { $0.name == "string" && $0.children.isEmpty } }
    return element.children.isEmpty
      && ["string", "int", "long", "float", "boolean", "null"].contains { sameBytes($0, element.name) }
  }

  private static func value(of element: XMLElement) -> JSONValue {
    if element.name == "set" { return .array(element.children.map { .string($0.text) }) }
    guard element.name == "string" else { return .string(element[attribute: "value"] ?? element.text) }
    let isJSON = ["{", "["].contains { element.text.hasPrefix($0) }
    // Other text is kept unchanged, and refused if an account is expected.
    if isJSON, let value = try? JSONReading.value(of: Array(element.text.utf8)) { return value }
    return .string(element.text)
  }

  /// A document with the tokens at the expected place, and the other settings beside them.
  static func document(tokens: JSONValue, settings: JSONObject) -> JSONValue {
    .members(["settings": settings, "tokens": tokens])
  }
}

/// `tokens.xml` of FreeOTP and FreeOTP+: each account is a JSON text.
enum FreeOTPSettings {
  static func detected(_ sample: ImportSample) -> Bool {
    isBackup(sample)
      || AndroidSettings.begins(sample, with: "\"secret\":[", "\"algo\":")
      || AndroidSettings.begins(sample, with: "name=\"masterKey\"", "mCipherText")
  }

  private static func isBackup(_ sample: ImportSample) -> Bool {
    FreeOTPBackup.begins(sample.head) && !sample.head.ranges(of: Array("-token".utf8)).isEmpty
  }

  /// Parses the XML file or JSON.
  @Sendable static func parsed(_ source: ImportSource, _ options: ImportOptions) throws(ExchangeError) -> JSONValue {
    let bytes = try source.readAll()
    if FreeOTPBackup.begins(bytes) { return try FreeOTPBackup.document(of: bytes, options) }
    guard AndroidSettings.isXML(bytes) else {
      return try JSONReading.value(of: JSONReading.text(of: bytes, options: options))
    }
    let members = try AndroidSettings.members(of: bytes)
    guard members["masterKey"] == nil else {
      throw ExchangeError(
        .unsupported, "has accounts that the phone encrypted with its own key",
        advice: ["FreeOTP: Backup, and import the file that it writes"])
    }
    let tokens = members.compactMapValues { _, value in value.object == nil ? nil : value }
    let settings = members.compactMapValues { _, value in value.object == nil ? value : nil }
    return AndroidSettings.document(tokens: .object(tokens), settings: settings)
  }
}

/// `com.authy.storage.tokens.authenticator.xml`: all accounts are one JSON text.
enum AuthySettings {
  private static let member = "com.authy.storage.tokens.authenticator.key"

  @Sendable static func detected(_ sample: ImportSample) -> Bool {
    AndroidSettings.begins(sample, with: "name=\"\(member)\"")
  }

  @Sendable static func parsed(_ source: ImportSource, _ options: ImportOptions) throws(ExchangeError) -> JSONValue {
    var members = try AndroidSettings.members(of: try source.readAll())
    guard let tokens = members[member], tokens.array != nil else {
      throw ExchangeError(.malformed, "has no list of accounts")
    }
    members[member] = nil
    let opened = try AuthyBackup.opened(tokens.array ?? [], options)
    return AndroidSettings.document(tokens: .array(opened), settings: members)
  }

  /// Sets the names. The name is the account, sometimes with the issuer in front. A different original name is kept.
  static func tellNames(_ builder: inout RecordBuilder) {
    let original = builder.parts["original name"] ?? ""
    let name = builder.parts["name"] ?? original
    builder.parts["account"] = name
    let pair = name.pair(separatedBy: ":")
    if let pair, builder.parts["issuer"].map({ sameBytes($0, String(pair.before)) }) ?? true {
      (builder.parts["issuer"], builder.parts["account"]) = (String(pair.before), String(pair.behind.trimmingSpaces))
    }
    let isSame = sameBytes(original.filter { !$0.isWhitespace }, name.filter { !$0.isWhitespace })
    if !isSame { builder.add(original, .field("original name"), as: "original name") }
  }
}
