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
