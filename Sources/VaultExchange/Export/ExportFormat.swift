public import VaultAge

/// A format that records can go out to.
public enum ExportFormat: String, Sendable, CaseIterable {
  case csv, yaml, env, bitwarden
  case keepassXML = "keepass-xml"
  case onePasswordCSV = "1password-csv"
  case sops

  /// Whether it makes sense only with the sealed fields opened: tools expect passwords there.
  public var needsSecrets: Bool {
    switch self {
    case .csv, .yaml, .env: false
    case .bitwarden, .keepassXML, .onePasswordCSV, .sops: true
    }
  }

  /// Whether the members keep their own names, which can then be written in another style.
  public var keepsNames: Bool {
    switch self {
    case .csv, .yaml: true
    case .env, .bitwarden, .keepassXML, .onePasswordCSV, .sops: false
    }
  }

  /// A writer of the format.
  ///
  /// - Parameters:
  ///   - recipients: who can open the sealed values of `sops`; the other formats seal nothing.
  ///   - isOfOneKind: whether the person has said of which kind the records are.
  /// - Throws: ``ExportError`` when a key for `sops` cannot be made or sealed.
  public func exporter(recipients: [AgeRecipient], isOfOneKind: Bool) throws(ExportError) -> any Exporter {
    switch self {
    case .csv: CSVExporter(hasKinds: !isOfOneKind)
    case .yaml: YAMLExporter()
    case .env: EnvironmentExporter()
    case .bitwarden: BitwardenExporter()
    case .keepassXML: KeePassExporter()
    case .onePasswordCSV: OnePasswordExporter()
    case .sops: try SOPSExporter(recipients: recipients)
    }
  }
}
