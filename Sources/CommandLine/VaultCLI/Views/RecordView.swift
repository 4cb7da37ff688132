package import VaultDocument
package import VaultKit
package import VaultRecords
package import VaultSealing
package import VaultTerminal

/// A record as commands print it: the members of a file or of an opened record, and the result of its check.
package struct RecordView: Sendable {
  package let id: RecordID
  package let envelope: RecordEnvelope
  package let name: String
  /// The members. Sealed fields are tokens unless they were revealed.
  package let fields: JSONObject
  package let isVerified: Bool
  let isRevealed: Bool
  /// Nil for an unknown kind.
  package let kind: RecordKind?
  /// The members with sealed fields as tokens.
  let stored: JSONObject
  /// The opened former values, the newest of each field first; empty unless asked for.
  package private(set) var former: [FormerValue] = []

  package init(_ record: StoredRecord) {
    id = record.id
    envelope = record.envelope
    name = record.name
    fields = record.fields
    stored = record.fields
    kind = record.kind
    isVerified = false
    isRevealed = false
  }

  /// - Parameters:
  ///   - revealed: opens the sealed fields; nil leaves them masked.
  ///   - withFormer: whether former values are opened, too, if the fields are.
  package init(_ record: OpenRecord, revealed: Revealing? = nil, withFormer: Bool = false) throws {
    id = record.id
    envelope = record.envelope
    name = record.name
    fields = revealed != nil ? try record.revealed() : record.fields
    stored = record.fields
    kind = record.kind
    isVerified = true
    isRevealed = revealed != nil
    if let revealed, withFormer { former = try record.formerValues(by: revealed) }
  }
}

/// The visible content of a field.
enum FieldContent {
  case readable(JSONValue)
  case sealed(at: Timestamp)
  /// Clear text of an older schema that the present schema seals.
  case notYetSealed
}

extension RecordView {

  /// The visible content of a value that was not opened.
  private func content(of value: JSONValue, at path: MemberPath) throws -> FieldContent {
    if isRevealed { return .readable(value) }
    guard case .string(let text) = value, SealedToken.hasTokenShape(text) else {
      guard let kind, kind.value(at: path)?.isSealed == true, envelope.schema <= kind.schema else {
        return .readable(value)
      }
      guard envelope.schema == kind.schema else { return .notYetSealed }
      throw damaged(path, "has clear text instead of a sealed value")
    }
    guard let token = try? SealedToken(parsing: text) else { throw damaged(path, "the sealed value is damaged") }
    return .sealed(at: token.sealedAt)
  }

  private func damaged(_ path: MemberPath, _ reason: String) -> CommandError {
    var error = CommandError(
      .damaged, "damaged", subject: "records/\(id.folderName)/\(id.text).json: \(path)", reason,
      hints: ["restore the last good version of this file, from git (`git log -- FILE`) or a backup"])
    error.record = id.text
    error.field = path.description
    return error
  }

  package func lines(_ style: Style) throws -> [String] {
    let body = try body(style, Printable.text)
    return Self.aligned(head) + (body.isEmpty ? [] : [""]) + Self.aligned(body)
  }

  /// The lines of `show` at a terminal: the name as a headline, texts with their own lines, and at the end the record's
  /// metadata.
  package func screen(_ style: Style) throws -> [String] {
    let body = try body(style, Printable.document)
    let width = (body.map { DisplayWidth.of($0.name) }.max() ?? 0) + 1
    let fields = body.flatMap { name, text -> [String] in
      var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      if lines.count > 1, lines.last?.isEmpty == true { lines.removeLast() }
      guard lines.count > 1 else { return [Printable.padded(name + ":", to: width) + " " + (lines.first ?? "")] }
      return [name + ":"] + lines.map { "  " + $0 }
    }
    let headline = style.bold(Printable.text(name.isEmpty ? envelope.kind : name))
    return [headline, ""] + fields + (fields.isEmpty ? [] : [""]) + Self.aligned(head).map(style.dim)
  }

  private var head: [(name: String, text: String)] {
    [
      ("id", id.text), ("kind", envelope.kind), ("revision", String(envelope.revision)),
      ("created", envelope.createdAt.text), ("updated", envelope.updatedAt.text),
    ] + attachments.map { ("attached", "\(Printable.text($0.name)), \(ByteSize.text($0.byteCount))") }
      + formerLines.map { ("former", "\(Printable.text($0.path.description)): \($0.text)") }
  }

  /// The fields with their shown values.
  private func body(_ style: Style, _ printable: (String) -> String) throws -> [(name: String, text: String)] {
    var body: [(name: String, text: String)] = []
    for (path, value) in leaves() {
      let text =
        switch try content(of: value, at: path) {
        case .sealed(let time): style.dim("\(Printable.mask) sealed \(time.day)")
        case .notYetSealed: style.dim("\(Printable.mask) not sealed yet: run `vault migrate`")
        case .readable(let value): try printable(bytesText(of: value, at: path) ?? value.plainText())
        }
      body.append((Printable.text(path.description), text))
    }
    return body
  }

  /// The shown form of opened bytes: a text itself, otherwise the number of bytes. Nil if the value has no bytes.
  private func bytesText(of value: JSONValue, at path: MemberPath) throws -> String? {
    guard isRevealed, kind?.value(at: path)?.isBytes == true, let base64 = value.string else { return nil }
    guard let bytes = try? Base64.decode(base64) else { throw damaged(path, "the sealed value is not base64") }
    if let text = String(validating: bytes, as: UTF8.self), Printable.document(text) == text { return text }
    return "\(bytes.count) bytes: `vault get RECORD \(path) -o FILE` writes them"
  }

  /// The value at a path for a column: list items with commas, a mask for a sealed value, empty for a missing one.
  package func cell(at path: MemberPath) -> String {
    let place = kind?.pathInCurrentSchema(path) ?? path
    guard let value = try? JSONValue.object(fields).value(at: place) else { return "" }
    let parts = value.array ?? [value]
    let texts = parts.enumerated().map { index, part in
      let place = value.array == nil ? place : place.appending(index)
      return switch try? content(of: part, at: place) {
      case .readable(let value)?: (try? value.plainText()) ?? ""
      case .sealed?, .notYetSealed?: Printable.mask
      case nil: "damaged"
      }
    }
    return texts.joined(separator: ", ")
  }

  /// The values that are not sealed, in the order of `show`.
  var readableLeaves: [(path: MemberPath, text: String)] {
    leaves().compactMap { path, value in
      guard case .readable(let value)? = try? content(of: value, at: path), let text = try? value.plainText() else {
        return nil
      }
      return (path, text)
    }
  }

  private static func aligned(_ rows: [(name: String, text: String)]) -> [String] {
    let width = (rows.map(\.name.count).max() ?? 0) + 1
    return rows.map { Printable.padded($0.name + ":", to: width) + " " + $0.text }
  }

  /// Every scalar and every empty object or array. The members of the kind come first, in its order.
  private func leaves() -> [(MemberPath, JSONValue)] {
    let leaves = JSONValue.object(fields).leaves()
    guard let kind else { return leaves }
    let paths = kind.fields.map(\.path.components)
    return leaves.enumerated()
      .map { offset, leaf in (paths.firstIndex { leaf.0.components.starts(with: $0) } ?? paths.count, offset, leaf) }
      .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
      .map(\.2)
  }

  /// The members for `--json`. A sealed field that was not revealed shows the time of its sealing.
  package func markedFields() throws -> JSONObject {
    try JSONValue.object(fields).mappingLeaves { path, value in
      switch try content(of: value, at: path) {
      case .readable(let value): value
      case .sealed(let time): .members(["sealed": true, "sealed_at": time])
      case .notYetSealed: .members(["sealed": false, "sealed_at": JSONValue.null])
      }
    }.object ?? JSONObject()
  }

  /// Whether the value is what ``markedFields()`` writes for a sealed field.
  package static func isMark(_ value: JSONValue) -> Bool {
    value.object?.names == ["sealed", "sealed_at"] && value["sealed"]?.bool == true
  }

  /// The members without sealed fields, and the number of sealed fields.
  package func readableFields() throws -> (fields: JSONObject, sealedCount: Int) {
    var count = 0
    let readable = try JSONValue.object(fields).mappingLeaves { path, value in
      switch try content(of: value, at: path) {
      case .readable(let value): return value
      case .sealed, .notYetSealed:
        count += 1
        return nil
      }
    }
    return (readable.object ?? JSONObject(), count)
  }

  package var sealedPaths: Set<MemberPath> { Set(stored.tokens.map(\.0)) }

  package func sealedCount() throws -> Int { try readableFields().sealedCount }

  package func document(record: JSONObject) -> JSONValue {
    .members(["id": id, "kind": envelope.kind, "name": name, "record": record, "verified": isVerified])
  }
}

extension JSONValue {
  /// A string itself, any other value as JSON.
  package func plainText() throws -> String {
    if case .string(let text) = self { return text }
    return try compactText()
  }

  /// The value as JSON on one line.
  package func compactText() throws -> String { String(decoding: try compactBytes(limits: .exchange), as: UTF8.self) }

  /// The tree with every leaf replaced. Nil removes a leaf; the last removed leaf also removes its object or array.
  func mappingLeaves(
    at path: MemberPath = .root, _ body: (MemberPath, JSONValue) throws -> JSONValue?
  ) throws -> JSONValue {
    switch self {
    case .object(let members) where !members.isEmpty:
      var result = members
      for (name, value) in members { result[name] = try value.mappedLeaf(at: path.appending(name), body) }
      return .object(result)
    case .array(let items) where !items.isEmpty:
      return .array(try items.enumerated().compactMap { try $1.mappedLeaf(at: path.appending($0), body) })
    default: return try body(path, self) ?? self
    }
  }

  private func mappedLeaf(
    at path: MemberPath, _ body: (MemberPath, JSONValue) throws -> JSONValue?
  ) throws -> JSONValue? {
    switch self {
    case .object(let members) where !members.isEmpty:
      let result = try mappingLeaves(at: path, body)
      return result.object?.isEmpty == true ? nil : result
    case .array(let items) where !items.isEmpty:
      let result = try mappingLeaves(at: path, body)
      return result.array?.isEmpty == true ? nil : result
    default: return try body(path, self)
    }
  }
}
