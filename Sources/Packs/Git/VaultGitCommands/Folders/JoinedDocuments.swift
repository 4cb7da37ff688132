import VaultCLI
import VaultDocument
import VaultKit
import VaultMerge
import VaultSealing
import VaultStorage
import VaultTerminal

/// The header, the checkpoint, the slot files and the deposits of a vault, joined with their other versions.
struct JoinedDocuments {
  /// The files that were joined.
  private(set) var merged: [String] = []
  /// The files that were left, with reasons.
  private(set) var left: [(file: String, reason: String)] = []
  private(set) var leftPlaces: Set<StoreLocation> = []
  private var changes: [StoreChange] = []
  private var checkpoint: CheckpointMerge?
  private let others: OtherVersions
  private let vault: Vault
  private let side: MergeSide?

  /// - Parameter side: the side that wins if both have changed something that cannot be joined; nil to leave it.
  init(of others: OtherVersions, in vault: Vault, preferring side: MergeSide?) throws {
    (self.others, self.vault, self.side) = (others, vault, side)
    try joinHeader()
    joinCheckpoint()
    try checkUnchanging()
    try bringDeposits()
  }

  private mutating func joinHeader() throws {
    let place = StoreLocation.header
    let old = try vault.locked.readHeader()
    var ours = old
    for (name, version) in others.versions(of: place) where version.bytes != ours {
      guard let header = try? VaultHeader(parsing: version.bytes) else {
        return leave(place, "\(name) is not a header")
      }
      // This vault has keys that the other version does not know yet.
      if vault.header.replacedRoot(hint: header.root.id.bytes) != nil { continue }
      if header.replacedRoot(hint: vault.header.root.id.bytes) != nil {
        let line = "mv \(name.shellQuoted) \(place.relativePath)"
        return leave(place, "\(name) has the keys of a later rekey: `\(line)` in the vault's folder takes them")
      }
      switch try vault.mergedHeader(base: nil, ours: ours, theirs: version.bytes) {
      case .merged(let bytes): ours = bytes
      case .refused(let conflict):
        guard let side else { return leave(place, "\(name): \(conflict.line)") }
        if side == .theirs { ours = version.bytes }
      }
    }
    let header = try VaultHeader(parsing: ours)
    guard try bringSlots(of: header) else { return }
    guard ours != old else { return }
    changes.append(StoreChange(place, from: old, to: ours))
    merged.append(place.relativePath)
  }

  /// Finds the slot files that a header names and that are not in place. False if one of them is nowhere.
  private mutating func bringSlots(of header: VaultHeader) throws -> Bool {
    let faulty = Set(try SlotFile.faults(of: header, in: vault.store).map(\.file))
    for slot in header.slots where faulty.contains(slot.path) {
      let place = StoreLocation.slot(slot.id)
      let versions = others.versions(of: place).map(\.version.bytes)
      if let bytes = versions.first(where: { Self.isFile($0, of: slot) }) {
        changes.append(StoreChange(place, from: try vault.store.read(place), to: bytes))
        merged.append(place.relativePath)
      } else if !vault.header.slots.contains(where: { $0.members == slot.members }) {
        leave(.header, "it names \(slot.path), which is not here")
        return false
      }
    }
    return true
  }

  private static func isFile(_ bytes: [UInt8], of slot: Slot) -> Bool {
    (try? SlotFile.inspect(bytes, slot, maximumWorkFactor: SlotFile.workFactors.upperBound)) != nil
  }

  /// A copy of an attachment or deposit is only needed if the file itself is missing. Its content never changes.
  private mutating func checkUnchanging() throws {
    guard !others.unchanging.isEmpty else { return }
    let held = Set(try vault.store.heldAttachments().map { StoreLocation.attachment($0) })
      .union(try vault.store.heldDeposits().map { StoreLocation.inbox($0) })
    for copy in others.unchanging where !held.contains(copy.place) {
      if case .inbox(let id) = copy.place, try isAccepted(id) { continue }
      let (old, new) = (copy.relativePath.shellQuoted, copy.place.relativePath)
      leave(copy.place, "only a copy of it is here: `mv \(old) \(new)` in the vault's folder puts it in place")
    }
  }

  /// Takes the deposits of other folders that are not here, unless they were accepted here.
  private mutating func bringDeposits() throws {
    var known = Set(try vault.store.heldDeposits())
    for (name, other) in others.vaults {
      for id in try other.store.heldDeposits() where known.insert(id).inserted {
        guard try !isAccepted(id) else { continue }
        let place = StoreLocation.inbox(id)
        do throws(StoreError) {
          guard let bytes = try other.store.read(place) else { continue }
          changes.append(.put(place, bytes))
          merged.append(place.relativePath)
        } catch {
          guard error.isOfOneFile else { throw VaultError(store: error) }
          leave(place, "\(name): the file is not a deposit")
        }
      }
    }
  }

  /// Whether a deposit is gone because it is a record now.
  private func isAccepted(_ id: DepositID) throws -> Bool {
    try StoreLocation.places(of: id).contains { try vault.store.read($0) != nil }
  }

  private mutating func joinCheckpoint() {
    let place = StoreLocation.checkpoint
    let old = vault.store.version(at: place)
    guard let theirs = others.versions(of: place).first(where: { $0.version != old })?.version else { return }
    checkpoint = vault.checkpointMerge(base: [], ours: old?.bytes ?? [], theirs: theirs.bytes, takesOne: true)
    if checkpoint != nil { merged.append(place.relativePath) } else { leave(place, "no version of it is authentic") }
  }

  private mutating func leave(_ place: StoreLocation, _ reason: String) {
    left.append((place.relativePath, reason))
    leftPlaces.insert(place)
  }

  /// Writes the joined files: slot files before the header that names them.
  func put() async throws {
    if let checkpoint { try await vault.put(checkpoint) }
    for change in changes.sorted(by: { $0.location.relativePath < $1.location.relativePath }) {
      try await vault.put(change)
    }
  }
}
