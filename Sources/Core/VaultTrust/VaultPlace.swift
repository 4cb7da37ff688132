internal import VaultCrypto
internal import VaultDocument
internal import VaultFileStore
internal import VaultPostgresStore
package import VaultStorage

/// Where a vault is: a folder, or a database, by its address.
public struct VaultPlace: Sendable {
  private enum Kind {
    case folder(String)
    case database(PostgresAddress, password: String?)
  }

  private let kind: Kind
  private var patience = ServerPatience()

  /// A folder, or `postgresql://[USER@]HOST[:PORT]/DATABASE?vault=NAME`.
  ///
  /// - Parameter databasePassword: of the user in the database, where libpq has none of its own: from a file, a service
  ///   or a certificate it takes it itself.
  /// - Throws: ``VaultError`` `.usage` for an address that is none, or that holds a password.
  public init(_ text: String, databasePassword: String? = nil) throws(VaultError) {
    guard Self.isDatabase(text) else {
      kind = .folder(text)
      return
    }
    // Before a connection, whose TLS needs all of it, and mostly before anything is sealed.
    CryptoLibrary.share()
    do throws(TextFault) {
      kind = .database(try PostgresAddress(parsing: text), password: databasePassword)
    } catch {
      // None of its text: there may be a password in it.
      throw VaultError(.usage, "the address of a database " + error.reason)
    }
  }

  /// The same place, of which a database that cannot be reached is tried again for a while.
  ///
  /// - Parameter onWait: called when the database has not answered for some seconds.
  package func waiting(
    _ timeout: Duration, onWait: @escaping @Sendable (RemoteWait) -> Void
  ) -> VaultPlace {
    var place = self
    (place.patience.reconnecting, place.patience.onWait) = (timeout, onWait)
    return place
  }

  /// Whether a text is meant as the address of a database, be it a good one or not.
  public static func isDatabase(_ text: String) -> Bool { PostgresAddress.isAddress(text) }

  /// The vault's name among the vaults of its database; nil for a folder.
  package var nameInDatabase: String? { if case .database(let address, _) = kind { address.vault } else { nil } }

  /// Whether somebody between here and the database could pass for it.
  public var isOpenToOthers: Bool { if case .database(let address, _) = kind { address.isOpenToOthers } else { false } }

  /// The statements that make the tables of a database, and what else is asked for, each without a semicolon.
  ///
  /// - Parameters:
  ///   - schema: where the tables are; nil for the usual one.
  ///   - roles: the prefix of four roles, which are made as well.
  ///   - rowSecurity: whether the server itself keeps apart which role may see which vault.
  ///   - onlyAttachments: whether tables, roles and row security are there, made by a program that did not know
  ///     attachments, and only what those need is missing.
  /// - Throws: ``VaultError`` `.usage` for a name that is not of lower-case letters, digits and `_`.
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

  /// The folder that still holds files of a vault whose `vault.json` is gone, such as `records`; nil if none does.
  package static func remains(ofVaultAt path: String) -> String? { DirectoryStore.remains(at: path) }

  /// The store that is there.
  package func store() throws(StoreError) -> any RecordStore {
    switch kind {
    case .folder(let path): try DirectoryStore(at: path)
    case .database(let address, let password):
      try PostgresStore(at: address, password: password, patience: patience)
    }
  }

  /// An empty store, made there.
  package func createStore(makingTables: Bool) throws(StoreError) -> any RecordStore {
    switch kind {
    case .folder(let path): try DirectoryStore.create(at: path)
    case .database(let address, let password):
      try PostgresStore.create(at: address, password: password, makingTables: makingTables, patience: patience)
    }
  }

  /// The folder, as a text; nil of a database.
  package var folder: String? { if case .folder(let path) = kind { path } else { nil } }
}

extension RecordStore {
  /// The places that this machine knows a vault here by, the last of them without links: its folder, or its address
  /// without the user; none for a store that is neither.
  package var knownPaths: [String] {
    switch self {
    case let store as DirectoryStore: store.knownPaths
    case let store as PostgresStore: [store.address.canonicalText]
    default: []
    }
  }
}
