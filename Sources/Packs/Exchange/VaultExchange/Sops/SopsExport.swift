internal import VaultDocument
internal import VaultRecords

/// The document that our own export writes: records with their ids and kinds, rather than one tree of values.
struct SopsExport {
  private struct Entry {
    var kind: RecordKind?
    var values: [SopsValue] = []
  }

  private var entries: [Entry] = []

  /// Nil for any other document, and if the vault does not have one of the kinds.
  init?(_ values: [SopsValue], _ kinds: KindCatalog) {
    for value in values {
      let steps = value.path.components
      guard steps.count > 2, steps[0] == .member("records"), case .index(let index) = steps[1],
        index <= entries.count
      else { return nil }
      if index == entries.count { entries.append(Entry()) }
      if steps[2] == .member("kind") { entries[index].kind = kinds[value.text] }
      entries[index].values.append(value)
    }
    guard !entries.isEmpty, entries.allSatisfy({ $0.kind != nil }) else { return nil }
  }

  /// The records, each of its own kind.
  func records(_ format: String) throws(ExchangeError) -> [ImportedRecord] {
    var records: [ImportedRecord] = []
    for (index, entry) in entries.enumerated() {
      guard let kind = entry.kind else { continue }
      var builder = RecordBuilder(format: format, place: SourcePlace(path: "records[\(index)]"))
      for value in entry.values { Self.take(value, into: &builder, KindShape(kind)) }
      records.append(try builder.record(of: kind))
    }
    return records
  }

  private static func take(_ value: SopsValue, into builder: inout RecordBuilder, _ shape: KindShape) {
    let place = SourcePlace(line: value.line, path: value.path.description)
    let rest = MemberPath(Array(value.path.components.dropFirst(3))).description
    switch value.path.components[2] {
    case .member("kind"): builder.note(place, .mapped(to: "kind"))
    case .member("id"): builder.take(value.text, from: place, by: .identifier)
    default:
      let other = value.wasSealed ? LeafRule.secret(rest) : .field(rest)
      builder.take(value.text, from: place, by: FieldRules.rule(forPath: rest, in: shape) ?? other)
    }
  }
}
