public import VaultAge
public import VaultCrypto
public import VaultRecords

/// A reader of one format of another tool.
public protocol Importer: Sendable {
  /// What the format is.
  var format: ImportFormat { get }

  /// Whether a file that begins like this is one of this format.
  ///
  /// At most one importer says so of a file, but for those that are ``ImportFormat/isGeneral``.
  func detects(_ sample: ImportSample) -> Bool

  /// The records of a source, each with the ledger lines of its leaves.
  ///
  /// - Throws: ``ExchangeError`` when the source as a whole cannot be read.
  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems
}

/// What a person is told about a format.
public struct ImportFormat: Hashable, Sendable {
  /// What it is called on the command line, such as `bitwarden-json`.
  public let name: String
  /// The tool and the form, such as `Bitwarden, JSON`.
  public let title: String
  /// Which versions of the tool write what this reads.
  public let versions: String
  /// One line about what is kept, and where what has no place of its own goes.
  public let keeps: String
  /// Whether many tools write such files: it is only detected where no other format is.
  public let isGeneral: Bool
  /// Whether a kind and mappings can say where its values go.
  public let takesMappings: Bool
  /// What the external ids of its entries begin with, before a colon: the name, or that of the format it is a form of.
  public let idPrefix: String

  /// A format of this name; without `idPrefix` its ids begin with the name.
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

/// What a person says about an import beyond the format.
public struct ImportOptions: Sendable {
  /// Which sources go to which members; for formats that have no meaning of their own.
  public var mappings: [FieldMapping] = []
  /// The kind of the records of such formats; logins when nil.
  public var kind: RecordKind?
  /// The kinds that records which say theirs can have.
  public var kinds: KindCatalog = .builtIn
  /// The encoding of text that does not say its own; UTF-8 when nil.
  public var encoding: TextEncoding?
  /// Asks for the passphrase of a sealed file; nil when nobody can be asked.
  public var passphrase: (@Sendable () throws(ExchangeError) -> SecretBytes)?

  /// What the file holds that opens a sealed one beside its passphrase, or instead; nil for none.
  public var keyFile: [UInt8]?

  /// The keys of files that are sealed with age.
  public var identities: [AgeIdentity] = []

  /// Nothing beyond the format.
  public init() {}

  /// The passphrase of a sealed file.
  func sourcePassphrase() throws(ExchangeError) -> SecretBytes {
    guard let passphrase else {
      throw ExchangeError(.passphraseNeeded, "is sealed with a password, and nobody can be asked for it")
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

  /// A mapping whose parts were told apart already.
  public init(field: String, source: String) {
    self.field = field
    self.source = source
  }

  /// Reads `FIELD=SOURCE`; the source may hold further equals signs.
  ///
  /// - Throws: ``ExchangeError`` `.invalidMapping` when either is empty.
  public init(parsing text: String) throws(ExchangeError) {
    guard let (field, source) = text.pair(separatedBy: "="), !field.isEmpty, !source.isEmpty else {
      throw ExchangeError(.invalidMapping, "a mapping has the form FIELD=SOURCE")
    }
    self.init(field: String(field), source: String(source))
  }
}
