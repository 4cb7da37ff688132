import Synchronization
package import VaultDocument
package import VaultStorage
import VaultSystem

/// A vault as one commit of git has it: it is read, never written, and nothing in it ever changes.
///
/// It is read from git's objects alone: the work tree and the index do not count, and nothing is checked out.
package final class GitStore: RecordStore {
  /// What is known of a folder of documents.
  private struct Folder {
    /// By the ids in its names, whatever stands there.
    package var documents: [Identifier: GitTree.Entry] = [:]
    var strays: [String] = []
  }

  private static let treeByteLimit = 256 << 20
  /// Beyond it what is known of folders is let go, and read again.
  private static let knownDocumentLimit = 1 << 18
  /// So many records, and bytes of them, are read before they are asked for at most.
  private static let (aheadCount, aheadByteCount) = (512, 4 << 20)

  private let objects: GitObjects
  /// Its whole hash.
  package let commit: String
  private let root: GitTree
  private let known = Mutex<[String: Folder]>([:])
  /// The folder of the folders of records, once it was read.
  private let records = Mutex<GitTree?>(nil)
  /// What was read of records that will be asked for next.
  private let ahead = Mutex<[Identifier: [UInt8]]>([:])

  /// - Parameters:
  ///   - objects: of the repository, asked from the vault's folder.
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

  /// What was read of these records before they were asked for.
  ///
  /// Who asks for a whole folder of few will ask for the next ones: with a question for each folder alone git and this
  /// program would wake each other 256 times.
  private func ahead(
    of folder: UInt8, _ documents: [Identifier: GitTree.Entry], _ ids: [RecordID]
  ) -> [Identifier: [UInt8]] {
    guard ids.count > 1 || ids.count == documents.count else { return [:] }
    // Others wait meanwhile, for what they would ask, too.
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
      // What is anything else is met again by who asks for it.
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
      throw StoreError(.ioFailed, reason: "git has left its content out", path: location.relativePath)
    case .object, .failed: throw .unreadable(location.relativePath)
    }
  }
}

// What it lists.
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
    // A state of git is looked at for its records.
    case .attachment: nil
    }
  }

  private func folder(_ number: UInt8) throws(StoreError) -> Folder {
    let path = StorePath.folder(number)
    // Who looks into a second one will look into all: git is asked for some at once.
    let isScan = known.withLock { known in
      known[path] == nil && known.keys.contains { $0.utf8.count == path.utf8.count }
    }
    if isScan, let records = try tree(StorePath.records) { readAhead(from: number, of: records) }
    return try folder(path)
  }

  /// What cannot be read is left to who asks for it.
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

  /// What is in a folder; nothing where it is not there.
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

  /// A folder as git has it; nil where it is not there.
  private func tree(_ path: String) throws(StoreError) -> GitTree? {
    if path == StorePath.records, let known = records.withLock({ $0 }) { return known }
    // Two deep at most.
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

// What it does not take.
extension GitStore {
  /// There is nobody to keep out: nothing ever changes.
  private final class Lock: StoreLock {
    package let kind = LockKind.shared
    package func release() {}
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

/// Where documents lie below the vault's folder.
private enum StorePath {
  static let (records, trash, slots) = ("records", "trash", "slots")

  static func folder(_ number: UInt8) -> String { records + "/" + Hex.encode([number]) }

  /// What a name in one of these folders stands for; nil for a name that does not belong there.
  static func identifier(of name: String, in path: String) -> Identifier? {
    guard let id = Identifier(fileName: name, suffix: path == slots ? ".age" : ".json") else { return nil }
    return path == slots || path == trash || path == folder(id.folder) ? id : nil
  }
}

extension RecordID {
  /// The folder of records that a name below `records/` is.
  fileprivate static func folderNumber(_ entry: DirectoryEntry) -> UInt8? {
    guard entry.isExact, let bytes = try? Hex.decode(entry.name), bytes.count == 1 else { return nil }
    // Lower case alone is a folder.
    return Hex.encode(bytes).utf8.elementsEqual(entry.name.utf8) ? bytes[0] : nil
  }
}

extension GitTree.Entry {
  /// As a folder on disk would list it.
  fileprivate var directoryEntry: DirectoryEntry {
    let exact = String(validating: name, as: UTF8.self)
    return DirectoryEntry(name: exact ?? String(decoding: name, as: UTF8.self), isExact: exact != nil, kind: nil)
  }
}

extension StoreError {
  fileprivate static let committed = StoreError(.readOnly, reason: "what is committed does not change")

  fileprivate static func unreadable(_ path: String?) -> StoreError {
    StoreError(.ioFailed, reason: "git cannot read it", path: path)
  }

  fileprivate static func misplaced(_ kind: GitTree.Kind, _ path: String) -> StoreError {
    guard kind == .link else { return StoreError(.notARegularFile, reason: "not a regular file", path: path) }
    return StoreError(.symbolicLink, reason: "a symbolic link, which is not followed", path: path)
  }

  fileprivate static func noFolder(_ kind: GitTree.Kind, _ path: String) -> StoreError {
    guard kind == .link else { return StoreError(.notADirectory, reason: "not a directory", path: path) }
    return misplaced(kind, path)
  }
}
