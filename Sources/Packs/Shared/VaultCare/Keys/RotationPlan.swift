internal import VaultAge
public import VaultCrypto
public import VaultDocument
internal import VaultKit
internal import VaultSealing
internal import VaultStorage
public import VaultTrust

/// The treatment of slots in a rotation.
public struct SlotRenewal: Sendable {
  /// Passphrases of slots that did not unlock the vault.
  public var passphrases: [SlotID: SecretBytes] = [:]
  /// Slots that get no new key.
  public var dropped: Set<SlotID> = []
  /// The binary logarithm of the scrypt cost of new passphrase slots, 10…20.
  public var workFactor = SlotFile.defaultWorkFactor
  /// The largest scrypt cost that is accepted in an old slot.
  public var maximumWorkFactor = SlotFile.defaultMaximumWorkFactor

  /// Makes every slot again, at the default costs.
  public init() {}
}

/// The effect of a rotation; nothing is written for it.
package struct RotationPlan: Sendable {
  /// The reason of an unfinished rotation: this one would finish it, with the slots unchanged.
  package let unfinished: KeyringEntry.Reason?
  package let slots: [Slot]
  /// The slots that get no new key.
  package let dropped: [Slot]
  /// Those among ``slots`` whose passphrase is not known.
  package let needsPassphrase: [Slot]
  /// The number of live records, each of which is written.
  package let recordCount: Int
  /// The number of records in the trash, each of which is written.
  package let trashedCount: Int
}

/// The result of a rotation.
public struct Rotation: Sendable {
  /// Why the root key was replaced.
  public let reason: KeyringEntry.Reason
  /// Whether it finished an earlier rotation.
  public let isResumed: Bool
  /// The number of live records that were written.
  public let recordCount: Int
  /// The number of records in the trash that were written.
  public let trashedCount: Int
  /// The slots that got no new key.
  public let dropped: [Slot]
}

extension Vault {
  /// The effect of ``rotate(_:slots:progress:)``.
  package func rotationPlan(_ renewal: SlotRenewal = .init()) throws(VaultError) -> RotationPlan {
    let unfinished = header.unfinishedRotation?.reason
    guard unfinished == nil || renewal.dropped.isEmpty else {
      throw VaultError(
        .rotationUnfinished, "the unfinished rekey has already made its slots, so none of them can be dropped",
        file: VaultHeader.fileName)
    }
    for id in renewal.dropped { _ = try header.slot(id) }
    let slots = header.slots.filter { !renewal.dropped.contains($0.id) }
    guard !slots.isEmpty else {
      throw VaultError(
        .slotRefused, "this would leave no way to unlock the vault", remedies: ["keep at least one slot"])
    }
    let needsPassphrase = slots.filter { slot in
      slot.kind == .scrypt && passphrase(of: slot, renewal) == nil && unfinished == nil
    }
    return RotationPlan(
      unfinished: unfinished, slots: slots, dropped: header.slots.filter { renewal.dropped.contains($0.id) },
      needsPassphrase: needsPassphrase, recordCount: try locked.recordCount(),
      trashedCount: try inStore { () throws(StoreError) in try store.trashed().count })
  }

  private func passphrase(of slot: Slot, _ renewal: SlotRenewal) -> SecretBytes? {
    renewal.passphrases[slot.id] ?? (slot.id == self.slot.id ? passphrase : nil)
  }

  /// Makes the slots of a plan again, for `root`: new ids and files, the same labels and order.
  ///
  /// The header's MAC and the hash of every slot were verified before, so that no foreign recipient gets a key.
  func renewedSlots(
    _ plan: RotationPlan, _ renewal: SlotRenewal, root: RootKey
  ) throws(VaultError) -> [(slot: Slot, file: [UInt8])] {
    guard plan.needsPassphrase.isEmpty else {
      throw VaultError(
        .noKey, "the other slots cannot be made again without their passphrases",
        remedies: plan.needsPassphrase.map { "slot \($0.id.text) \($0.label)" })
    }
    try requireGood(plan.slots)
    var renewed: [(slot: Slot, file: [UInt8])] = []
    for slot in plan.slots {
      let kind = try kind(of: slot, renewal)
      renewed.append(try SlotFile.make(NewSlot(kind, label: slot.label), root: root, now: options.now()))
    }
    return renewed
  }

  private func kind(of slot: Slot, _ renewal: SlotRenewal) throws(VaultError) -> NewSlot.Kind {
    switch slot.kind {
    case .x25519(let recipient), .hybrid(let recipient), .plugin(let recipient): return .recipient(recipient)
    case .scrypt:
      guard let passphrase = passphrase(of: slot, renewal) else { preconditionFailure("a plan knows what it needs") }
      // A typing error must not lock anybody out.
      if renewal.passphrases[slot.id] != nil { try requirePassphrase(passphrase, opens: slot, renewal) }
      return .passphrase(passphrase, workFactor: renewal.workFactor)
    }
  }

  /// Derives the key of the slot, which costs as much time as unlocking.
  package func requirePassphrase(
    _ passphrase: SecretBytes, opens slot: Slot, _ renewal: SlotRenewal = .init()
  ) throws(VaultError) {
    let unlocking = Unlocking(store: store, header: header)
    guard try unlocking.open(slot, with: passphrase, maximum: renewal.maximumWorkFactor) != nil else {
      throw VaultError(
        .wrongPassphrase, "the passphrase does not open this slot", file: slot.path,
        remedies: ["check the passphrase and try again"])
    }
  }
}
