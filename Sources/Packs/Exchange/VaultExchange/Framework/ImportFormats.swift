/// The formats that records can be imported from.
public enum ImportFormats {
  /// All formats, in the order of their names.
  public static let all: [any Importer] = (csv + json + documents + codes + lines + services).sorted {
    $0.format.name < $1.format.name
  }

  /// Formats of one file each, other than tables and JSON.
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

  /// Refuses a recognised file that does not have the named format.
  ///
  /// - Throws: ``ExchangeError`` `.unsupported`.
  public static func check(_ sample: ImportSample, for importer: any Importer) throws(ExchangeError) {
    guard !importer.format.isGeneral, !importer.detects(sample), let tool = OtherTool.of(sample) else { return }
    throw ExchangeError(.unsupported, tool.title, advice: tool.advice)
  }

  /// The importer of the only format that the file can have. A general format counts only if no other matches.
  ///
  /// - Throws: ``ExchangeError`` `.unknownFormat`, `.unsupported` for a recognised file that this program does not
  ///   read, and `.ambiguousFormat` with the candidates.
  public static func detecting(_ sample: ImportSample) throws(ExchangeError) -> any Importer {
    let matching = all.filter { $0.detects(sample) }
    let special = matching.filter { !$0.format.isGeneral }
    if special.isEmpty, let tool = OtherTool.of(sample) {
      throw ExchangeError(.unsupported, tool.title, advice: tool.advice)
    }
    let candidates = special.isEmpty ? matching : special
    guard let importer = candidates.first else {
      // Any JSON can be imported by its paths, and a table by its columns.
      throw ExchangeError(
        .unknownFormat, "does not look like any format that this program reads",
        advice: sample.outline.isJSON ? [.format("plain-json")] : [])
    }
    guard candidates.count == 1 else {
      throw ExchangeError(
        .ambiguousFormat, "can be read in more than one format", candidates: candidates.map(\.format.name))
    }
    return importer
  }
}
