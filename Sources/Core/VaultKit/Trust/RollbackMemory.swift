internal import Synchronization
public import VaultDocument
internal import VaultSealing
internal import VaultStorage
internal import VaultTrust

/// The memory of one vault on this machine, while the vault is open.
package final class RollbackMemory: Sendable {
  /// The most versions in memory: beyond it, notes are written and all versions are released.
  private static let versionLimit = 1 << 16

  private struct Contents {
    /// The files that were read, by folder.
    var folders: [UInt8: SeenFolder] = [:]
    /// Folders of which only one record was read.
    var searched: Set<UInt8> = []
    /// How many versions were read.
    var readCount = 0
    /// The changes to write, by folder.
    var pending: [UInt8: [RecordID: SeenChange]] = [:]
    var pendingCount = 0
    /// The changes that are being written, or could not be written; data read from the disk lacks them.
    var unwritten: [UInt8: [RecordID: SeenChange]] = [:]
    var writerCount = 0
    /// Records that were sealed and verified, and may be written next.
    var sealed: [StoreLocation: SeenVersion] = [:]
    /// Records that were deleted for good and must still be noted for other copies.
    var deleted: [RecordID] = []
    var hasFailed = false
    /// Whether it was reported that this copy is behind another.
    var isBehind = false
    /// Whether it was reported that another branch keeps the missing state.
    var isElsewhere = false

    mutating func note(_ change: SeenChange, of id: RecordID) {
      if pending[id.folder, default: [:]].updateValue(change, forKey: id) == nil { pendingCount += 1 }
      folders[id.folder]?.take(change, of: id)
    }

    /// The data from the disk, completed with changes that are not there yet.
    func completed(_ read: SeenFolder, _ number: UInt8) -> SeenFolder {
      var seen = read
      for (id, change) in unwritten[number] ?? [:] { seen.take(change, of: id) }
      for (id, change) in pending[number] ?? [:] { seen.take(change, of: id) }
      return seen
    }

    /// If nothing can be written, everything stays in memory.
    var isFull: Bool { !hasFailed && readCount + pendingCount > RollbackMemory.versionLimit }

    /// Releases everything; unwritten changes are kept aside and returned.
    mutating func beginWriting() -> [UInt8: [RecordID: SeenChange]] {
      for (number, changes) in pending { unwritten[number, default: [:]].merge(changes) { $1 } }
      (pending, pendingCount, folders, readCount, searched) = ([:], 0, [:], 0, [])
      writerCount += 1
      return unwritten
    }

    mutating func endWriting(isWritten: Bool) {
      writerCount -= 1
      // Another task may be writing later changes.
      if isWritten, writerCount == 0 { unwritten = [:] }
    }
  }

  private let state: KnownVaults
  private let vaultID: VaultID
  private let paths: [String]
  /// The memory when the vault was opened, until its header is remembered.
  private let known: KnownVault?
  private let isNamed: Bool
  private let onNote: @Sendable (StateNote) -> Void
  private let isReplica: @Sendable () -> Bool
  private let otherStates: OtherStates?
  private let contents = Mutex(Contents())

  /// Nil if the options name no memory.
  init?(of vault: LockedVault, _ options: Vault.Options) {
    guard let state = options.state else { return nil }
    vaultID = vault.header.vaultID
    // Errors are reported when the memory is needed.
    known = options.known ?? (try? state.known(vault.header, at: vault.knownPaths, allowsCopy: !vault.isReplica))
    paths = known?.paths ?? vault.knownPaths
    self.state = state.memory(of: known?.copy)
    isNamed = options.isNamed
    onNote = options.onStateNote
    otherStates = options.otherStates
    isReplica = { vault.isReplica }
  }

  /// The memory of the vault; refuses another vault or another root, before any key is used.
  func requireIdentity(_ header: VaultHeader) throws(VaultError) -> KnownVault {
    let known = if let known { known } else { try state.known(header, at: paths, allowsCopy: !isReplica()) }
    if case .differs(let difference) = known.state, difference.isIdentity { throw difference.error }
    return known
  }

  /// Pins a verified header, after it refused an older or forked one, and reports news about it.
  ///
  /// If the newer state is kept elsewhere, nothing is pinned. If nothing can be written, the vault works nevertheless.
  ///
  /// - Parameters:
  ///   - known: the memory before; nil reads it.
  ///   - isOwn: whether this vault has just written it: then there is neither a comparison nor news.
  func remember(_ header: VaultHeader, _ known: KnownVault? = nil, isOwn: Bool = false) throws(VaultError) {
    let old: Pin?
    let original: String?
    do throws(VaultError) {
      let known = if let known { known } else { try state.known(header, at: paths, allowsCopy: !isReplica()) }
      let isNoCopy = isOwn || known.wasHere(header.vaultID) || isReplica()
      original = isNoCopy ? nil : state.otherPlace(of: header.vaultID, besides: paths)
      if !isOwn, let pin = known.pin?.header, known.isSetBack, isElsewhere(MissedState(pin, found: header)) { return }
      old = try state.remember(header, known, isNamed: isNamed, isOwn: isOwn)
    } catch {
      guard error.isOnlyForgetting else { throw error }
      return fail(error)
    }
    guard !isOwn else { return }
    guard let old else {
      return onNote(.firstUse(try Fingerprint.text(vaultID: header.vaultID, commitment: header.root.commitment)))
    }
    if let original { onNote(.copy(of: original)) }
    if old.header != nil, let change = StateNote.slots(old.slots, header) { onNote(change) }
  }

  /// Remembers a header with another root before it is written, so that a crash leaves no vault that is refused.
  func announce(_ header: VaultHeader) throws(VaultError) {
    do throws(VaultError) {
      try state.announce(header)
    } catch {
      guard error.isOnlyForgetting else { throw error }
      fail(error)
    }
  }

  /// Reports once that nothing is remembered.
  private func fail(_ error: VaultError) {
    let isFirst = contents.withLock { contents in
      defer { contents.hasFailed = true }
      return !contents.hasFailed
    }
    if isFirst { onNote(.notRemembered(error)) }
  }
}

extension RollbackMemory {
  /// Compares a verified version with the memory of its record, and notes a new one.
  ///
  /// - Returns: the fault of the version; nil if it is good, or if the newest one seen is kept elsewhere.
  func take(_ found: SeenVersion) throws(VaultError) -> (code: VaultError.Code, reason: String)? {
    let seen = try seen(of: found.id)
    let succession = seen.succession(of: found.version)
    if succession == .newer {
      if seen.versions[found.id] == nil { compareWithFirstPlace(found) }
      note(.seen(found), of: found.id)
    }
    guard let fault = succession.fault(of: found.version, seen.provenance(of: found.version)) else { return nil }
    if let newest = seen.versions[found.id], isElsewhere(MissedState(newest, found: found.version)) { return nil }
    return fault
  }

  /// Whether the last state seen is kept elsewhere, which is reported once.
  ///
  /// Then another state was put here on purpose. The memory stays unchanged.
  package func isElsewhere(_ missed: MissedState) -> Bool {
    guard let place = otherStates?(missed) else { return false }
    let isFirst = contents.withLock { contents in
      defer { contents.isElsewhere = true }
      return !contents.isElsewhere
    }
    if isFirst { onNote(.elsewhere(place)) }
    return true
  }

  /// Reports once that a copy is behind the place where the vault was first seen, when a record is first read there.
  private func compareWithFirstPlace(_ found: SeenVersion) {
    guard state.copy != nil, contents.withLock({ !$0.isBehind }),
      let first = try? state.memory(of: nil).seen(found.id, of: vaultID).versions[found.id],
      case .older(let revision) = found.version.succession(after: first.version)
    else { return }
    contents.withLock { $0.isBehind = true }
    onNote(.behind(found.id, revision: found.revision, newest: revision))
  }

  /// The memory of a record, possibly with others: a whole folder is only read for more than one of its records.
  package func seen(of id: RecordID) throws(VaultError) -> SeenFolder {
    let isFirst = contents.withLock { contents in
      contents.folders[id.folder] == nil && contents.searched.insert(id.folder).inserted
    }
    guard isFirst else { return try folder(id.folder) }
    let read = try state.seen(id, of: vaultID)
    return contents.withLock { $0.completed(read, id.folder) }
  }

  /// The memory of the records of a folder.
  package func folder(_ number: UInt8) throws(VaultError) -> SeenFolder {
    if let known = contents.withLock({ $0.folders[number] }) { return known }
    let read = try state.seen(in: number, of: vaultID)
    var folder = read
    change { contents in
      folder = contents.completed(read, number)
      contents.folders[number] = folder
      contents.readCount += read.versionCount
    }
    return folder
  }

  package func note(_ change: SeenChange, of id: RecordID) {
    self.change { $0.note(change, of: id) }
  }

  /// Changes the versions in memory, and releases them if they became too many.
  private func change(_ body: (inout Contents) -> Void) {
    let isFull = contents.withLock { contents in
      body(&contents)
      return contents.isFull
    }
    if isFull { flush() }
  }

  /// Notes a record that was sealed for a place; it counts once it is written.
  func prepare(_ version: SeenVersion, for place: StoreLocation) {
    contents.withLock { $0.sealed[place] = version }
  }

  /// Notes changes that were written, in memory until `flush()`. A version that was prepared for a place counts for
  /// it.
  func noteWritten(_ changes: [StoreChange]) {
    let places = Set(changes.map(\.location))
    for change in changes {
      switch change.location {
      case .record(let id), .trash(let id):
        let sealed = contents.withLock { $0.sealed.removeValue(forKey: change.location) }
        if let version = sealed ?? change.replacement.flatMap({ SeenVersion(parsing: $0, of: id) }) {
          note(.written(version), of: id)
        } else if case .trash = change.location, !places.contains(.record(id)) {
          noteDeleted(id)
        }
      case .header, .checkpoint, .slot, .attachment, .inbox: break
      }
    }
  }

  /// Removes and returns the version that was prepared for a place; the caller remembers it.
  func takePrepared(for place: StoreLocation) -> SeenVersion? {
    contents.withLock { $0.sealed.removeValue(forKey: place) }
  }

  /// Notes records that are already in place. If they cannot be remembered, that is reported and undoes nothing.
  ///
  /// - Parameters:
  ///   - onlyInTrash: the records that are not live.
  ///   - accepting: whether they count although later versions were seen.
  package func noteWritten(_ entries: VersionList, onlyInTrash: Set<RecordID> = [], accepting: Bool = false) {
    do throws(VaultError) {
      try entries.forEachPiece { entries in
        for entry in entries {
          let seen = SeenVersion(entry, isTrashed: onlyInTrash.contains(entry.id))
          note(accepting ? .accepted(seen) : .written(seen), of: entry.id)
        }
      }
    } catch {
      fail(error)
    }
  }

  /// Notes that a file of the trash was deleted for good; a live record of the same id stays remembered.
  private func noteDeleted(_ id: RecordID) {
    if let seen = try? folder(id.folder).versions[id], !seen.isTrashed { return }
    note(.forgotten, of: id)
    contents.withLock { $0.deleted.append(id) }
  }

  package func noteCheckpoint(_ mark: Pin.CheckpointMark, isOwn: Bool = false) {
    do throws(VaultError) {
      try state.noteCheckpoint(mark, of: vaultID, isOwn: isOwn)
    } catch {
      fail(error)
    }
  }

  /// How the present checkpoint differs from the newest one seen; nil if it is that or a later one, or if that is kept
  /// elsewhere.
  package func checkpointDifference(from found: Pin.CheckpointMark?) throws(VaultError) -> PinDifference? {
    guard let expected = try state.expectedCheckpoint(of: vaultID), let difference = expected.difference(from: found),
      !isElsewhere(MissedState(expected, found: found))
    else { return nil }
    return difference
  }

  /// Writes the notes. A failure is reported once and undoes nothing; the next call writes them again.
  package func flush() {
    let changes = contents.withLock { $0.beginWriting() }
    do throws(VaultError) {
      try state.note(changes, of: vaultID)
      let deleted = contents.withLock { $0.deleted }
      try state.noteDeleted(deleted, of: vaultID)
      contents.withLock { $0.deleted.removeAll(where: Set(deleted).contains) }
      contents.withLock { $0.endWriting(isWritten: true) }
    } catch {
      contents.withLock { $0.endWriting(isWritten: false) }
      fail(error)
    }
  }
}

/// News about the memory that a person may want to know.
public enum StateNote: Sendable {
  /// The vault was not known here; the value is its fingerprint.
  case firstUse(String)
  /// The vault was unknown at its place and is also at another, whose path is the value. Changes in one do not reach
  /// the other, and each is remembered separately.
  case copy(of: String)
  /// A record that is first read in a copy is older than this machine has seen it elsewhere.
  case behind(RecordID, revision: Int, newest: Int)
  /// Ways to unlock were added or removed since this machine last unlocked the vault.
  case slotsChanged(added: [Pin.SlotName], removed: [Pin.SlotName])
  /// The folder has an earlier state than this machine has seen, and the later one is kept; the value names the place,
  /// as in `the branch other`.
  case elsewhere(String)
  /// Nothing can be remembered.
  case notRemembered(VaultError)

  fileprivate static func slots(_ old: [Pin.SlotName], _ header: VaultHeader) -> StateNote? {
    let added = header.slots.filter { slot in !old.contains { $0.id == slot.id } }
    let removed = old.filter { slot in !header.slots.contains { $0.id == slot.id } }
    guard !added.isEmpty || !removed.isEmpty else { return nil }
    return .slotsChanged(added: added.map { Pin.SlotName(id: $0.id, label: $0.label) }, removed: removed)
  }
}

extension SeenVersion {
  init(_ record: OpenRecord) {
    self.init(RecordVersion(record), isTrashed: record.envelope.deletedAt != nil)
  }

  init(_ record: SealedRecord) {
    self.init(RecordVersion(record), isTrashed: record.deletedAt != nil)
  }

  /// The version in the bytes of a verified record file.
  package init?(parsing bytes: [UInt8], of id: RecordID) {
    guard let document = try? JSONParser.parse(bytes), let envelope = try? RecordEnvelope(of: document) else {
      return nil
    }
    let version = RecordVersion(id: id, revision: envelope.revision, mac: envelope.mac)
    self.init(version, isTrashed: envelope.deletedAt != nil)
  }
}

extension VaultError {
  /// Whether it reports a difference from this machine's memory.
  var isAboutPin: Bool { code == .unexpectedVault || code == .rolledBack || code == .forked }

  /// Whether the vault can be used nevertheless, because only the memory cannot be written.
  fileprivate var isOnlyForgetting: Bool {
    code == .permissionDenied || code == .diskFull || code == .lockedByOther || code == .ioFailed
  }
}
