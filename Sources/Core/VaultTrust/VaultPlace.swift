internal import VaultCrypto
internal import VaultFileStore
internal import VaultPostgresStore
package import VaultStorage

/// The place of a vault: a folder, or the address of a database.
public struct VaultPlace: Sendable {
  private enum Kind {
    case folder(String)
    case database(PostgresAddress, password: String?)
  }

  private let kind: Kind
  private var patience = ServerPatience()

  /// A folder, or `postgresql://[USER@]HOST[:PORT]/DATABASE?vault=NAME`.
  ///
  /// - Parameter databasePassword: the password of the database user. It is not needed if libpq gets one from a file, a
  ///   service or a certificate.
  /// - Throws: ``VaultError`` `.usage` if the address is malformed or holds a password.
  public init(_ text: String, databasePassword: String? = nil) throws(VaultError) {
    guard Self.isDatabase(text) else {
      kind = .folder(text)
      return
    }
    // Before a connection, whose TLS needs all of OpenSSL, and mostly before anything is sealed.
    CryptoLibrary.share()
    do throws(PostgresAddress.Fault) {
      kind = .database(try PostgresAddress(parsing: text), password: databasePassword)
    } catch {
      // Without its text, which may contain a password.
      throw VaultError(.usage, "the address of a database " + error.reason)
    }
  }

  /// The same place, retrying for a while if the database cannot be reached.
  ///
  /// - Parameter onWait: called if the database has not answered for some seconds.
  package func waiting(
    _ timeout: Duration, onWait: @escaping @Sendable (RemoteWait) -> Void
  ) -> VaultPlace {
    var place = self
    (place.patience.reconnecting, place.patience.onWait) = (timeout, onWait)
    return place
  }

  /// Whether a text is meant as the address of a database, valid or not.
  public static func isDatabase(_ text: String) -> Bool { PostgresAddress.isAddress(text) }

  /// The vault's name among the vaults of its database; nil for a folder.
  package var nameInDatabase: String? { if case .database(let address, _) = kind { address.vault } else { nil } }

  /// Whether a machine between here and the database could impersonate it.
  public var isOpenToOthers: Bool { if case .database(let address, _) = kind { address.isOpenToOthers } else { false } }

  /// The statements that make the tables of a database, with the requested additions, each without a semicolon.
  ///
  /// - Parameters:
  ///   - schema: the schema of the tables; nil for the default one.
  ///   - roles: the prefix of four roles, which are also made.
  ///   - rowSecurity: whether the server itself controls which role may see which vault.
  ///   - onlyAttachments: whether to make only the missing parts for attachments, because an older program made tables,
  ///     roles and row security.
  /// - Throws: ``VaultError`` `.usage` if a name has other characters than lower-case letters, digits and `_`.
  public static func tableStatements(
    inSchema schema: String? = nil, roles: String? = nil, rowSecurity: Bool = false, onlyAttachments: Bool = false
  ) throws(VaultError) -> [String] {
    guard [schema, roles].compactMap({ $0 }).allSatisfy(PostgresSchema.isName) else {
      throw VaultError(.usage, "the name is not of lower-case letters, digits and _")
    }
    let tables = schema.map(PostgresSchema.init) ?? PostgresSchema()
    if onlyAttachments { return tables.addedAttachments(roles: roles, rowSecurity: rowSecurity) }
    return tables.creation + (roles.map { tables.roles(prefix: $0) } ?? [])
      + (rowSecurity ? tables.rowSecurity(roles: roles) : [])
  }

  /// A folder that still holds files of a vault whose `vault.json` is gone, such as `records`; nil if there is no such
  /// folder.
  package static func remains(ofVaultAt path: String) -> String? { DirectoryStore.remains(at: path) }

  package func store() throws(StoreError) -> any RecordStore {
    switch kind {
    case .folder(let path): try DirectoryStore(at: path)
    case .database(let address, let password):
      try PostgresStore(at: address, password: password, patience: patience)
    }
  }

  package func createStore(makingTables: Bool) throws(StoreError) -> any RecordStore {
    switch kind {
    case .folder(let path): try DirectoryStore.create(at: path)
    case .database(let address, let password):
      try PostgresStore.create(at: address, password: password, makingTables: makingTables, patience: patience)
    }
  }

  package var folder: String? { if case .folder(let path) = kind { path } else { nil } }
}

extension RecordStore {
  /// The paths by which this machine knows a vault here, the last of them without links: its folder, or its address
  /// without the user. Empty for other stores.
  package var knownPaths: [String] {
    switch self {
    case let store as DirectoryStore: store.knownPaths
    case let store as PostgresStore: [store.address.canonicalText]
    default: []
    }
  }
}
