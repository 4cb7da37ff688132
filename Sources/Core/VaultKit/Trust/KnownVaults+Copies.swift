internal import VaultDocument
internal import VaultFileStore
internal import VaultTrust

// One machine can have several copies of a vault: clones and work trees of git, folders that were copied. A server that
// only follows another is no copy: nothing changes there by itself, and a reader waits for what it lacks.
// The root key is the same in all of them. Which states were seen last is remembered for each copy, so that a change in
// one copy does not make another look older than it was.

extension KnownVaults {
  /// What is remembered of one copy of a vault.
  ///
  /// - Parameter copy: nil for the place at which the vault was seen first.
  package func memory(of copy: String?) -> KnownVaults { KnownVaults(folder, copy: copy) }

  /// The copy that is at some paths; nil for the place at which the vault was seen first.
  ///
  /// Of two known paths the given one counts: a link in the place of a copy still stands for that copy. At paths that
  /// nobody knows there is another copy if the vault still is where it was seen before, else the vault was moved.
  ///
  /// - Parameter marks: what is remembered of the paths.
  func copy(
    of vaultID: VaultID, at paths: [String], _ marks: [String: PathMark], allowsCopy: @autoclosure () -> Bool
  ) throws(VaultError) -> String? {
    guard marks.isEmpty else {
      return paths.lazy.compactMap { marks[$0] }.first { $0.vaultID == vaultID }?.copy
    }
    return try newCopy(of: vaultID, at: paths, allowsCopy: allowsCopy())
  }

  /// The name of another copy, at paths that nobody knows; nil if the vault is nowhere else.
  private func newCopy(
    of vaultID: VaultID, at paths: [String], allowsCopy: @autoclosure () -> Bool = true
  ) throws(VaultError) -> String? {
    // A server is asked what it is only where the answer counts.
    guard let place = paths.last, otherPlace(of: vaultID, besides: paths) != nil, allowsCopy() else { return nil }
    return try StateName.hash(place)
  }

  /// The copy that is remembered after a person has accepted it: one of its own if the vault has other places, so that
  /// nothing that was seen there counts here.
  func copy(toAccept vault: LockedVault) throws(VaultError) -> String? {
    let (paths, vaultID) = (vault.knownPaths, vault.header.vaultID)
    let marks = ((try? pathMarks()) ?? []).map(\.mark)
    let own = marks.first { $0.vaultID == vaultID && paths.contains($0.path) }
    return if let copy = own?.copy { copy } else { try newCopy(of: vaultID, at: paths) }
  }

  /// Remembers of the other copies that records may be gone, because this one has deleted them for good: once another
  /// copy is brought up to date, that is no rollback.
  func noteDeleted(_ ids: [RecordID], of vaultID: VaultID) throws(VaultError) {
    guard !ids.isEmpty else { return }
    let copies = Set(try pathMarks().filter { $0.mark.vaultID == vaultID }.map(\.mark.copy))
    for other in copies where other != copy {
      let memory = memory(of: other)
      var changes: [UInt8: [RecordID: SeenChange]] = [:]
      for id in ids {
        let seen = try memory.seen(id, of: vaultID).versions[id]
        guard let seen, !seen.isTrashed else { continue }
        changes[id.folder, default: [:]][id] = .written(SeenVersion(seen.version, isTrashed: true))
      }
      try memory.note(changes, of: vaultID)
    }
  }

  /// Where else the vault still is, of all places at which it was seen; nil for none, and where that cannot be told.
  func otherPlace(of vaultID: VaultID, besides paths: [String]) -> String? {
    let places = (try? self.paths(of: vaultID)) ?? []
    return places.first { place in
      // Nobody is connected with for the sake of a note: a database is taken to have it still.
      !paths.contains(place)
        && (VaultPlace.isDatabase(place) || (try? LockedVault(at: place))?.header.vaultID == vaultID)
    }
  }
}

extension Pin? {
  /// This pin of one copy with what `other`, the pin of another copy, has in common with it. If it has no pin, no state
  /// of the copy was seen.
  func sharing(_ other: Pin) -> Pin {
    var pin = self ?? other.withoutStates
    pin.commitment = other.commitment
    pin.announced = other.announced
    pin.isNamed = other.isNamed || pin.isNamed
    return pin
  }
}

extension Pin {
  /// The vault and its root key alone.
  fileprivate var withoutStates: Pin {
    var pin = self
    (pin.header, pin.earlier, pin.slots, pin.checkpoint) = (nil, [], [], nil)
    return pin
  }
}
