internal import VaultFileStore
package import VaultStorage

/// The place of a vault: a folder, or the address of a database.
public struct VaultPlace: Sendable {
  private enum Kind {
    case folder(String)
    case database(any RemotePlace)
  }

  private var kind: Kind

  /// A folder, or `postgresql://[USER@]HOST[:PORT]/DATABASE?vault=NAME`.
  ///
  /// - Parameter database: opens the address of a database. Without it the program has folders alone.
  /// - Throws: ``VaultError`` `.usage` for a text that is not an address, for an address with a password, or if the
  ///   program has no store for the address.
  public init(_ text: String, database: DatabaseStore? = nil) throws(VaultError) {
    guard Self.isDatabase(text) else {
      kind = .folder(text)
      return
    }
    guard let database else {
      throw VaultError(
        .usage, "this program cannot open a vault in a database",
        remedies: ["use a program that has the module VaultPostgresStore"])
    }
    kind = .database(try database.place(text))
  }

  /// The same place, retrying for a while if the database cannot be reached.
  ///
  /// - Parameter onWait: called if the database has not answered for some seconds.
  package func waiting(
    _ timeout: Duration, onWait: @escaping @Sendable (RemoteWait) -> Void
  ) -> VaultPlace {
    guard case .database(let remote) = kind else { return self }
    var place = self
    place.kind = .database(remote.waiting(timeout, onWait: onWait))
    return place
  }

  /// Whether a text is meant as the address of a database, valid or not.
  public static func isDatabase(_ text: String) -> Bool {
    text.hasPrefix("postgresql:") || text.hasPrefix("postgres:")
  }

  /// The vault's name among the vaults of its database; nil for a folder.
  package var nameInDatabase: String? { if case .database(let remote) = kind { remote.vaultName } else { nil } }

  /// Whether somebody between here and the database could pass for it.
  public var isOpenToOthers: Bool { if case .database(let remote) = kind { remote.isOpenToOthers } else { false } }

  /// The name of a folder, such as `records`, with files of a vault that lost its `vault.json`; nil without such files.
  package static func remains(ofVaultAt path: String) -> String? { DirectoryStore.remains(at: path) }

  package func store() throws(StoreError) -> any RecordStore {
    switch kind {
    case .folder(let path): try DirectoryStore(at: path)
    case .database(let remote): try remote.store()
    }
  }

  package func createStore(makingTables: Bool) throws(StoreError) -> any RecordStore {
    switch kind {
    case .folder(let path): try DirectoryStore.create(at: path)
    case .database(let remote): try remote.createStore(makingTables: makingTables)
    }
  }

  package var folder: String? { if case .folder(let path) = kind { path } else { nil } }
}

/// The store of vaults in a database. The module `VaultPostgresStore` has one.
public struct DatabaseStore: Sendable {
  let place: @Sendable (_ address: String) throws(VaultError) -> any RemotePlace

  /// A store whose addresses `place` parses.
  package init(place: @escaping @Sendable (_ address: String) throws(VaultError) -> any RemotePlace) {
    self.place = place
  }
}

/// An address of a vault in a database, with everything that is needed to open it.
package protocol RemotePlace: Sendable {
  /// The vault's name among the vaults of its database.
  var vaultName: String { get }
  /// Whether somebody between here and the database could pass for it.
  var isOpenToOthers: Bool { get }

  /// The same place; see ``VaultPlace/waiting(_:onWait:)``.
  func waiting(_ timeout: Duration, onWait: @escaping @Sendable (RemoteWait) -> Void) -> any RemotePlace

  func store() throws(StoreError) -> any RecordStore
  func createStore(makingTables: Bool) throws(StoreError) -> any RecordStore
}

extension RecordStore {
  /// The paths by which this machine knows a vault here, the last of them without links: its folder, or its address
  /// without the user. Empty for other stores.
  package var knownPaths: [String] {
    switch self {
    case let store as DirectoryStore: store.knownPaths
    case let store as any RemoteStore: [store.knownAddress]
    default: []
    }
  }
}
