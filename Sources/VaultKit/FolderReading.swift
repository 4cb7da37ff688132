internal import VaultDocument
internal import VaultIndex
internal import VaultRecords
internal import VaultSealing
internal import VaultStorage

/// A folder that is to be read, and what is known of it.
struct FolderWork: Sendable {
  let folder: UInt8
  /// Taken before anything is read.
  let stamp: StoreStamp?
  let known: [RecordID: IndexMark]

  func read(_ vault: LockedVault, _ store: any StampedStore) throws(IndexStop) -> FolderReading {
    do throws(StoreError) { return try FolderReading(self, vault, store) } catch { throw .store(error) }
  }
}

/// What reading a folder, or some of its files, brought to light.
struct FolderReading: Sendable {
  struct Change: Sendable {
    let record: IndexedRecord
    let stamp: StoreStamp
  }

  let folder: UInt8
  /// Nil when only some of its files were read.
  let mark: IndexMark?
  private(set) var changed: [Change] = []
  private(set) var removed: [RecordID] = []
  /// The stamps of what was read, while they are too young to be trusted by others.
  private(set) var young: [(id: RecordID, stamp: StoreStamp)] = []

  /// Lists a folder and reads the files that are not known as they are.
  init(_ work: FolderWork, _ vault: LockedVault, _ store: any StampedStore) throws(StoreError) {
    let readAt = Timestamp.now()
    folder = work.folder
    mark = IndexMark(work.stamp, readAt: readAt)
    let ids = try store.records(inFolder: folder)
    let stamps = try store.recordStamps(of: ids)
    var wanted: [RecordID: StoreStamp] = [:]
    for (id, stamp) in zip(ids, stamps) where work.known[id]?.isCurrent(stamp) != true { wanted[id] = stamp }
    // Whole folders are read faster than as many single files.
    if wanted.count * 2 > ids.count {
      try store.readRecords(inFolder: folder) { id, bytes in
        if let stamp = wanted[id] { take(id, bytes, stamp, readAt, vault) }
        return true
      }
    } else {
      for (id, stamp) in wanted.sorted(by: { $0.key < $1.key }) { read(id, stamp, readAt, vault, store) }
    }
    removed = Set(work.known.keys).subtracting(changed.map(\.record.id)).subtracting(
      zip(ids, stamps).lazy.filter { $0.1 != nil && wanted[$0.0] == nil }.map(\.0)
    ).sorted()
  }

  /// Reads some files of one folder again.
  ///
  /// - Precondition: there is one at least.
  init(rereading ids: [RecordID], _ vault: LockedVault, _ store: any StampedStore) throws(StoreError) {
    folder = ids[0].folder
    mark = nil
    let stamps = try store.recordStamps(of: ids)
    for (id, stamp) in zip(ids, stamps) {
      if let stamp { read(id, stamp, .now(), vault, store) }
    }
    removed = Set(ids).subtracting(changed.map(\.record.id)).sorted()
  }

  /// The same without what was read, which is large.
  var withoutContent: FolderReading {
    var reading = self
    reading.changed = []
    return reading
  }

  private mutating func read(
    _ id: RecordID, _ stamp: StoreStamp, _ readAt: Timestamp, _ vault: LockedVault, _ store: any StampedStore
  ) {
    do throws(StoreError) {
      guard let bytes = try store.read(.record(id)) else { return }
      take(id, .success(bytes), stamp, readAt, vault)
    } catch {
      take(id, .failure(error), stamp, readAt, vault)
    }
  }

  private mutating func take(
    _ id: RecordID, _ bytes: Result<[UInt8], StoreError>, _ stamp: StoreStamp, _ readAt: Timestamp, _ vault: LockedVault
  ) {
    let mark = IndexMark(stamp, readAt: readAt)
    let record = (try? bytes.get()).flatMap { IndexedRecord($0, id, mark, vault.kinds) } ?? .watched(id, mark)
    changed.append(Change(record: record, stamp: stamp))
    if !mark.isCurrent(stamp) { young.append((id, stamp)) }
  }
}

extension IndexedRecord {
  /// What is kept of the bytes of a file; nil when nothing may be.
  fileprivate init?(_ bytes: [UInt8], _ id: RecordID, _ mark: IndexMark, _ kinds: KindCatalog) {
    guard
      let record = try? StoredRecord(parsing: bytes, file: StoreLocation.record(id).relativePath, id: id, kinds: kinds)
    else { return nil }
    // Clear text where a secret belongs is not copied anywhere.
    if let kind = record.kind, kind.clearTextPath(in: record.fields) != nil { return nil }
    let summary = RecordSummary(record)
    var text = RecordText()
    text.add(.object(record.fields))
    let row = IndexRow(
      id: id, kind: summary.kind, name: summary.name, revision: summary.revision, createdAt: summary.createdAt,
      updatedAt: summary.updatedAt)
    self = .record(row, mark, text)
  }
}

extension RecordText {
  /// Takes what ``TextMatch`` and conditions look at.
  fileprivate mutating func add(_ value: JSONValue) {
    switch value {
    case .string(let text): if !SealedToken.hasTokenShape(text) { add(text) }
    case .number(let number): add(number.literal)
    case .bool(let flag): add(flag)
    case .array(let items): for item in items { add(item) }
    case .object(let members): for member in members { add(member.value) }
    case .null: break
    }
  }
}
