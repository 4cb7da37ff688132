public import VaultAge
public import VaultCrypto

/// A format that records can be exported to.
public enum ExportFormat: String, Sendable, CaseIterable {
  /// A table (RFC 4180), one column for each member.
  case csv
  /// YAML 1.2, a list of records.
  case yaml
  /// Assignments for a shell.
  case env
  /// JSON as Bitwarden imports it.
  case bitwarden
  /// XML as KeePass 2 imports it.
  case keepassXML = "keepass-xml"
  /// The table that 1Password imports.
  case onePasswordCSV = "1password-csv"
  /// A file of SOPS, with values sealed for age recipients.
  case sops
  /// A KeePass database, KDBX 4.
  case kdbx
  /// Lines of `machine`, `login` and `password`, as curl and ftp read them.
  case netrc
  /// The password file of PostgreSQL clients.
  case pgpass
  /// Assignments as Docker Compose and the dotenv libraries read them.
  case dotenv
  /// Kubernetes manifests with a Secret for each record.
  case kubernetes
  /// An Ansible Vault file.
  case ansibleVault = "ansible-vault"

  /// Whether the format needs the sealed fields opened, because tools expect passwords there.
  public var needsSecrets: Bool {
    switch self {
    case .csv, .yaml, .env, .dotenv: false
    case .bitwarden, .keepassXML, .onePasswordCSV, .sops, .kdbx, .netrc, .pgpass, .kubernetes, .ansibleVault: true
    }
  }

  /// Whether members keep their own names. Only then can the names be written in another style.
  public var keepsNames: Bool {
    switch self {
    case .csv, .yaml: true
    case .env, .dotenv, .bitwarden, .keepassXML, .onePasswordCSV, .sops: false
    case .kdbx, .netrc, .pgpass, .kubernetes, .ansibleVault: false
    }
  }

  /// Whether the file is sealed with a passphrase of its own.
  public var needsPassphrase: Bool { self == .kdbx || self == .ansibleVault }

  /// How many bytes of attachments a file of the format can have; 0 if the format has no attachments. All of them are
  /// in memory, because they come before the records.
  public var attachmentByteLimit: Int { self == .kdbx ? 64 << 20 : 0 }

  /// Whether the format has a place for former values.
  public var holdsFormerValues: Bool { [.bitwarden, .keepassXML, .kdbx].contains(self) }

  /// Whether the file is binary rather than text.
  public var isBinary: Bool { self == .kdbx }

  /// A writer of the format.
  ///
  /// - Parameters:
  ///   - recipients: the keys that can open the sealed values of `sops`; the other formats seal nothing.
  ///   - passphrase: the passphrase of the file, if ``needsPassphrase``.
  ///   - isOfOneKind: whether the user has chosen one kind for all records.
  /// - Throws: ``ExportError`` if a key cannot be made or sealed, or if the passphrase is missing.
  public func exporter(
    recipients: [AgeRecipient], passphrase: SecretBytes? = nil, isOfOneKind: Bool
  ) throws(ExportError) -> any Exporter {
    switch self {
    case .csv: CSVExporter(hasKinds: !isOfOneKind)
    case .yaml: YAMLExporter()
    case .env: EnvironmentExporter()
    case .bitwarden: BitwardenExporter()
    case .keepassXML: KeePassExporter()
    case .onePasswordCSV: OnePasswordExporter()
    case .netrc: NetrcExporter()
    case .pgpass: PgpassExporter()
    case .dotenv: DotenvExporter()
    case .kubernetes: KubernetesExporter()
    case .sops: try SOPSExporter(recipients: recipients)
    case .kdbx: try KDBXExporter(passphrase: try Self.required(passphrase))
    case .ansibleVault: try AnsibleVaultExporter(passphrase: try Self.required(passphrase))
    }
  }

  private static func required(_ passphrase: SecretBytes?) throws(ExportError) -> SecretBytes {
    guard let passphrase else { throw ExportError("needs a passphrase") }
    return passphrase
  }
}
