internal import VaultCrypto
internal import VaultStorage
public import VaultTrust

extension DatabaseStore {
  /// Vaults in PostgreSQL, by an address such as `postgresql://db.example/app?vault=ops`.
  ///
  /// - Parameter password: the password of the user in the database. It is used if libpq gets none from a file, a
  ///   service or a certificate.
  public static func postgres(password: String? = nil) -> DatabaseStore {
    DatabaseStore { text throws(VaultError) in
      // Before a connection, because its TLS needs all of OpenSSL, and mostly before anything is sealed.
      CryptoLibrary.share()
      do throws(TextFault) {
        return PostgresPlace(address: try PostgresAddress(parsing: text), password: password)
      } catch {
        // The error does not quote the address, because a password may be in it.
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
  /// The statements that make the tables of a database, and the roles and row security that the caller asks for. No
  /// statement ends with a semicolon.
  ///
  /// - Parameters:
  ///   - name: the schema of the tables; nil for the usual one.
  ///   - roles: the prefix of four roles, which are made as well.
  ///   - rowSecurity: whether the server itself controls which role may see which vault.
  ///   - onlyAttachments: whether an earlier program, which did not know attachments, has made the tables, roles and
  ///     row security, so that only the table of attachments and its rights are missing.
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
