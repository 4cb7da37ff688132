extension ImportFormats {
  static let json: [any Importer] = [
    BitwardenImporter(), BitwardenProtectedImporter(), BitwardenArchiveImporter(), EnpassJSONImporter(),
    ProtonPassJSONImporter(),
    TreeImporter.keeper, TreeImporter.onePasswordCLI,
  ]
}
