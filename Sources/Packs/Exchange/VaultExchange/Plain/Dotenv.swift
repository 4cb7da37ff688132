import VaultDocument
import VaultMarkup

/// Environment variables, one on each line. They become one record.
struct DotenvImporter: Importer {
  let format = ImportFormat(
    "dotenv", title: "Environment variables, .env", versions: "NAME=VALUE, also quoted and behind `export`",
    keeps: "each variable as a secret of one record, or by a mapping; `$NAME` in a value stays as it is",
    isGeneral: true)

  func detects(_ sample: ImportSample) -> Bool {
    let isNamed = sample.name == ".env" || sample.name.hasSuffix(".env")
    var decoder = TextDecoder()
    var reader = DotenvReader(decoder.decode(sample.head) + decoder.decode([]))
    var (count, variableCount) = (0, 0)
    while let entry = reader.next() {
      count += 1
      if !entry.name.isEmpty { variableCount += 1 }
      guard variableCount > 0 else { return false }
    }
    return count > 0 && (isNamed || variableCount * 10 >= count * 9)
  }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    let bytes = Array(try LineText.text(of: source, options).utf8)
    let rules = try FieldRules(options)
    var reader = DotenvReader(bytes)
    var builder = RecordBuilder(format: format.name, place: SourcePlace())
    var items: [ImportedItem] = []
    var count = 0
    while let entry = reader.next() {
      let place = SourcePlace(line: entry.line, path: entry.name)
      guard count + items.count < ValueLimit.count else {
        throw ExchangeError(.tooLarge, ValueLimit.tooMany, at: place)
      }
      guard let value = entry.value, !value.utf8.contains(0) else {
        let reason =
          entry.value == nil
          ? "the line is not a variable, or its quote is never closed" : "a value contains a NUL character"
        items.append(.refused(place, reason: reason, lines: [LedgerLine(place, .refused(reason))]))
        continue
      }
      if entry.name == "sops_mac" {
        throw ExchangeError(
          .unsupported, "the file is encrypted by sops, which this program reads only as JSON or YAML", at: place,
          advice: [.pipe("sops decrypt FILE", format: "dotenv")])
      }
      count += 1
      builder.take(value, from: place, by: rules.rule(for: entry.name) ?? .secret(entry.name))
    }
    guard count > 0 else { return ImportedItems(items) }
    if builder.text("title") == nil { builder.add(source.name, .member("title"), as: "title") }
    return ImportedItems([.record(try rules.record(&builder, fallback: "custom"))] + items)
  }
}
