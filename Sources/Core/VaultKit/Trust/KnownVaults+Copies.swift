internal import VaultDocument
internal import VaultFileStore
internal import VaultTrust

// One machine can have several copies of a vault: clones and work trees of git, or copied folders. A server that only
// follows another is not a copy: nothing changes there by itself, and a reader waits for missing changes. The root key
// is the same in all copies. The last states seen are remembered for each copy, so that a change in one copy does not
// make another look older than it was.

extension KnownVaults {
  /// The memory of one copy of a vault.
  ///
  /// - Parameter copy: nil for the place where the vault was first seen.
  package func memory(of copy: String?) -> KnownVaults { KnownVaults(folder, copy: copy) }

  /// The copy at some paths; nil for the place where the vault was first seen.
  ///
  /// Of two known paths the given one counts: a link in the place of a copy still stands for that copy. Unknown paths
  /// are another copy if the vault still is where it was seen before; otherwise the vault was moved.
  func copy(
    of vaultID: VaultID, at paths: [String], _ marks: [String: PathMark], allowsCopy: @autoclosure () -> Bool
  ) throws(VaultError) -> String? {
    guard marks.isEmpty else {
      return paths.lazy.compactMap { marks[$0] }.first { $0.vaultID == vaultID }?.copy
    }
    return try newCopy(of: vaultID, at: paths, allowsCopy: allowsCopy())
  }

  /// The name of another copy, at unknown paths; nil if the vault is nowhere else.
  private func newCopy(
    of vaultID: VaultID, at paths: [String], allowsCopy: @autoclosure () -> Bool = true
  ) throws(VaultError) -> String? {
    // A server is asked about itself only if the answer matters.
    guard let place = paths.last, otherPlace(of: vaultID, besides: paths) != nil, allowsCopy() else { return nil }
    return try StateName.hash(place)
  }

  /// The copy to remember after a person has accepted it. If the vault has other places, it is a new copy, so that
  /// states seen there do not count here.
  func copy(toAccept vault: LockedVault) throws(VaultError) -> String? {
    let (paths, vaultID) = (vault.knownPaths, vault.header.vaultID)
    let marks = ((try? pathMarks()) ?? []).map(\.mark)
    let own = marks.first { $0.vaultID == vaultID && paths.contains($0.path) }
    return if let copy = own?.copy { copy } else { try newCopy(of: vaultID, at: paths) }
  }

  /// Notes for the other copies that records may be gone, because this copy has deleted them for good. When another
  /// copy is brought up to date, that is then not a rollback.
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

  /// Another place where the vault still is, of those where it was seen; nil if there is no other place or it cannot be
  /// told.
  func otherPlace(of vaultID: VaultID, besides paths: [String]) -> String? {
    let places = (try? self.paths(of: vaultID)) ?? []
    return places.first { place in
      // A database is assumed to have the vault still, because connecting only for a note is not worth it.
      !paths.contains(place)
        && (VaultPlace.isDatabase(place) || (try? LockedVault(at: place))?.header.vaultID == vaultID)
    }
  }
}

extension Pin? {
  /// This pin of one copy with the data that it shares with `other`, the pin of another copy. If this
  /// is nil, the result has no state, because no state of this copy was seen.
  func sharing(_ other: Pin) -> Pin {
    var pin = self ?? other.withoutStates
    pin.commitment = other.commitment
    pin.announced = other.announced
    pin.isNamed = other.isNamed || pin.isNamed
    return pin
  }
}

extension Pin {
  fileprivate var withoutStates: Pin {
    var pin = self
    (pin.header, pin.earlier, pin.slots, pin.checkpoint) = (nil, [], [], nil)
    return pin
  }
}
