internal import VaultDocument
package import VaultStorage
package import VaultSystem

/// A folder outside every vault in which a machine keeps small files. One writer at a time replaces each file whole and
/// durably, so that nobody reads half a file and no change is lost.
///
/// A missing folder is empty; the first write creates it.
package struct StateFolder: Sendable {
  /// A file to be replaced; nil bytes remove it.
  package struct Change {
    package let name: StateName
    package let bytes: [UInt8]?

    package init(_ name: StateName, _ bytes: [UInt8]?) {
      self.name = name
      self.bytes = bytes
    }
  }

  /// The largest file in bytes.
  static let byteLimit = 16 << 20
  /// From this many changes on, one sync of the whole file system is cheaper than one of each file.
  private static let wholeSyncThreshold = 8

  /// Its path, in which its owner may have put links.
  package let path: String
  let files: FileSystem

  package init(at path: String) { self.init(at: path, operations: LiveFileOperations()) }

  package init(at path: String, operations: any FileOperations) {
    self.path = path
    files = FileSystem(operations)
  }

  /// The path of a file, for messages.
  package func path(of name: StateName) -> String { "\(path)/\(name.folder)/\(name.file)" }

  /// The bytes of a file; nil if it is missing.
  package func read(_ name: StateName) throws(StoreError) -> [UInt8]? {
    let file = path(of: name)
    return try files.contents(of: file, in: OpenPurpose.noDirectory, limit: Self.byteLimit, at: file)
  }

  /// The names in one of its folders, sorted; empty if it is missing.
  package func names(in folder: String) throws(StoreError) -> [String] {
    let place = "\(path)/\(folder)"
    let noDirectory = OpenPurpose.noDirectory
    guard let directory = try files.openIfPresent(place, in: noDirectory, as: .directory, at: place) else { return [] }
    let descriptor = directory.descriptor
    return try files.call(at: place) { (system) throws(Errno) in try system.entries(of: descriptor) }
      .filter { $0.isExact && !$0.name.hasPrefix(".") }.map(\.name).sorted()
  }

  /// Waits until no other process writes here, for at most ten seconds. A missing folder is created. The lock ends
  /// with the result's lifetime.
  package func lock() throws(StoreError) -> LockedFile {
    try files.makeFolders(path)
    let name = "\(path)/\(StoreDirectory.lockName)"
    var wait = LockWait(start: files.operations.now(), timeout: .seconds(10))
    while true {
      let file = try files.open(name, in: OpenPurpose.noDirectory, as: .locking, at: name)
      if let lock = try files.lock(file, at: name) { return lock }
      files.operations.sleep(try wait.nextStep(now: files.operations.now(), holder: { nil }, onWait: { _ in }))
    }
  }

  /// Makes changes as the only writer; after an error, each file is in its old or its new state.
  package func apply(_ changes: [Change], under lock: borrowing LockedFile) throws(StoreError) {
    guard !changes.isEmpty else { return }
    try PendingWrites.during { () throws(StoreError) in try apply(changes) }
  }
}

/// A file of the state: the folder, of one or two components, and its name in it.
package struct StateName: Hashable, Sendable {
  package let folder: String
  package let file: String

  package init(_ folder: String, _ file: String) {
    self.folder = folder
    self.file = file
  }
}

extension StateFolder {
  /// Stages all files, makes them durable, and renames each into place.
  private func apply(_ changes: [Change]) throws(StoreError) {
    let staging = try opened(".staging")
    empty(staging.descriptor)
    let isWhole =
      changes.count > Self.wholeSyncThreshold && files.operations.canSyncFileSystem(of: staging.descriptor)
    var names = StagedNames()
    var staged: [String: [(file: String, source: String?)]] = [:]
    for change in changes {
      let source = change.bytes.map { _ in names.next() }
      if let bytes = change.bytes, let source {
        let place = path(of: change.name)
        try files.stage(bytes, as: source, in: staging.descriptor, isSynced: !isWhole, at: place)
      }
      staged[change.name.folder, default: []].append((change.name.file, source))
    }
    if isWhole {
      try files.call(at: path) { (system) throws(Errno) in try system.syncFileSystem(of: staging.descriptor) }
    }
    for (folder, entries) in staged { try put(entries, into: folder, from: staging.descriptor) }
  }

  /// Puts staged files of one folder in place, and removes those without a source. After an error, some may be in
  /// place.
  private func put(
    _ entries: [(file: String, source: String?)], into folder: String, from staging: Int32
  ) throws(StoreError) {
    let target = try opened(folder)
    let descriptor = target.descriptor
    for (file, source) in entries {
      let place = path(of: StateName(folder, file))
      _ = try files.callIfPresent(at: place) { (system) throws(Errno) in
        if let source {
          try system.rename(source, in: staging, to: file, in: descriptor)
        } else {
          try system.removeFile(file, in: descriptor)
        }
      }
    }
    try files.sync(descriptor, at: "\(path)/\(folder)")
  }

  /// Removes the leftovers of a crashed process.
  private func empty(_ staging: Int32) {
    let left = try? files.call(at: path) { (system) throws(Errno) in try system.entries(of: staging) }
    for entry in left ?? [] where entry.isExact {
      try? files.call(at: path) { (system) throws(Errno) in try system.removeFile(entry.name, in: staging) }
    }
  }

  /// One of its folders, created if missing.
  func opened(_ folder: String) throws(StoreError) -> OpenFile {
    let place = "\(path)/\(folder)"
    try files.makeFolders(place)
    return try files.open(place, in: OpenPurpose.noDirectory, as: .directory, at: place)
  }
}
