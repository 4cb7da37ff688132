import Testing
import VaultCare
import VaultDocument
import VaultKit
import VaultRecords
import VaultStorage
import VaultTestSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Lets a rotation end at every call that changes the disk, and finishes it.
@Suite("Interrupted rotation")
struct RotationFaultTests {
  private static let reasons: [KeyringEntry.Reason] = [.rewrap, .reseal]
  /// In one step, and in batches.
  private static let renames: [FaultyFileOperations.FlaggedRenames] = [.all, .exclusiveAlone]

  /// Rotates a copy of the vault until the call with `number`; returns the interrupted call, or nil if it was not
  /// reached.
  private func interrupt(
    _ vault: RotationVault, _ reason: KeyringEntry.Reason, _ fault: FaultyFileOperations.Fault, at number: Int,
    renames: FaultyFileOperations.FlaggedRenames = .all
  ) async throws -> String? {
    let operations = FaultyFileOperations(
      fault, at: number, recorder: SimulatedDisk(), countsChangesAlone: true, renames: renames)
    _ = try? await vault.open(nil, operations).rotate(reason)
    return operations.reachedCall
  }

  /// At every call: the vault opens with every value, and the next rotation leaves it whole under one root.
  private func expectRecovery(
    _ reason: KeyringEntry.Reason, _ fault: FaultyFileOperations.Fault, _ renames: FaultyFileOperations.FlaggedRenames
  ) async throws {
    let template = try await RotationVault.make()
    var unfinished = 0
    for number in Sweep("\(reason), \(fault), \(renames)") {
      let vault = try template.copy(to: "w")
      let call = try await interrupt(vault, reason, fault, at: number, renames: renames)
      let comment: Comment = "\(reason), call \(number) (\(call ?? "none"))"
      let opened = try await vault.open()
      try await vault.expectValues(opened, comment)
      if opened.header.unfinishedRotation != nil { unfinished += 1 }
      _ = try await opened.rotate(reason)
      try await vault.expectWhole(comment)
      #expect(opened.header.keyring.allSatisfy { $0.state == .retired }, comment)
      #expect(!opened.header.keyring.isEmpty, comment)
      #expect(try vault.store().slots().count == 2, comment)
      guard call != nil else {
        #expect(unfinished > 0 || !Sweep.isWhole)
        return
      }
    }
  }

  @Test(
    "after a death at any call the vault opens, and the next rotation finishes it, in one step or in batches",
    arguments: reasons, renames)
  func death(_ reason: KeyringEntry.Reason, _ renames: FaultyFileOperations.FlaggedRenames) async throws {
    try await expectRecovery(reason, .dying, renames)
  }

  @Test(
    "after a full disk at any call the vault opens, and the next rotation finishes it, in one step or in batches",
    arguments: reasons, renames)
  func fullDisk(_ reason: KeyringEntry.Reason, _ renames: FaultyFileOperations.FlaggedRenames) async throws {
    try await expectRecovery(reason, .failing(ENOSPC), renames)
  }

  @Test("a machine that dies while it changes the root key still knows the vault", arguments: reasons)
  func pinned(_ reason: KeyringEntry.Reason) async throws {
    let template = try await RotationVault.make()
    for number in Sweep("pinned, \(reason)") {
      let vault = try template.copy(to: "p")
      let folder = TemporaryFolder()
      var options = RotationVault.options
      options.state = KnownVaults(directory: folder.path)
      let operations = FaultyFileOperations(.dying, at: number, recorder: SimulatedDisk(), countsChangesAlone: true)
      let dying = try? await LockedVault(store: vault.store(operations)).unlock(
        with: .identity(vault.identity), options: options)
      _ = try? await dying?.rotate(reason)
      let opened = try await LockedVault(store: vault.store()).unlock(with: .identity(vault.identity), options: options)
      try await vault.expectValues(opened, "\(reason), call \(number)")
      // Nor is its own checkpoint, authenticated again and not noted, taken for another one: now, or once all is
      // finished.
      #expect(try await opened.verify().faults.isEmpty, "\(reason), call \(number)")
      _ = try await opened.rotate(.rewrap)
      let finished = try await LockedVault(store: vault.store()).unlock(
        with: .identity(vault.identity), options: options)
      #expect(try await finished.verify().faults.isEmpty, "\(reason), call \(number), finished")
      guard operations.reachedCall != nil else { return }
    }
  }

  /// A vault whose rotation died when the header had its final reason and no record was moved yet.
  private func half(_ template: RotationVault, _ reason: KeyringEntry.Reason) async throws -> RotationVault {
    for number in 1... {
      let vault = try template.copy(to: "half")
      let call = try await interrupt(vault, reason, .dying, at: number)
      if try LockedVault(store: vault.store()).header.unfinishedRotation?.reason == reason { return vault }
      try #require(call != nil, "no call was followed by an unfinished rotation")
    }
    preconditionFailure("the loop ends by its requirement")
  }

  @Test("while a reseal is unfinished, the old root counts only for what the checkpoint lists")
  func forged() async throws {
    let template = try await RotationVault.make()
    let vault = try await half(template, .reseal)
    // A version by a holder of the old root, made with an older copy of the vault.
    let leaver = try await template.open()
    #expect(try await leaver.edit(vault.live[0], [.set(.root.appending("name"), to: .string("forged"))]))
    let place = StoreLocation.record(vault.live[0])
    let store = try vault.store()
    let listed = try #require(try store.read(place))
    try store.apply([StoreChange(place, from: listed, to: template.store().read(place))])
    let opened = try await vault.open()
    await #expect(throws: VaultError(.damaged, "")) { try await opened.record(vault.live[0]) }
    await #expect(throws: VaultError(.damaged, "")) { try await opened.rotate(.reseal) }
    try store.apply([StoreChange(place, from: store.read(place), to: listed)])
    // Nor does a checkpoint that only the old root authenticates.
    let checkpoint = try #require(try store.read(.checkpoint))
    try store.apply([StoreChange(.checkpoint, from: checkpoint, to: nil)])
    await #expect(throws: VaultError(.damaged, "")) { try await vault.open().record(vault.live[0]) }
    try store.apply([StoreChange(.checkpoint, from: nil, to: checkpoint)])
    #expect(try await vault.open().rotate(.reseal).isResumed)
    try await vault.expectWhole("finished")
  }

  @Test("an unfinished rotation is finished before slots change", arguments: reasons)
  func slotChanges(_ reason: KeyringEntry.Reason) async throws {
    let vault = try await half(RotationVault.make(), reason)
    let opened = try await vault.open()
    let slot = opened.header.slots[1].id
    await #expect(throws: VaultError(.rotationUnfinished, "")) { try await opened.removeSlot(slot) }
    var renewal = SlotRenewal()
    renewal.dropped = [slot]
    await #expect(throws: VaultError(.rotationUnfinished, "")) { try await opened.rotate(reason, slots: renewal) }
    #expect(try await opened.verify().notes.count == 1)
    #expect(try await opened.rotate(reason).isResumed)
    try await opened.removeSlot(slot)
  }

  @Test("a reseal after an unfinished rewrap makes a root of its own")
  func resealAfterRewrap() async throws {
    let vault = try await half(RotationVault.make(), .rewrap)
    let opened = try await vault.open()
    let half = opened.header.root.id
    let rotation = try await opened.rotate(.reseal)
    #expect(rotation.reason == .reseal)
    #expect(!rotation.isResumed)
    #expect(opened.header.root.id != half)
    #expect(opened.header.keyring.map(\.reason) == [.rewrap, .reseal])
    try await vault.expectWhole("resealed")
  }

  @Test("with a reseal half done, a record that waits for it is read, not changed; new ones are stored")
  func writing() async throws {
    let vault = try await half(RotationVault.make(), .reseal)
    let opened = try await vault.open()
    await #expect(throws: VaultError(.rotationUnfinished, "")) {
      try await opened.edit(vault.live[0], [.set(.root.appending("name"), to: .string("new"))])
    }
    let id = try await opened.add(RotationVault.customer("three"))
    _ = try await opened.rotate(.reseal)
    #expect(try await opened.record(id).name == "three")
    #expect(try await opened.edit(vault.live[0], [.set(.root.appending("name"), to: .string("new"))]))
  }
}
