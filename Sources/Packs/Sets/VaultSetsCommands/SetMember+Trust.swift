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
        throw misdirected(
          "the name means another vault than this machine knows", expected: mark.vaultID, found: vault.id,
          hint: "find out who changed the file and why; `vault vaults accept \(name)` shows the change and asks")
      }
    }
    let known = vault.isAddress ? try mark(state) : nil
    guard vault.isAddress, known?.address != vault.place else {
      return VaultLocation(path: path, origin: .set, member: self)
    }
    throw CommandError(
      .unexpectedVault, "unknown_address", subject: words, "has an address that nobody has accepted on this machine",
      hints: [
        "its address is \(vault.place)", "no connection was made; `vault vaults accept \(name)` accepts the address",
      ])
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
    throw misdirected(
      "the place of this name holds another vault than the set says", expected: vault.id,
      found: locked.header.vaultID,
      hint: "find out why; to use the new vault, run `vault vaults remove \(name)`, "
        + "then `vault vaults add \(name) DIR`")
  }

  private func misdirected(_ reason: String, expected: VaultID, found: VaultID, hint: String) -> CommandError {
    CommandError(
      .unexpectedVault, "misdirected", subject: words, reason,
      hints: ["the vault \(expected.text) was expected, but \(found.text) was found", hint])
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
      messages.note("the vault of the name \(name) is not remembered: \(CommandError(any: error).reason)")
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
        ? "this machine writes to \(name) for the first time; these keys open it: \(list)"
        : "these keys were added to \(name) since this machine last wrote to it: \(list)")
    return new
  }
}

extension Slot {
  /// The holder of the slot, who stays the same when a rotation makes new slots.
  fileprivate var reader: String { recipient?.text ?? id.text }
}
