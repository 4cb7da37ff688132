public import VaultAge
public import VaultCrypto
public import VaultRecords

/// A reader of one format of another tool.
public protocol Importer: Sendable {
  /// The format.
  var format: ImportFormat { get }

  /// Whether the beginning of a file has this format.
  ///
  /// At most one importer returns true for a file, apart from importers that are ``ImportFormat/isGeneral``.
  func detects(_ sample: ImportSample) -> Bool

  /// The records of a source, with a ledger line for each leaf.
  ///
  /// - Throws: ``ExchangeError`` if the source as a whole cannot be read.
  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems
}

/// The description of a format for the user.
public struct ImportFormat: Hashable, Sendable {
  /// The name on the command line, such as `bitwarden-json`.
  public let name: String
  /// The tool and the form, such as `Bitwarden, JSON`.
  public let title: String
  /// The versions of the tool whose files are read.
  public let versions: String
  /// One line about the values that are kept, and where values without a place go.
  public let keeps: String
  /// Whether many tools write such files. A general format is detected only if no other format matches.
  public let isGeneral: Bool
  /// Whether a kind and mappings can decide where the values go.
  public let takesMappings: Bool
  /// The prefix of external ids, before a colon. Forms of one format share a prefix.
  public let idPrefix: String

  /// Makes a format. Without `idPrefix` its ids begin with the name.
  public init(
    _ name: String, title: String, versions: String, keeps: String, isGeneral: Bool = false,
    takesMappings: Bool = false, idPrefix: String? = nil
  ) {
    self.takesMappings = takesMappings || isGeneral
    self.idPrefix = idPrefix ?? name
    self.name = name
    self.title = title
    self.versions = versions
    self.keeps = keeps
    self.isGeneral = isGeneral
  }
}

/// The choices of the user for an import, apart from the format.
public struct ImportOptions: Sendable {
  /// Which sources go to which members, for formats without a meaning of their own.
  public var mappings: [FieldMapping] = []
  /// The kind of the records in such formats; logins if nil.
  public var kind: RecordKind?
  /// The kinds that records can name.
  public var kinds: KindCatalog = .builtIn
  /// The encoding of text that does not declare one; UTF-8 if nil.
  public var encoding: TextEncoding?
  /// Asks for the passphrase of a sealed file; nil if nobody can be asked.
  public var passphrase: (@Sendable () throws(ExchangeError) -> SecretBytes)?

  /// The content of the key file that opens the source, alone or with a passphrase; nil for none.
  public var keyFile: [UInt8]?

  /// The keys for files that are sealed with age.
  public var identities: [AgeIdentity] = []

  /// Makes options with the default values.
  public init() {}

  func sourcePassphrase() throws(ExchangeError) -> SecretBytes {
    guard let passphrase else {
      throw ExchangeError(.passphraseNeeded, "is encrypted with a password, which was not given")
    }
    return try passphrase()
  }
}

/// One `FIELD=SOURCE`: a column or member of the source that goes to a member of the record.
public struct FieldMapping: Hashable, Sendable {
  /// The path of the member.
  public let field: String
  /// The name of the column or member.
  public let source: String

  /// Makes a mapping of its two parts.
  public init(field: String, source: String) {
    self.field = field
    self.source = source
  }

  /// Reads `FIELD=SOURCE`; the source may contain equals signs.
  ///
  /// - Throws: ``ExchangeError`` `.invalidMapping` if a part is empty.
  public init(parsing text: String) throws(ExchangeError) {
    guard let (field, source) = text.pair(separatedBy: "="), !field.isEmpty, !source.isEmpty else {
      throw ExchangeError(.invalidMapping, "must have the form FIELD=SOURCE")
    }
    self.init(field: String(field), source: String(source))
  }
}
