internal import VaultDocument

/// Any YAML: a list of maps, or one map.
struct PlainYAMLImporter: Importer {
  let format = ImportFormat(
    "plain-yaml", title: "Any list of maps, YAML", versions: "YAML 1.2, one document, without anchors and tags",
    keeps: "as plain-json", isGeneral: true)

  func detects(_ sample: ImportSample) -> Bool {
    guard sample.paths.isEmpty, !sample.outline.isJSON else { return false }
    let name = sample.name.lowercased()
    return name.hasSuffix(".yaml") || name.hasSuffix(".yml")
  }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    let document = try YAMLReader.node(of: try JSONReading.text(of: source, options: options)).value
    return try FieldRules(options).items(of: document, format, named: source.name)
  }
}
