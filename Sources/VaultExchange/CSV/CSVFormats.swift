extension ImportFormats {
  /// Formats that are tables of comma-separated values.
  static let csv: [any Importer] = []
}
