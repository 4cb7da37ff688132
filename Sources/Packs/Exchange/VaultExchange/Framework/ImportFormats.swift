/// The formats that records can come from.
public enum ImportFormats {
  /// All of them, in the order of their names.
  public static let all: [any Importer] = (csv + json + documents + codes + lines + services).sorted {
    $0.format.name < $1.format.name
  }

  /// Formats of one file each that are neither tables nor JSON.
  private static let documents: [any Importer] = [
    KeePassXMLImporter(), KDBXImporter(), SSHKeyFolderImporter(), OnePassword1PUXImporter(), SopsImporter.json,
    SopsImporter.yaml, DotenvImporter(),
    PassageImporter(), PassImporter(), PlainJSONImporter(), PlainJSONLinesImporter(), PlainYAMLImporter(),
    PropertyListImporter(),
  ]

  /// The importer of a format.
  ///
  /// - Throws: ``ExchangeError`` `.unknownFormat`.
  public static func named(_ name: String) throws(ExchangeError) -> any Importer {
    guard let importer = all.first(where: { $0.format.name.utf8.elementsEqual(name.utf8) }) else {
      throw ExchangeError(.unknownFormat, "no format has this name")
    }
    return importer
  }

  /// Refuses a file that is known for what it is, and is not of the format that was named.
  ///
  /// - Throws: ``ExchangeError`` `.unsupported`.
  public static func check(_ sample: ImportSample, for importer: any Importer) throws(ExchangeError) {
    guard !importer.format.isGeneral, !importer.detects(sample), let tool = OtherTool.of(sample) else { return }
    throw ExchangeError(.unsupported, tool.title, advice: tool.advice)
  }

  /// The importer of the only format that a file can be of; a general one where no other is.
  ///
  /// - Throws: ``ExchangeError`` `.unknownFormat`, `.unsupported` for the file of a tool that is known and not read,
  ///   and `.ambiguousFormat` with the candidates.
  public static func detecting(_ sample: ImportSample) throws(ExchangeError) -> any Importer {
    let matching = all.filter { $0.detects(sample) }
    let special = matching.filter { !$0.format.isGeneral }
    if special.isEmpty, let tool = OtherTool.of(sample) {
      throw ExchangeError(.unsupported, tool.title, advice: tool.advice)
    }
    let candidates = special.isEmpty ? matching : special
    guard let importer = candidates.first else {
      // Any JSON can be taken by the paths in it, a table by its columns.
      throw ExchangeError(
        .unknownFormat, "is of no format that can be told from how it begins",
        advice: sample.outline.isJSON ? [.format("plain-json")] : [])
    }
    guard candidates.count == 1 else {
      throw ExchangeError(
        .ambiguousFormat, "can be of more than one format", candidates: candidates.map(\.format.name))
    }
    return importer
  }
}
