internal import VaultCrypto
internal import VaultStorage
public import VaultTrust

extension DatabaseStore {
  /// Vaults in PostgreSQL, by an address such as `postgresql://db.example/app?vault=ops`.
  ///
  /// - Parameter password: of the user in the database, where libpq has none of its own: from a file, a service or a
  ///   certificate it takes it itself.
  public static func postgres(password: String? = nil) -> DatabaseStore {
    DatabaseStore { text throws(VaultError) in
      // Before a connection, whose TLS needs all of it, and mostly before anything is sealed.
      CryptoLibrary.share()
      do throws(TextFault) {
        return PostgresPlace(address: try PostgresAddress(parsing: text), password: password)
      } catch {
        // None of its text: there may be a password in it.
        throw VaultError(.usage, "the address of a database " + error.reason)
      }
    }
  }
}

private struct PostgresPlace: RemotePlace {
  let address: PostgresAddress
  let password: String?
  var patience = ServerPatience()

  var vaultName: String { address.vault }
  var isOpenToOthers: Bool { address.isOpenToOthers }

  func waiting(_ timeout: Duration, onWait: @escaping @Sendable (RemoteWait) -> Void) -> any RemotePlace {
    var place = self
    (place.patience.reconnecting, place.patience.onWait) = (timeout, onWait)
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
  /// The statements that make the tables of a database, and what else is asked for, each without a semicolon.
  ///
  /// - Parameters:
  ///   - name: where the tables are; nil for the usual schema.
  ///   - roles: the prefix of four roles, which are made as well.
  ///   - rowSecurity: whether the server itself keeps apart which role may see which vault.
  ///   - onlyAttachments: whether tables, roles and row security are there, made by a program that did not know
  ///     attachments, and only what those need is missing.
  package static func statements(
    inSchema name: String? = nil, roles: String? = nil, rowSecurity: Bool = false, onlyAttachments: Bool = false
  ) throws(VaultError) -> [String] {
    guard [name, roles].compactMap({ $0 }).allSatisfy(isName) else {
      throw VaultError(.usage, "the name is not of lower-case letters, digits and _")
    }
    let tables = name.map(PostgresSchema.init) ?? PostgresSchema()
    if onlyAttachments { return tables.addedAttachments(roles: roles, rowSecurity: rowSecurity) }
    return tables.creation + (roles.map { tables.roles(prefix: $0) } ?? [])
      + (rowSecurity ? tables.rowSecurity(roles: roles) : [])
  }
}
