package import VaultDocument
internal import VaultFileStore
public import VaultKit
internal import VaultSystem
public import VaultTrust

/// The memory of a name in a set on this machine: the vault that it stands for, even if the file changes.
package struct SetMark: Equatable, Sendable {
  static let format = 1

  /// The path of the set's file.
  package let set: String
  package let name: String
  package var vaultID: VaultID
  /// Whether a person has accepted it, and it was not only found.
  package var isAccepted: Bool
  /// The address to which a person allowed a connection; nil for none.
  package var address: String?
  /// The holders of a key when this machine last wrote there by the name: recipients, and ids of slots with
  /// passphrases; nil if it never wrote.
  package var readers: [String]?

  package init(
    set: String, name: String, vaultID: VaultID, isAccepted: Bool, address: String? = nil, readers: [String]? = nil
  ) {
    (self.set, self.name, self.vaultID) = (set, name, vaultID)
    (self.isAccepted, self.address, self.readers) = (isAccepted, address, readers)
  }

  /// Reads the bytes of a state file.
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

  func fileBytes() throws(VaultError) -> [UInt8] {
    try stateBytes(
      JSONObject(members: [
        "accepted": isAccepted, "address": address, "format": Self.format, "name": name, "readers": readers,
        "set": set, "vault": vaultID,
      ]))
  }
}

extension KnownVaults {
  /// The paths by which a set's file is known: the given one, and the one without links.
  public static func paths(ofSet file: String) -> [String] {
    DirectoryStore.knownPaths(given: file, real: ProcessEnvironment.realPath(file))
  }

  /// The memory of a name in a set; nil if it is unknown.
  package func mark(of name: String, inSetAt path: String) throws(VaultError) -> SetMark? {
    let file = try StateName.set(path, name)
    guard let bytes = try read(file) else { return nil }
    let mark = try SetMark(parsing: bytes, file: folder.path(of: file))
    guard mark.set.utf8.elementsEqual(path.utf8), mark.name.utf8.elementsEqual(name.utf8) else {
      throw .damagedState(folder.path(of: file))
    }
    return mark
  }

  /// Remembers the meanings of names in sets, replacing earlier ones.
  package func remember(_ marks: [SetMark]) throws(VaultError) {
    var changes: [StateFolder.Change] = []
    for mark in marks {
      if let known = try? self.mark(of: mark.name, inSetAt: mark.set), known == mark { continue }
      changes.append(StateFolder.Change(try .set(mark.set, mark.name), try mark.fileBytes()))
    }
    try write(changes)
  }

  /// Forgets the meaning of a name in sets.
  ///
  /// - Throws: ``VaultError`` `.permissionDenied`, `.diskFull`, `.ioFailed`.
  public func forget(_ name: String, inSetsAt paths: [String]) throws(VaultError) {
    var changes: [StateFolder.Change] = []
    for path in paths where try read(.set(path, name)) != nil {
      changes.append(StateFolder.Change(try .set(path, name), nil))
    }
    try write(changes)
  }
}

extension StateName {
  /// Neither a path nor a name of a vault contains a NUL.
  fileprivate static func set(_ path: String, _ name: String) throws(VaultError) -> StateName {
    try .hashed(path + "\0" + name, in: "sets")
  }
}
