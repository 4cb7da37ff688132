extension ImportFormats {
  /// Formats that are JSON.
  static let json: [any Importer] = [
    BitwardenImporter(), BitwardenProtectedImporter(), EnpassJSONImporter(), ProtonPassJSONImporter(),
  ]
}
