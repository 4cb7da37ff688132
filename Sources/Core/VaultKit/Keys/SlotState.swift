internal import VaultAge
internal import VaultDocument
internal import VaultStorage
internal import VaultTrust

/// A slot and the state of its file, read without a key.
public struct SlotState: Sendable {
  /// The slot, as the header names it.
  public let slot: Slot
  /// The binary logarithm of its scrypt cost; nil for a recipient, and if the file cannot be read.
  public let workFactor: Int?
  /// Why the file is not the one that the header names; nil if it is.
  public let fault: VaultError?

  /// Whether guessing its passphrase is cheaper than for a new slot.
  public var isWeak: Bool { workFactor.map { $0 < SlotFile.defaultWorkFactor } ?? false }
}

extension LockedVault {
  /// Every slot of the header with the state of its file, in the order of the header.
  ///
  /// - Throws: ``VaultError`` `.internalFailure`; faults of a file are in its state.
  public func slotStates() throws(VaultError) -> [SlotState] { try states(of: header.slots) }

  package func states(of slots: [Slot]) throws(VaultError) -> [SlotState] {
    var states: [SlotState] = []
    for slot in slots { states.append(try state(of: slot)) }
    return states
  }

  /// The state of one slot's file.
  ///
  /// - Throws: ``VaultError`` `.internalFailure`.
  public func state(of slot: Slot) throws(VaultError) -> SlotState {
    do throws(VaultError) {
      guard let file = try inStore({ () throws(StoreError) in try store.read(.slot(slot.id)) }) else {
        throw SlotFile.damaged(slot, "is missing")
      }
      try SlotFile.inspect(file, slot, maximumWorkFactor: SlotFile.workFactors.upperBound)
      return SlotState(slot: slot, workFactor: SlotFile.workFactor(of: file), fault: nil)
    } catch {
      guard error.code != .internalFailure, error.code != .memoryUnavailable else { throw error }
      return SlotState(slot: slot, workFactor: nil, fault: error)
    }
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
