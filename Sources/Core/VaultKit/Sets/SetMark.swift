package import VaultDocument
internal import VaultFileStore
internal import VaultStorage
internal import VaultSystem
internal import VaultTrust

/// What a machine remembers of a name in a set: which vault it stands for, whatever the file says tomorrow.
package struct SetMark: Equatable, Sendable {
  static let format = 1

  /// Where the set's file is.
  package let set: String
  /// The name of the vault in the set.
  package let name: String
  /// The vault that the name stands for.
  package var vaultID: VaultID
  /// Whether a person has said so, rather than that it was found like that.
  package var isAccepted: Bool
  /// The address that a person has said may be connected to; nil for none.
  package var address: String?
  /// Who had a key when this machine last wrote there by the name: recipients, and ids of slots with passphrases; nil
  /// for never.
  package var readers: [String]?

  /// What is remembered of a name from now on.
  package init(
    set: String, name: String, vaultID: VaultID, isAccepted: Bool, address: String? = nil, readers: [String]? = nil
  ) {
    (self.set, self.name, self.vaultID) = (set, name, vaultID)
    (self.isAccepted, self.address, self.readers) = (isAccepted, address, readers)
  }

  /// Reads the bytes of a file of the state.
  init(parsing bytes: [UInt8], file: String) throws(VaultError) {
    guard case .object(let document)? = try? JSONParser.parse(bytes),
      document.names == ["accepted", "address", "format", "name", "readers", "set", "vault"],
      document.read("format") == Self.format, let set: String = document.read("set"),
      let name: String = document.read("name"), let isAccepted: Bool = document.read("accepted"),
      let id: VaultID = document.read("vault"), let address: String? = document.read("address"),
      let readers: [String]? = document.read("readers")
    else { throw .damagedState(file) }
    self.init(set: set, name: name, vaultID: id, isAccepted: isAccepted, address: address, readers: readers)
  }

  /// The bytes of a file of the state.
  func fileBytes() throws(VaultError) -> [UInt8] {
    try stateBytes(
      JSONObject(members: [
        "accepted": isAccepted, "address": address, "format": Self.format, "name": name, "readers": readers,
        "set": set, "vault": vaultID,
      ]))
  }
}

extension KnownVaults {
  /// The paths that a set's file is known by: as it was given, and without links.
  public static func paths(ofSet file: String) -> [String] {
    DirectoryStore.knownPaths(given: file, real: ProcessEnvironment.realPath(file))
  }

  /// What is remembered of a name in a set; nil for nothing.
  package func mark(of name: String, inSetAt path: String) throws(VaultError) -> SetMark? {
    let file = try StateName.set(path, name)
    guard let bytes = try read(file) else { return nil }
    let mark = try SetMark(parsing: bytes, file: folder.path(of: file))
    guard mark.set.utf8.elementsEqual(path.utf8), mark.name.utf8.elementsEqual(name.utf8) else {
      throw .damagedState(folder.path(of: file))
    }
    return mark
  }

  /// Remembers what names in sets stand for, in place of what was remembered.
  package func remember(_ marks: [SetMark]) throws(VaultError) {
    var changes: [StateFolder.Change] = []
    for mark in marks {
      if let known = try? self.mark(of: mark.name, inSetAt: mark.set), known == mark { continue }
      changes.append(StateFolder.Change(try .set(mark.set, mark.name), try mark.fileBytes()))
    }
    guard !changes.isEmpty else { return }
    let lock = try inState { () throws(StoreError) in try folder.lock() }
    try inState { () throws(StoreError) in try folder.apply(changes, under: lock) }
  }

  /// Forgets what names in sets stand for.
  ///
  /// - Throws: ``VaultError`` `.permissionDenied`, `.diskFull`, `.ioFailed`.
  public func forget(_ name: String, inSetsAt paths: [String]) throws(VaultError) {
    var changes: [StateFolder.Change] = []
    for path in paths where try read(.set(path, name)) != nil {
      changes.append(StateFolder.Change(try .set(path, name), nil))
    }
    guard !changes.isEmpty else { return }
    let lock = try inState { () throws(StoreError) in try folder.lock() }
    try inState { () throws(StoreError) in try folder.apply(changes, under: lock) }
  }
}

extension StateName {
  /// No path holds a NUL, and no name of a vault.
  fileprivate static func set(_ path: String, _ name: String) throws(VaultError) -> StateName {
    try .hashed(path + "\0" + name, in: "sets")
  }
}
