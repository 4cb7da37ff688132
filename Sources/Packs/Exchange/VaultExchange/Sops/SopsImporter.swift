internal import VaultDocument
internal import VaultRecords

/// A sops file that is sealed with an age key. Its values become one record.
struct SopsImporter: Importer {
  let format: ImportFormat
  private let isYAML: Bool

  static let json = SopsImporter(
    format: ImportFormat(
      "sops-json", title: "SOPS, JSON", versions: "3.x, age keys",
      keeps: "every value under its path: sealed ones as secrets, the others as fields; a mapping puts them elsewhere",
      takesMappings: true),
    isYAML: false)

  static let yaml = SopsImporter(
    format: ImportFormat(
      "sops-yaml", title: "SOPS, YAML", versions: "3.x, age keys, one document",
      keeps: "every value under its path: sealed ones as secrets, the others as fields; comments are not read",
      takesMappings: true),
    isYAML: true)

  func detects(_ sample: ImportSample) -> Bool {
    let isJSON = sample.head.first { $0 > 0x20 && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF } == UInt8(ascii: "{")
    guard isJSON != isYAML else { return false }
    let hasToken = !sample.head.ranges(of: Array("ENC[AES256_GCM,data:".utf8)).isEmpty
    // A file of environment variables has the same metadata in another form.
    return hasToken && sample.head.ranges(of: Array("sops_mac=".utf8)).isEmpty
      && sample.head.ranges(of: Array("=ENC[AES256_GCM".utf8)).isEmpty
  }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    let text = try JSONReading.text(of: source, options: options)
    let document = isYAML ? try YAMLReader.node(of: text) : try SopsJSONReader.node(of: text)
    guard let own = document["sops"] else { throw ExchangeError(.malformed, "has no metadata of sops") }
    let metadata = try SopsMetadata(own)
    let values = try SopsTree.values(of: document, metadata, key: try metadata.dataKey(for: options.identities))
    let rest = ImportedItem.leaves(lines(of: own, at: .root.appending("sops")))
    if options.kind == nil, options.mappings.isEmpty, let own = SopsExport(values, options.kinds) {
      return ImportedItems(try own.records(format.name).map(ImportedItem.record) + [rest])
    }
    return ImportedItems([
      .record(try record(of: values, source.name, options)), rest,
    ])
  }

  private func record(
    of values: [SopsValue], _ name: String, _ options: ImportOptions
  ) throws(ExchangeError) -> ImportedRecord {
    guard values.count <= ValueLimit.count else { throw ExchangeError(.tooLarge, ValueLimit.tooMany) }
    var builder = RecordBuilder(format: format.name, place: SourcePlace())
    let rules = try FieldRules(options)
    for value in values {
      let path = value.path.description
      let own = value.wasSealed ? LeafRule.secret(path) : .field(path)
      builder.take(value.text, from: SourcePlace(line: value.line, path: path), by: rules.rule(for: path) ?? own)
    }
    if builder.text("title") == nil, !name.isEmpty { builder.add(name, .member("title"), as: "title") }
    return try rules.record(&builder, fallback: "custom")
  }

  /// The metadata of sops is understood, and does not belong to the record.
  private func lines(of node: SopsNode, at path: MemberPath) -> [LedgerLine] {
    switch node {
    case .map(let members) where !members.isEmpty:
      members.flatMap { lines(of: $0.node, at: path.appending($0.name)) }
    case .list(let items) where !items.isEmpty:
      items.enumerated().flatMap { lines(of: $0.element, at: path.appending($0.offset)) }
    default:
      [LedgerLine(SourcePlace(path: path.description), (node.text ?? "").isEmpty ? .empty : .mapped(to: "."))]
    }
  }
}
