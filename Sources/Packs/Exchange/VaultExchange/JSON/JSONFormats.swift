extension ImportFormats {
  /// Formats that are JSON.
  static let json: [any Importer] = [
    BitwardenImporter(), BitwardenProtectedImporter(), BitwardenArchiveImporter(), EnpassJSONImporter(),
    ProtonPassJSONImporter(),
    TreeImporter.keeper, TreeImporter.onePasswordCLI,
  ]
}
