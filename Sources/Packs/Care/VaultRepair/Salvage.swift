internal import VaultDocument
internal import VaultSealing
internal import VaultTrust

/// The parts that still open of a record whose file does not verify. They are always marked as unverified.
struct Salvage: Sendable {
  private let document: JSONObject
  private let openedCount: Int
  private let formerCount: Int
  private let closedCount: Int
  private let id: RecordID
  let fileName: String

  /// The number of parts, for the plan.
  var summary: String {
    let counts = [(openedCount - formerCount, "sealed field"), (formerCount, "former value")].filter { $0.0 > 0 }
    let names = counts.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }.joined(separator: " and ")
    let fields = "\(names) still open\(openedCount == 1 ? "s" : "")"
    let closed = closedCount == 0 ? "" : ", \(closedCount) do\(closedCount == 1 ? "es" : "") not"
    return "\(fields)\(closed): written aside in clear text, UNVERIFIED"
  }

  /// The file's text. Nothing in it is verified, except that each opened field was sealed for this record.
  func bytes() throws(VaultError) -> [UInt8] {
    do throws(DocumentError) {
      return try JSONValue.object(document).prettyBytes()
    } catch {
      throw VaultError(.inputRefused, "has parts that exceed the limits of a record: \(error.reason)", record: id)
    }
  }

  /// Opens all parts that open; nil if none of the parts do.
  init?(_ bytes: [UInt8], fault: VaultFault, id: RecordID, keyring: Keyring) throws(VaultError) {
    let tree = try? JSONParser.parse(bytes)
    let text = DamagedText(bytes)
    guard let keys = try Self.keys(text.words(beginning: "k1:").map(\.word), id: id, tree: tree, keyring: keyring)
    else { return nil }
    var opening = Opening(keys: keys)
    if case .object(var members)? = tree {
      let former = members[RecordEnvelope.memberName]?[FormerValues.memberName]
      members[RecordEnvelope.memberName] = nil
      guard case .object(let fields) = try opening.opened(.object(members)) else { return nil }
      opening.fields = fields
      if let former { opening.former = try opening.opened(former, isFormer: true) }
    } else {
      for (word, name) in text.words(beginning: "es1:") { try opening.open(word, named: name) }
    }
    guard !opening.opened.isEmpty else { return nil }
    self.id = id
    fileName = "salvaged-" + fault.file.split(separator: "/").joined(separator: "-")
    openedCount = opening.opened.count
    formerCount = opening.opened.count { $0.hasPrefix(Opening.formerPrefix) }
    closedCount = opening.closed.count
    document = Self.document(opening, fault: fault, isWhole: tree != nil, id: keys.recordID)
  }

  private static func document(
    _ opening: Opening, fault: VaultFault, isWhole: Bool, id: RecordID
  ) -> JSONObject {
    var document = JSONObject()
    document["schema"] = 1
    document["unverified"] = true
    document["warning"] = .string(
      "Secrets in clear. Sealed fields that opened were sealed for this record; which field they belong to, and every "
        + "readable field, may have been changed by anybody.")
    document["file"] = .string(fault.file)
    document["record"] = .string(id.text)
    document["reason"] = .string(fault.reason)
    document["fields"] = .object(opening.fields)
    document["former"] = opening.former
    document["opened"] = .array(opening.opened.map { .string($0) })
    document["not_opened"] = .array(opening.closed.map { .string($0) })
    // From a text that is not JSON, only the sealed fields are taken, under the names before them.
    document["is_whole"] = .bool(isWhole)
    return document
  }

  /// The keys of the record in the file's name, else of the one in the file.
  private static func keys(
    _ words: [String], id: RecordID, tree: JSONValue?, keyring: Keyring
  ) throws(VaultError) -> RecordKeys? {
    let named = tree?[RecordEnvelope.memberName]?["id"]?.string.flatMap { RecordID(parsing: $0) }
    for word in words {
      guard let wrapped = try? WrappedKey(parsing: word) else { continue }
      for id in [id, named ?? id] {
        do throws(SealingError) {
          return try keyring.root(hint: wrapped.rootHint).recordKeys(from: wrapped, record: id)
        } catch {
          if error.code == .memoryUnavailable { throw VaultError(sealing: error) }
        }
      }
    }
    return nil
  }
}

/// Opens tokens one by one and counts the successes.
private struct Opening {
  let keys: RecordKeys
  var fields = JSONObject()
  /// The former values of a file that is still JSON, by field.
  var former: JSONValue?
  private(set) var opened: [String] = []
  private(set) var closed: [String] = []

  /// How the name of a former value begins.
  static let formerPrefix = "former "

  init(keys: RecordKeys) { self.keys = keys }

  /// The tree with every token opened that can be; others stay unchanged.
  mutating func opened(_ tree: JSONValue, isFormer: Bool = false) throws(VaultError) -> JSONValue {
    var tree = tree
    try tree.mapStrings { path, text throws(VaultError) in
      let name = (isFormer ? Self.formerPrefix : "") + path.description
      return SealedToken.hasTokenShape(text) ? try reveal(text, name) ?? text : text
    }
    return tree
  }

  mutating func open(_ token: String, named name: String) throws(VaultError) {
    var path = name
    while fields[path] != nil { path += "'" }
    fields[path] = .string(try reveal(token, path) ?? token)
  }

  private mutating func reveal(_ token: String, _ path: String) throws(VaultError) -> String? {
    do throws(SealingError) {
      let text = try keys.reveal(token)
      opened.append(path)
      return text
    } catch {
      if error.code == .memoryUnavailable { throw VaultError(sealing: error) }
      closed.append(path)
      return nil
    }
  }
}

/// A text that may no longer be JSON, searched for keys and tokens.
private struct DamagedText {
  private let lines: [ArraySlice<UInt8>]

  init(_ bytes: [UInt8]) { lines = bytes.split(separator: UInt8(ascii: "\n")) }

  /// The words that follow a quote and begin with `prefix`, up to the next quote or the end of the line, each with the
  /// quoted text before it. A word without one is an item of a list, which a line before it names.
  func words(beginning prefix: String) -> [(word: String, name: String)] {
    var list = "field"
    var isInFormer = false
    return lines.flatMap { line -> [(word: String, name: String)] in
      let parts = line.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
      if parts.count == 3, let name = String(validating: parts[1], as: UTF8.self), Self.isPlain(name) {
        if parts[2].last == UInt8(ascii: "{") { isInFormer = name == FormerValues.memberName }
        if parts[2].last == UInt8(ascii: "[") { list = (isInFormer ? Opening.formerPrefix : "") + name }
      }
      if parts.count == 1, line.contains(UInt8(ascii: "}")) { isInFormer = false }
      return parts.indices.compactMap { index in
        guard parts[index].starts(with: prefix.utf8), let word = String(validating: parts[index], as: UTF8.self) else {
          return nil
        }
        let name = index >= 2 ? String(validating: parts[index - 2], as: UTF8.self) : nil
        return (word, name.flatMap { Self.isPlain($0) ? $0 : nil } ?? list)
      }
    }
  }

  private static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 256 && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x5C }
  }
}
