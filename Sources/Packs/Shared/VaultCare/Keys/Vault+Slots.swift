internal import VaultAge
public import VaultCrypto
public import VaultDocument
public import VaultKit
internal import VaultSealing
package import VaultStorage
public import VaultTrust

extension Vault {
  /// Adds a way to unlock; no other slot's file changes (format 1, section 11, Rotation).
  ///
  /// The header and every slot's hash are verified first, so that no key goes to a person who only got into the folder.
  ///
  /// - Returns: the new slot.
  /// - Throws: ``VaultError`` `.alreadyExists` for a recipient that has a slot, `.slotRefused`, `.damaged` if any slot
  ///   is, `.changedUnderneath`, `.rotationUnfinished`, `.lockedByOther`, `.diskFull`, `.permissionDenied`,
  ///   `.ioFailed`.
  @discardableResult
  public func addSlot(_ new: NewSlot) async throws(VaultError) -> Slot {
    try await changingSlots { header, root, lock throws(VaultError) in
      try requireGood(header.slots)
      try header.requireNew(new)
      let (slot, file) = try SlotFile.make(new, root: root, now: options.now())
      let changed = try header.changed(slots: header.slots + [slot], root: root)
      try replaceHeader(by: changed, root: root, slots: [StoreChange(.slot(slot.id), from: nil, to: file)], lock)
      return slot
    }
  }

  /// Removes a way to unlock; no other slot's file changes.
  ///
  /// The keys stay the same: copies of the slot's file, and anybody who kept the root key, still open the vault. Only
  /// ``rotate(_:slots:progress:)`` with ``KeyringEntry/Reason/reseal`` ends that.
  ///
  /// - Parameter evenDamaged: whether to remove a slot whose own file is missing or damaged, which is the only remedy
  ///   besides restoring the file. A damaged file is deleted only if it can be read. Other slots may then be damaged,
  ///   too.
  /// - Returns: the removed slot.
  /// - Throws: ``VaultError`` `.noSuchSlot`, `.slotRefused` for the last one, and like ``addSlot(_:)``.
  @discardableResult
  public func removeSlot(_ id: SlotID, evenDamaged: Bool = false) async throws(VaultError) -> Slot {
    try await changingSlots { header, root, lock throws(VaultError) in
      let slot = try header.slot(id)
      guard header.slots.count > 1 else {
        throw VaultError(.slotRefused, "is the only way to unlock the vault", file: slot.path, remedies: [.addSlot])
      }
      let isDamaged = try locked.state(of: slot).fault != nil
      if !(isDamaged && evenDamaged) { try requireGood(header.slots) }
      let changed = try header.changed(slots: header.slots.filter { $0.id != id }, root: root)
      try replaceHeader(by: changed, root: root, slots: removal(of: slot.id), lock)
      return slot
    }
  }

  /// Gives a passphrase slot another passphrase: a new id and file in the same place of the list, with the same label.
  ///
  /// - Parameter workFactor: the binary logarithm of the scrypt cost, 10…20.
  /// - Returns: the new slot.
  /// - Throws: ``VaultError`` `.noSuchSlot`, `.slotRefused` for a slot without a passphrase, and like ``addSlot(_:)``.
  @discardableResult
  public func changePassphrase(
    of id: SlotID, to passphrase: SecretBytes, workFactor: Int = SlotFile.defaultWorkFactor
  ) async throws(VaultError) -> Slot {
    try await changingSlots { header, root, lock throws(VaultError) in
      let old = try header.slot(id)
      guard old.kind == .scrypt else {
        throw VaultError(.slotRefused, "has no passphrase: the slot is for an identity", file: old.path)
      }
      try requireGood(header.slots)
      let new = NewSlot(.passphrase(passphrase, workFactor: workFactor), label: old.label)
      let (slot, file) = try SlotFile.make(new, root: root, now: options.now())
      let changed = try header.changed(slots: header.slots.map { $0.id == id ? slot : $0 }, root: root)
      let files = [StoreChange(.slot(slot.id), from: nil, to: file)] + removal(of: old.id)
      try replaceHeader(by: changed, root: root, slots: files, lock)
      return slot
    }
  }

  /// Every slot with the state of its file, in the order of the header.
  ///
  /// - Throws: ``VaultError`` `.internalFailure`.
  public func slotStates() throws(VaultError) -> [SlotState] { try locked.states(of: header.slots) }

  /// Runs a change as the only writer, unless a rotation is unfinished.
  private func changingSlots<Result: Sendable>(
    _ change: @Sendable (VaultHeader, RootKey, any StoreLock) throws(VaultError) -> Result
  ) async throws(VaultError) -> Result {
    try await writing { lock throws(VaultError) in
      try header.requireNoRotation()
      return try change(header, keyring.current, lock)
    }
  }

  /// A damaged slot of anybody stops every change of slots, because it may be the trace of an attack, which the change
  /// would erase.
  package func requireGood(_ slots: [Slot]) throws(VaultError) {
    for state in try locked.states(of: slots) {
      guard var fault = state.fault else { continue }
      fault.remedies.append(.removeSlot(state.slot.id))
      throw fault
    }
  }

  /// The deletion of a slot's file. An unreadable file is left, unreferenced, which is harmless.
  package func removal(of slot: SlotID) -> [StoreChange] {
    guard let file = (try? store.read(.slot(slot))) ?? nil else { return [] }
    return [StoreChange(.slot(slot), from: file, to: nil)]
  }
}

extension VaultHeader {
  package func slot(_ id: SlotID) throws(VaultError) -> Slot {
    guard let slot = slots.first(where: { $0.id == id }) else {
      throw VaultError(.noSuchSlot, "the vault has no such slot")
    }
    return slot
  }

  /// The older root that records still use, if a rotation is not finished.
  public var unfinishedRotation: KeyringEntry? { keyring.first { $0.state == .openOnly } }

  /// During an unfinished rotation, a person who loses a slot would keep the new root key.
  fileprivate func requireNoRotation() throws(VaultError) {
    guard unfinishedRotation != nil else { return }
    throw VaultError(.rotationUnfinished, "a rekey of the vault was not finished", file: Self.fileName)
  }

  fileprivate func requireNew(_ new: NewSlot) throws(VaultError) {
    guard case .recipient(let recipient) = new.kind,
      let slot = slots.first(where: { $0.recipient == recipient })
    else { return }
    let label = slot.label.isEmpty ? "" : ", \"\(slot.label)\""
    throw VaultError(
      .alreadyExists, "the recipient already has a slot\(label) (\(slot.id.text.prefix(8)))", file: slot.path)
  }
}

extension VaultHeader {
  /// The one slot that `text` means: a full id or a recipient, else an exact label, else the beginning of one id, at
  /// least 4 characters.
  ///
  /// - Throws: ``VaultError`` `.noSuchSlot`, `.ambiguousSlot` with the candidates.
  public func slot(named text: String) throws(VaultError) -> Slot {
    if let id = SlotID(parsing: text), let slot = slots.first(where: { $0.id == id }) { return slot }
    if let slot = slots.first(where: { $0.recipient?.text == text }) { return slot }
    // An empty text never matches a label, because an unset variable must not name a slot.
    let labelled = slots.filter { !text.isEmpty && $0.label.utf8.elementsEqual(text.utf8) }
    let prefixed = slots.filter { text.utf8.count >= 4 && $0.id.text.utf8.starts(with: text.utf8) }
    let candidates = labelled.isEmpty ? prefixed : labelled
    guard let slot = candidates.first else { throw VaultError(.noSuchSlot, "the vault has no such slot") }
    guard candidates.count == 1 else {
      throw VaultError(
        .ambiguousSlot, "\(candidates.count) slots match: name one by its id",
        remedies: candidates.map { "\($0.id.text)  \($0.kind.name)  \($0.label)" })
    }
    return slot
  }
}
