import Synchronization
package import VaultDocument
package import VaultStorage
import VaultSystem

/// The vault in one git commit, which is read-only and never changes.
///
/// Only git objects are read. The work tree and the index do not count, and nothing is checked out.
package final class GitStore: RecordStore {
  /// The known content of a folder of documents.
  private struct Folder {
    /// The documents by the ids in their names, of any type.
    var documents: [Identifier: GitTree.Entry] = [:]
    var strays: [String] = []
  }

  private static let treeByteLimit = 256 << 20
  /// Beyond this number, known folders are dropped and read again.
  private static let knownDocumentLimit = 1 << 18
  /// The maximum number of records, and of their bytes, that are read in advance.
  private static let (aheadCount, aheadByteCount) = (512, 4 << 20)

  private let objects: GitObjects
  /// The full hash of the commit.
  let commit: String
  private let root: GitTree
  private let known = Mutex<[String: Folder]>([:])
  /// The folder with the folders of records, after it was read.
  private let records = Mutex<GitTree?>(nil)
  /// Records that were read in advance.
  private let ahead = Mutex<[Identifier: [UInt8]]>([:])

  /// - Parameters:
  ///   - objects: the reader, in the vault's folder.
  ///   - commit: the hash of a commit.
  package init(_ objects: GitObjects, commit: String) throws(StoreError) {
    (self.objects, self.commit) = (objects, commit)
    switch objects.object(commit + ":./", limit: Self.treeByteLimit) {
    case .object(let object):
      guard let tree = GitTree(object) else { throw .unreadable(nil) }
      root = tree
    case .missing: throw StoreError(.notAVault, reason: "the commit has no such folder")
    case .tooLarge, .failed: throw .unreadable(nil)
    }
  }

  package func read(_ location: StoreLocation) throws(StoreError) -> [UInt8]? {
    guard let entry = try entry(at: location) else { return nil }
    guard entry.kind == .file else { throw .misplaced(entry.kind, location.relativePath) }
    return try bytes(objects.object(entry.object, limit: location.byteLimit), location)
  }

  package func read(
    _ ids: [RecordID], inFolder folder: UInt8, _ body: (RecordID, Result<[UInt8], StoreError>) -> Bool
  ) throws(StoreError) {
    let documents = try self.folder(folder).documents
    let found = self.ahead(of: folder, documents, ids)
    var rest = ids.compactMap { id in documents[id].map { (id: id, entry: $0) } }[...]
    while let bytes = rest.first.flatMap({ found[$0.id] }), let id = rest.popFirst()?.id {
      guard body(id, .success(bytes)) else { return }
    }
    while let (id, entry) = rest.first {
      let files = rest.prefix { $0.entry.kind == .file }
      guard !files.isEmpty else {
        guard body(id, .failure(.misplaced(entry.kind, StoreLocation.record(id).relativePath))) else { return }
        rest = rest.dropFirst()
        continue
      }
      var goesOn = true
      objects.read(files.map(\.entry.object), limit: StoreLocation.record(id).byteLimit) { index, answer in
        let id = files[files.startIndex + index].id
        goesOn = body(id, Result { () throws(StoreError) in try bytes(answer, .record(id)) })
        return goesOn
      }
      guard goesOn else { return }
      rest = rest[files.endIndex...]
    }
  }

  /// The records among these that were read in advance.
  ///
  /// A caller that reads a whole small folder will read the next ones, too. Separate questions for each folder would
  /// switch between git and this program 256 times.
  private func ahead(
    of folder: UInt8, _ documents: [Identifier: GitTree.Entry], _ ids: [RecordID]
  ) -> [Identifier: [UInt8]] {
    guard ids.count > 1 || ids.count == documents.count else { return [:] }
    // Other threads wait meanwhile, because they need the same records.
    return ahead.withLock { ahead in
      if !ids.allSatisfy({ ahead[$0] != nil }) { ahead = readAhead(from: folder) }
      return Dictionary(uniqueKeysWithValues: ids.compactMap { id in ahead.removeValue(forKey: id).map { (id, $0) } })
    }
  }

  private func readAhead(from folder: UInt8) -> [Identifier: [UInt8]] {
    let entries = known.withLock { known in
      (folder...(folder | 15)).flatMap { number in
        known[StorePath.folder(number)]?.documents.filter { $0.value.kind == .file } ?? [:]
      }
    }
    guard let first = entries.first, entries.count <= Self.aheadCount else { return [:] }
    var (found, byteCount) = ([Identifier: [UInt8]](), 0)
    objects.read(entries.map(\.value.object), limit: StoreLocation.record(first.key).byteLimit) { index, answer in
      // The caller will find anything else again.
      if case .object(let object) = answer, object.kind == .blob {
        found[entries[index].key] = object.bytes
        byteCount += object.bytes.count
      }
      return byteCount < Self.aheadByteCount
    }
    return found
  }

  private func bytes(_ answer: GitObjects.Answer, _ location: StoreLocation) throws(StoreError) -> [UInt8] {
    switch answer {
    case .object(let object) where object.kind == .blob: return object.bytes
    case .tooLarge:
      throw StoreError(.tooLarge, reason: "the file is over its size limit", path: location.relativePath)
    case .missing:
      throw StoreError(.ioFailed, reason: "git has left out the content of the file", path: location.relativePath)
    case .object, .failed: throw .unreadable(location.relativePath)
    }
  }
}

// Listings.
extension GitStore {
  package func recordFolders() throws(StoreError) -> [UInt8] {
    guard let records = try tree(StorePath.records) else { return [] }
    return records.entries.compactMap { RecordID.folderNumber($0.directoryEntry) }.sorted()
  }

  package func records(inFolder folder: UInt8) throws(StoreError) -> [RecordID] {
    try self.folder(folder).documents.keys.sorted()
  }

  package func trashed() throws(StoreError) -> [RecordID] { try folder(StorePath.trash).documents.keys.sorted() }
  package func slots() throws(StoreError) -> [SlotID] { try folder(StorePath.slots).documents.keys.sorted() }

  package func strayEntries() throws(StoreError) -> [String] {
    var strays = try folder(StorePath.trash).strays
    for entry in try tree(StorePath.records)?.entries.map(\.directoryEntry) ?? [] where !entry.isHidden {
      guard let number = RecordID.folderNumber(entry) else {
        strays.append(StorePath.records + "/" + entry.printableName)
        continue
      }
      do throws(StoreError) {
        strays += try folder(number).strays
      } catch {
        guard error.code == .notADirectory || error.code == .symbolicLink else { throw error }
        strays.append(StorePath.folder(number))
      }
    }
    return strays.sorted()
  }

  private func entry(at location: StoreLocation) throws(StoreError) -> GitTree.Entry? {
    switch location {
    case .header, .checkpoint: root.entry(location.fileName.utf8)
    case .slot(let id): try folder(StorePath.slots).documents[id]
    case .record(let id): try folder(id.folder).documents[id]
    case .trash(let id): try folder(StorePath.trash).documents[id]
    // Only the records of a git state are needed.
    case .attachment, .inbox: nil
    }
  }

  private func folder(_ number: UInt8) throws(StoreError) -> Folder {
    let path = StorePath.folder(number)
    // A caller that reads a second folder will read all, so several are read together.
    let isScan = known.withLock { known in
      known[path] == nil && known.keys.contains { $0.utf8.count == path.utf8.count }
    }
    if isScan, let records = try tree(StorePath.records) { readAhead(from: number, of: records) }
    return try folder(path)
  }

  /// Reads records in advance. Unreadable records are left to the caller.
  private func readAhead(from number: UInt8, of records: GitTree) {
    let paths = (number...(number | 15)).map(StorePath.folder)
    let found = paths.compactMap { path in
      records.entry(path.utf8.suffix(2)).flatMap { $0.kind == .folder ? (path: path, object: $0.object) : nil }
    }
    objects.read(found.map(\.object), limit: Self.treeByteLimit) { index, answer in
      guard case .object(let object) = answer, let tree = GitTree(object) else { return true }
      _ = keep(tree, at: found[index].path)
      return true
    }
  }

  /// The content of a folder; empty if it does not exist.
  private func folder(_ path: String) throws(StoreError) -> Folder {
    if let folder = known.withLock({ $0[path] }) { return folder }
    return keep(try tree(path), at: path)
  }

  private func keep(_ tree: GitTree?, at path: String) -> Folder {
    var folder = Folder()
    for entry in tree?.entries ?? [] {
      let listed = entry.directoryEntry
      if listed.isExact, let id = StorePath.identifier(of: listed.name, in: path) {
        folder.documents[id] = entry
        if entry.kind == .file { continue }
      }
      if !listed.isHidden { folder.strays.append(path + "/" + listed.printableName) }
    }
    known.withLock { known in
      if known.values.reduce(0, { $0 + $1.documents.count }) > Self.knownDocumentLimit { known = [:] }
      known[path] = folder
    }
    return folder
  }

  /// A folder in git; nil if it does not exist.
  private func tree(_ path: String) throws(StoreError) -> GitTree? {
    if path == StorePath.records, let known = records.withLock({ $0 }) { return known }
    // There are at most two levels.
    let isBelow = path.utf8.contains(UInt8(ascii: "/"))
    guard let parent = isBelow ? try tree(StorePath.records) : root,
      let entry = parent.entry(isBelow ? path.utf8.suffix(2) : path.utf8.suffix(path.utf8.count))
    else { return nil }
    guard entry.kind == .folder else { throw .noFolder(entry.kind, path) }
    guard case .object(let object) = objects.object(entry.object, limit: Self.treeByteLimit),
      let tree = GitTree(object)
    else { throw .unreadable(path) }
    if path == StorePath.records { records.withLock { $0 = tree } }
    return tree
  }
}

// Refused operations.
extension GitStore {
  /// A lock without effect, because nothing ever changes.
  private final class Lock: StoreLock {
    let kind = LockKind.shared
    func release() {}
  }

  package func lock(
    _ kind: LockKind, timeout: Duration, isWanted: () -> Bool, onWait: (Int32?) -> Void
  ) throws(StoreError) -> any StoreLock {
    guard kind != .exclusive else { throw .committed }
    return Lock()
  }

  package func apply(_ changes: [StoreChange], under lock: any StoreLock) throws(StoreError) { throw .committed }

  package func writer(of location: StoreLocation, under lock: any StoreLock) throws(StoreError) -> any StoreWriter {
    throw .committed
  }

  package func batch(expecting expectedCount: Int, under lock: any StoreLock) throws(StoreError) -> any StoreBatch {
    throw .committed
  }

  package func replacement(under lock: any StoreLock) throws(StoreError) -> (any StoreReplacement)? { throw .committed }
}

/// The places of documents below the vault's folder.
private enum StorePath {
  static let (records, trash, slots) = ("records", "trash", "slots")

  static func folder(_ number: UInt8) -> String { records + "/" + Hex.encode([number]) }

  /// The id in a name of a folder; nil if the name does not belong there.
  static func identifier(of name: String, in path: String) -> Identifier? {
    guard let id = Identifier(fileName: name, suffix: path == slots ? ".age" : ".json") else { return nil }
    return path == slots || path == trash || path == folder(id.folder) ? id : nil
  }
}

extension RecordID {
  /// The number of a folder of records, from its name below `records/`.
  fileprivate static func folderNumber(_ entry: DirectoryEntry) -> UInt8? {
    guard entry.isExact, let bytes = try? Hex.decode(entry.name), bytes.count == 1 else { return nil }
    // The name must be in lower case.
    return Hex.encode(bytes).utf8.elementsEqual(entry.name.utf8) ? bytes[0] : nil
  }
}

extension GitTree.Entry {
  /// The entry as in a folder on disk.
  fileprivate var directoryEntry: DirectoryEntry {
    let exact = String(validating: name, as: UTF8.self)
    return DirectoryEntry(name: exact ?? String(decoding: name, as: UTF8.self), isExact: exact != nil, kind: nil)
  }
}

extension StoreError {
  fileprivate static let committed = StoreError(.readOnly, reason: "a committed file cannot be changed")

  fileprivate static func unreadable(_ path: String?) -> StoreError {
    StoreError(.ioFailed, reason: "git cannot read the file", path: path)
  }

  fileprivate static func misplaced(_ kind: GitTree.Kind, _ path: String) -> StoreError {
    guard kind == .link else { return StoreError(.notARegularFile, reason: "is not a regular file", path: path) }
    return StoreError(.symbolicLink, reason: "is a symbolic link, which is not followed", path: path)
  }

  fileprivate static func noFolder(_ kind: GitTree.Kind, _ path: String) -> StoreError {
    guard kind == .link else { return StoreError(.notADirectory, reason: "is not a folder", path: path) }
    return misplaced(kind, path)
  }
}
