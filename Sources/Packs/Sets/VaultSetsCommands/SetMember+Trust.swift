import VaultAge
import VaultCLI
import VaultDocument
import VaultKit
import VaultSets
import VaultTerminal

// Anybody may have written the file of a set. Exchanged places would send future secrets to other people. So the vault
// behind a name is remembered at its first use, and compared before the vault is opened.
extension SetMember: NamedVault {
  private var paths: [String] { KnownVaults.paths(ofSet: set.path) }

  /// The remembered vault of the name; nil for none.
  func mark(_ state: KnownVaults?) throws -> SetMark? {
    guard let state else { return nil }
    for path in paths {
      if let mark = try state.mark(of: name, inSetAt: path) { return mark }
    }
    return nil
  }

  /// The location of the vault, if the name has not changed its meaning and the location may be used.
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

  func opened() throws -> LockedVault {
    let location = try location()
    do {
      let locked = try location.open(nil)
      try check(locked)
      return locked
    } catch let error as VaultError {
      throw Session.explained(error, location)
    }
  }

  var stranger: String? {
    FoundVault.stranger(at: set.folder, holding: VaultSet.fileName)
      ?? (vault.isAddress ? nil : FoundVault.stranger(at: path))
  }

  var isOfFoundSet: Bool { self.set.origin == .parent }

  func isAccepted(_ state: KnownVaults?) throws -> Bool { try mark(state)?.isAccepted == true }

  func check(_ locked: LockedVault) throws {
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

  func remember(_ state: KnownVaults?, isAccepted: Bool, slots: [Slot]?, _ messages: Messages) {
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
  /// The holder of the slot, who stays the same when a rotation makes new slots.
  fileprivate var reader: String { recipient?.text ?? id.text }
}
