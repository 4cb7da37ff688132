internal import VaultDocument
package import VaultStorage
package import VaultSystem

/// A directory of the vault; the store opens files only in these.
package enum StoreDirectory: Hashable {
  case root
  case slots
  case records
  case folder(UInt8)
  case trash
  case attachments
  case attachmentFolder(UInt8)
  case inbox
  case staging
}

extension StoreDirectory {
  /// Names of the vault's own files that are not documents.
  package static let lockName = ".lock"
  package static let journalName = ".journal.json"

  var parent: StoreDirectory? {
    switch self {
    case .root: nil
    case .folder: .records
    case .attachmentFolder: .attachments
    case .slots, .records, .trash, .attachments, .inbox, .staging: .root
    }
  }

  package var name: String {
    switch self {
    case .root: "."
    case .slots: "slots"
    case .records: "records"
    case .folder(let number), .attachmentFolder(let number): Self.hexadecimal(number)
    case .trash: "trash"
    case .attachments: "attachments"
    case .inbox: "inbox"
    case .staging: ".staging"
    }
  }

  /// The number of a folder of records.
  var number: UInt8? {
    if case .folder(let number) = self { number } else { nil }
  }

  package var path: String {
    switch self {
    case .folder: "records/" + name
    case .attachmentFolder: "attachments/" + name
    case .root, .slots, .records, .trash, .attachments, .inbox, .staging: name
    }
  }

  /// Whether it is replaced together with all live records.
  fileprivate var isOfRecords: Bool {
    switch self {
    case .records, .folder: true
    case .root, .slots, .trash, .attachments, .attachmentFolder, .inbox, .staging: false
    }
  }

  func path(of name: String) -> String { self == .root ? name : path + "/" + name }

  private static func hexadecimal(_ number: UInt8) -> String {
    let text = String(number, radix: 16)
    return number < 16 ? "0" + text : text
  }
}

extension StoreLocation {
  /// The directory that holds it.
  package var directory: StoreDirectory {
    switch self {
    case .header, .checkpoint: .root
    case .slot: .slots
    case .record(let id): .folder(id.folder)
    case .trash: .trash
    case .attachment(let id): .attachmentFolder(id.folder)
    case .inbox: .inbox
    }
  }

  /// The name of its file before format 1 was final (docs/format-v1.md, Changes). It is read if the file with today's
  /// name is missing, and removed once that is written.
  var earlierFileName: String? { self == .checkpoint ? "checkpoint.json" : nil }
}

extension DirectoryStore {
  /// Runs `body` with a directory, opened component by component; nil if it does not exist.
  package func withDirectory<Result>(
    _ directory: StoreDirectory, _ body: (Int32) throws(StoreError) -> Result
  ) throws(StoreError) -> Result? {
    guard let parent = directory.parent else { return try body(root.descriptor) }
    let result = try withDirectory(parent) { (parent) throws(StoreError) -> Result? in
      let file = try files.openIfPresent(directory.name, in: parent, as: .directory, at: directory.path)
      guard let file else { return nil }
      return try body(file.descriptor)
    }
    return result ?? nil
  }

  /// Like `withDirectory`, but repeated if all records were replaced meanwhile, so that they are the vault's. `body`
  /// may run several times.
  func withCurrentDirectory<Result>(
    _ directory: StoreDirectory, _ body: (Int32) throws(StoreError) -> Result
  ) throws(StoreError) -> Result? {
    guard directory.isOfRecords else { return try withDirectory(directory, body) }
    while true {
      let before = try recordsStatus()
      let result = Swift.Result { () throws(StoreError) in try withDirectory(directory, body) }
      let after = try recordsStatus()
      // Compares the time, too, because the number of a deleted folder is reused.
      if before?.inode == after?.inode, before?.changed == after?.changed { return try result.get() }
    }
  }

  /// The status of the folder of all live records; nil if it is missing.
  func recordsStatus() throws(StoreError) -> FileStatus? {
    let records = StoreDirectory.records
    return try files.callIfPresent(at: records.path) { (system) throws(Errno) in
      try system.status(of: records.name, in: root.descriptor, followingLink: false)
    }
  }

  /// Like `withDirectory`, but creates missing directories, durably.
  func withMadeDirectory<Result>(
    _ directory: StoreDirectory, _ body: (Int32) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    guard directory.parent != nil else { return try body(root.descriptor) }
    let file = try openMade(directory)
    return try body(file.descriptor)
  }

  /// Opens a directory below the vault's own, component by component, and creates missing ones.
  package func openMade(_ directory: StoreDirectory, isSynced: Bool = true) throws(StoreError) -> OpenFile {
    guard let parent = directory.parent, parent != .root else {
      return try openMade(directory, in: root.descriptor, isSynced: isSynced)
    }
    let file = try openMade(parent, isSynced: isSynced)
    return try openMade(directory, in: file.descriptor, isSynced: isSynced)
  }

  private func openMade(
    _ directory: StoreDirectory, in parent: Int32, isSynced: Bool
  ) throws(StoreError) -> OpenFile {
    let (name, path) = (directory.name, directory.path)
    if let existing = try files.openIfPresent(name, in: parent, as: .directory, at: path) { return existing }
    try makeDirectory(name, in: parent, isSynced: isSynced, at: path)
    return try files.open(name, in: parent, as: .directory, at: path)
  }

  /// Makes a directory and its entry; an existing one is fine.
  private func makeDirectory(
    _ name: String, in parent: Int32, isSynced: Bool, at path: String
  ) throws(StoreError) {
    do throws(StoreError) {
      try files.call(at: path) { (system) throws(Errno) in try system.makeDirectory(name, in: parent) }
    } catch {
      guard error.errno == Errno.exists.number else { throw error }
    }
    if isSynced { try files.sync(parent, at: path) }
  }
}
