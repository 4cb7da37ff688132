import VaultAge
import VaultDocument
package import VaultKit
package import VaultTerminal

// The file of a set is nobody's word. Exchanged places would send tomorrow's secret to other people, so what a name
// stands for is remembered at its first use, and compared before the vault there is even looked at.
extension SetMember {
  private var paths: [String] { KnownVaults.paths(ofSet: set.path) }

  /// What this machine remembers of the name; nil for nothing.
  package func mark(_ state: KnownVaults?) throws -> SetMark? {
    guard let state else { return nil }
    for path in paths {
      if let mark = try state.mark(of: name, inSetAt: path) { return mark }
    }
    return nil
  }

  /// Where the vault is, if the name still stands for what it stood for, and the place may be gone to.
  func location() throws -> VaultLocation {
    let state = StateLocation.path.map { KnownVaults(directory: $0) }
    if let state {
      for path in paths {
        guard let mark = try state.mark(of: name, inSetAt: path), mark.vaultID != vault.id else { continue }
        throw misdirected("stands for another vault than this machine knows", expected: mark.vaultID, found: vault.id)
      }
    }
    let known = vault.isAddress ? try mark(state) : nil
    guard vault.isAddress, known?.address != vault.place else {
      return VaultLocation(path: path, origin: .set, member: self)
    }
    throw CommandError(
      .unexpectedVault, "unknown_address", subject: words, "is at an address that nobody has accepted on this machine",
      hints: ["it is \(vault.place)", "`vault vaults accept \(name)` accepts it; nothing was connected to"])
  }

  /// Refuses another vault than the one that the set says is there.
  package func check(_ locked: LockedVault) throws {
    guard locked.header.vaultID != vault.id else { return }
    throw misdirected("is at a place that holds another vault", expected: vault.id, found: locked.header.vaultID)
  }

  private func misdirected(_ reason: String, expected: VaultID, found: VaultID) -> CommandError {
    CommandError(
      .unexpectedVault, "misdirected", subject: words, reason,
      hints: [
        "expected the vault \(expected.text), found \(found.text)",
        "find out who changed the file and why; `vault vaults accept \(name)` shows what it would mean, and asks",
      ])
  }

  /// Remembers what the name stands for, unless it is known already.
  ///
  /// - Parameters:
  ///   - isAccepted: whether a person has said so.
  ///   - slots: those that there are, where something is about to be written.
  package func remember(_ state: KnownVaults?, isAccepted: Bool, slots: [Slot]? = nil, _ messages: Messages) {
    guard let state else { return }
    do {
      let known = try mark(state).flatMap { $0.vaultID == vault.id ? $0 : nil }
      try state.remember(
        paths.map { path in
          SetMark(
            set: path, name: name, vaultID: vault.id, isAccepted: isAccepted || known?.isAccepted == true,
            address: vault.isAddress && known?.address != vault.place && isAccepted ? vault.place : known?.address,
            readers: slots?.map(\.reader) ?? known?.readers)
        })
    } catch {
      messages.note("what \(name) stands for is not remembered: \(CommandError(any: error).reason)")
    }
  }

  /// Says who has a key since this machine last wrote there.
  ///
  /// - Returns: the slots that are new; all of them where it never wrote.
  @discardableResult
  func noteReaders(of vault: Vault, _ state: KnownVaults?, _ messages: Messages) throws -> [Slot] {
    let mark = try mark(state)
    let known = mark?.readers
    let slots = vault.header.slots
    let new = slots.filter { known?.contains($0.reader) != true }
    guard !new.isEmpty else { return [] }
    let list = new.map(\.words).joined(separator: ", ")
    messages.note(
      known == nil
        ? "the first that this machine writes to \(name), which these open: \(list)"
        : "since this machine last wrote to \(name), these were given a key: \(list)")
    return new
  }
}

extension Slot {
  /// Who opens it, whichever slot of theirs it is: a rotation makes all of them anew.
  fileprivate var reader: String { recipient?.text ?? id.text }
}

extension SetMember {
  /// The vault, as it is seen without a key, if it is the one that the name stands for.
  package func opened() throws -> LockedVault {
    let location = try location()
    do {
      let locked = try location.open(nil)
      try check(locked)
      return locked
    } catch let error as VaultError {
      throw Session.explained(error, location)
    }
  }
}
