internal import VaultDocument
internal import VaultSealing

/// A value that a description stands for instead of a Swift type. It seals itself while it is encoded, as types do.
struct SealedTree: Encodable {
  let value: JSONValue
  /// The sealed places; nil for a value that is readable as a whole.
  let seals: SealMap?
  /// Its place in the record.
  let path: MemberPath

  func encode(to encoder: any Encoder) throws {
    switch (seals?.form, value) {
    case (.sealed(let isText)?, _):
      let text = try Self.plaintext(of: value, isText: isText, at: path)
      try EncryptedCodableString(text).encode(to: encoder)
    case (.object?, .object(let members)), (.map?, .object(let members)):
      var container = encoder.container(keyedBy: AnyCodingKey.self)
      for (name, value) in members {
        let step = MemberPath.Component.member(name)
        try container.encode(part(value, step), forKey: AnyCodingKey(name))
      }
    case (.list?, .array(let items)):
      var container = encoder.unkeyedContainer()
      for (index, item) in items.enumerated() { try container.encode(part(item, .index(index))) }
    default:
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }

  private func part(_ value: JSONValue, _ step: MemberPath.Component) -> SealedTree {
    SealedTree(value: value, seals: seals?.child(step), path: MemberPath(path.components + [step]))
  }

  /// The content of a token: the text itself, or the compact JSON of other values.
  ///
  /// The nesting limit counts as if the value were not sealed, so that the record fits into every export format.
  static func plaintext(of value: JSONValue, isText: Bool, at path: MemberPath) throws(RecordError) -> String {
    if isText, case .string(let text) = value { return text }
    let limit = JSONLimits.record.depth
    do throws(DocumentError) {
      let bytes = try value.compactBytes(limits: JSONLimits(depth: limit - path.components.count))
      return String(decoding: bytes, as: UTF8.self)
    } catch {
      let reason =
        error.code == .tooDeep
        ? "is nested too deeply: a record has at most \(limit) levels" : "does not fit the limits of a record"
      throw RecordError(
        .sealing, reason, path: path.description, underlying: SealingError(.limitExceeded, reason))
    }
  }
}
