internal import VaultCrypto
internal import VaultStorage
public import VaultTrust

extension DatabaseStore {
  /// Vaults in PostgreSQL, by an address such as `postgresql://db.example/app?vault=ops`.
  ///
  /// - Parameter password: the password of the database user. Nil if libpq needs none, or finds it in a file or a
  ///   service.
  public static func postgres(password: String? = nil) -> DatabaseStore {
    DatabaseStore { text throws(VaultError) in
      // This precedes any connection, because TLS needs the whole library.
      CryptoLibrary.share()
      do throws(TextFault) {
        return PostgresPlace(address: try PostgresAddress(parsing: text), password: password)
      } catch {
        // The error has nothing of the text, which may contain a password.
        throw VaultError(.usage, "the address of a database " + error.reason)
      }
    }
  }
}

private struct PostgresPlace: RemotePlace {
  let address: PostgresAddress
  let password: String?
  /// Nil for the usual limits.
  var patience: ServerPatience?

  var vaultName: String { address.vault }
  var isOpenToOthers: Bool { address.isOpenToOthers }

  func waiting(_ timeout: Duration, onWait: @escaping @Sendable (RemoteWait) -> Void) -> any RemotePlace {
    var (place, patience) = (self, ServerPatience())
    (patience.reconnecting, patience.onWait) = (timeout, onWait)
    patience.isForOneCommand = true
    place.patience = patience
    return place
  }

  func store() throws(StoreError) -> any RecordStore {
    try PostgresStore(at: address, password: password, patience: patience)
  }

  func createStore(makingTables: Bool) throws(StoreError) -> any RecordStore {
    try PostgresStore.create(at: address, password: password, makingTables: makingTables, patience: patience)
  }
}

extension PostgresSchema {
  /// The statements that make the tables of a database, and optionally roles and row security, each without a
  /// semicolon.
  ///
  /// - Parameters:
  ///   - name: the schema of the tables; nil for the default schema.
  ///   - roles: the prefix of five roles to make; nil for no roles.
  ///   - rowSecurity: whether the server restricts each role to its vaults.
  ///   - partitions: into how many partitions the documents are divided by their vault; 0 for none.
  ///   - onlyAttachments: whether to make only the additions for attachments, to tables, roles and row security of an
  ///     earlier program.
  package static func statements(
    inSchema name: String? = nil, roles: String? = nil, rowSecurity: Bool = false, partitions: Int = 0,
    onlyAttachments: Bool = false
  ) throws(VaultError) -> [String] {
    guard [name, roles].compactMap({ $0 }).allSatisfy(isName) else {
      throw VaultError(.usage, "the name must consist of lower-case letters, digits and _")
    }
    let tables = name.map(PostgresSchema.init) ?? PostgresSchema()
    if onlyAttachments { return tables.addedAttachments(roles: roles, rowSecurity: rowSecurity) }
    return tables.creation(partitions: partitions)
      + (roles.map { tables.roles(prefix: $0, partitions: partitions) } ?? [])
      + (rowSecurity ? tables.rowSecurity(roles: roles) : [])
  }
}
