internal import VaultDocument
internal import VaultStorage

/// A directory of the vault, and the only places where the store opens anything.
enum StoreDirectory: Hashable {
  case root
  case slots
  case records
  case folder(UInt8)
  case trash
  case staging
}

extension StoreDirectory {
  /// Names of the vault's own files that are not documents.
  static let lockName = ".lock"
  static let journalName = ".journal.json"

  var parent: StoreDirectory? {
    switch self {
    case .root: nil
    case .folder: .records
    case .slots, .records, .trash, .staging: .root
    }
  }

  var name: String {
    switch self {
    case .root: "."
    case .slots: "slots"
    case .records: "records"
    case .folder(let number): Self.hexadecimal(number)
    case .trash: "trash"
    case .staging: ".staging"
    }
  }

  var path: String {
    if case .folder = self { return "records/" + name }
    return name
  }

  /// The path of a name in it.
  func path(of name: String) -> String { self == .root ? name : path + "/" + name }

  private static func hexadecimal(_ number: UInt8) -> String {
    let text = String(number, radix: 16)
    return number < 16 ? "0" + text : text
  }
}

extension StoreLocation {
  /// The directory that holds it.
  var directory: StoreDirectory {
    switch self {
    case .header, .checkpoint: .root
    case .slot: .slots
    case .record(let id): .folder(id.folder)
    case .trash: .trash
    }
  }
}

extension DirectoryStore {
  /// Does `body` with a directory, opened component by component; nil when there is no such directory.
  func withDirectory<Result>(
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

  /// As `withDirectory`; makes what is missing, durably.
  func withMadeDirectory<Result>(
    _ directory: StoreDirectory, _ body: (Int32) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    guard let parent = directory.parent else { return try body(root.descriptor) }
    return try withMadeDirectory(parent) { (parent) throws(StoreError) -> Result in
      let file: OpenFile
      if let existing = try files.openIfPresent(directory.name, in: parent, as: .directory, at: directory.path) {
        file = existing
      } else {
        try makeDirectory(directory.name, in: parent, at: directory.path)
        file = try files.open(directory.name, in: parent, as: .directory, at: directory.path)
      }
      return try body(file.descriptor)
    }
  }

  /// Makes a directory and its entry durable; one that exists is fine.
  func makeDirectory(_ name: String, in parent: Int32, at path: String) throws(StoreError) {
    do throws(StoreError) {
      try files.call(at: path) { (system) throws(Errno) in try system.makeDirectory(name, in: parent) }
    } catch {
      guard error.errno == Errno.exists.number else { throw error }
    }
    try files.sync(parent, at: path)
  }
}
