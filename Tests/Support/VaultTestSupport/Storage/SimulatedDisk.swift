internal import Synchronization
internal import VaultSystem

/// A disk that loses, at a power cut, everything that was not synced: the worst that POSIX allows.
///
/// It remembers what each change of a directory replaced until that directory is synced, and which files have unsynced
/// data. `cutPower` takes the remembered changes back, newest first, and empties the files.
package final class SimulatedDisk: DiskRecorder {
  private enum Content {
    case nothing
    case file([UInt8])
    case directory
  }

  private struct Change {
    /// The directories whose syncs, all of them, make the change durable.
    var directories: Set<UInt64>
    /// The former content of entries: an open directory, a name, and its content.
    var before: [(directory: Int32, name: String, content: Content)] = []
    /// Two entries that exchanged their names.
    var exchanged: [(directory: Int32, name: String)] = []
    /// The old and the new name of a directory, and whether an empty one had the new name.
    var moved: (from: (directory: Int32, name: String), to: (directory: Int32, name: String), wasThere: Bool)?
  }

  private struct State {
    var changes: [Change] = []
    var unsyncedFiles: Set<UInt64> = []
    /// A descriptor of each directory that has changes, kept until the power is cut.
    var directories: [UInt64: Int32] = [:]
  }

  private let state = Mutex(State())
  private let live = LiveFileOperations()
  /// Whether syncs do what they say: false for a mutant that tests must catch.
  private let honoursSync: Bool

  package init(honoursSync: Bool = true) { self.honoursSync = honoursSync }

  deinit {
    let open = state.withLock { Array($0.directories.values) }
    for file in open { live.close(file) }
  }

  package func willChange(_ names: [String], in directory: Int32) {
    guard let status = try? live.status(of: directory) else { return }
    let before = names.map { (directory: handle(of: directory), name: $0, content: content(of: $0, in: directory)) }
    state.withLock { $0.changes.append(Change(directories: [status.inode], before: before)) }
  }

  package func willExchange(_ name: String, in source: Int32, with other: String, in target: Int32) {
    guard let first = try? live.status(of: source), let second = try? live.status(of: target) else { return }
    let names = [(directory: handle(of: source), name: name), (directory: handle(of: target), name: other)]
    state.withLock { $0.changes.append(Change(directories: [first.inode, second.inode], exchanged: names)) }
  }

  package func willRename(_ name: String, in source: Int32, to newName: String, in target: Int32) {
    // A rename is one step on every file system with a journal; it lasts when the directory of the new name does.
    guard let status = try? live.status(of: target) else { return }
    if isDirectory(name, in: source) {
      let wasThere = isDirectory(newName, in: target)
      let change = Change(
        directories: [status.inode],
        moved: ((handle(of: source), name), (handle(of: target), newName), wasThere))
      return state.withLock { $0.changes.append(change) }
    }
    let before = [
      (directory: handle(of: source), name: name, content: content(of: name, in: source)),
      (directory: handle(of: target), name: newName, content: content(of: newName, in: target)),
    ]
    state.withLock { $0.changes.append(Change(directories: [status.inode], before: before)) }
  }

  package func didWrite(to file: Int32) {
    guard let status = try? live.status(of: file) else { return }
    _ = state.withLock { $0.unsyncedFiles.insert(status.inode) }
  }

  package func didSync(_ file: Int32) -> Bool {
    guard honoursSync, let status = try? live.status(of: file) else { return false }
    state.withLock { state in
      state.unsyncedFiles.remove(status.inode)
      for index in state.changes.indices { state.changes[index].directories.remove(status.inode) }
      state.changes.removeAll { $0.directories.isEmpty }
    }
    // The real disk need not be waited for: this one decides what is durable.
    return false
  }

  package func didSyncAll() -> Bool {
    guard honoursSync else { return false }
    state.withLock { state in
      state.unsyncedFiles = []
      state.changes = []
    }
    return false
  }

  /// Loses the unsynced data of the vault at `path`; the first `kept` directory changes stay, in their order.
  package func cutPower(at path: String, keeping kept: Int = 0) {
    let (changes, unsynced) = state.withLock { state in
      defer { (state.changes, state.unsyncedFiles) = ([], []) }
      return (state.changes.dropFirst(kept), state.unsyncedFiles)
    }
    // First, since files that come back may get the numbers of others.
    for name in FileTree.files(below: path) {
      let file = path + "/" + name
      let status = try? live.status(of: file, in: OpenPurpose.noDirectory, followingLink: false)
      if let status, unsynced.contains(status.inode) { FileTree.write([], to: file) }
    }
    for change in changes.reversed() {
      for entry in change.before.reversed() { restore(entry.name, in: entry.directory, to: entry.content) }
      if let first = change.exchanged.first, let second = change.exchanged.last {
        try? live.exchange(first.name, in: first.directory, with: second.name, in: second.directory)
      }
      if let (from, to, wasThere) = change.moved {
        try? live.renameExclusively(to.name, in: to.directory, to: from.name, in: from.directory)
        if wasThere { try? live.makeDirectory(to.name, in: to.directory) }
      }
    }
  }

  /// How many directory changes a power cut would lose now.
  package var unsyncedChangeCount: Int { state.withLock { $0.changes.count } }
}

extension SimulatedDisk {
  /// A descriptor of our own for an open directory.
  private func handle(of directory: Int32) -> Int32 {
    guard let status = try? live.status(of: directory) else { return -1 }
    return state.withLock { state in
      if let known = state.directories[status.inode] { return known }
      let file = (try? live.open(".", in: directory, as: .directory)) ?? -1
      state.directories[status.inode] = file
      return file
    }
  }

  private func isDirectory(_ name: String, in directory: Int32) -> Bool {
    (try? live.status(of: name, in: directory, followingLink: false))?.kind == .directory
  }

  private func content(of name: String, in directory: Int32) -> Content {
    guard let file = try? live.open(name, in: directory, as: .reading) else { return .nothing }
    defer { live.close(file) }
    guard let status = try? live.status(of: file) else { return .nothing }
    guard status.kind == .regular else { return .directory }
    var bytes = [UInt8](repeating: 0, count: status.byteCount)
    if !bytes.isEmpty { _ = try? live.read(file, from: 0, into: &bytes, at: 0) }
    return .file(bytes)
  }

  private func restore(_ name: String, in directory: Int32, to content: Content) {
    switch content {
    case .directory: return
    case .nothing: remove(name, in: directory)
    case .file(let bytes):
      remove(name, in: directory)
      guard let file = try? live.open(name, in: directory, as: .creating) else { return }
      defer { live.close(file) }
      if !bytes.isEmpty { _ = try? unsafe live.write(bytes.span.bytes, to: file, from: 0) }
    }
  }

  private func remove(_ name: String, in directory: Int32) {
    if (try? live.removeFile(name, in: directory)) != nil { return }
    guard let folder = try? live.open(name, in: directory, as: .directory) else { return }
    for entry in (try? live.entries(of: folder)) ?? [] { remove(entry.name, in: folder) }
    live.close(folder)
    try? live.removeDirectory(name, in: directory)
  }
}
