package import VaultStorage
package import VaultSystem

/// A directory outside of every vault that a person named, opened once and kept open. The path to it may contain links.
package final class NamedFolder: Sendable {
  package let path: String
  package let files: FileSystem
  package let directory: OpenFile

  /// Opens the directory, which must exist.
  package convenience init(at path: String) throws(StoreError) {
    try self.init(at: path, operations: LiveFileOperations())
  }

  /// Like `init(at:)`, with other system calls.
  package init(at path: String, operations: any FileOperations) throws(StoreError) {
    self.path = path
    files = FileSystem(operations)
    directory = try files.open(path, in: OpenPurpose.noDirectory, as: .vaultDirectory, at: path)
  }

  /// The path of a name in it, for messages.
  package func path(of name: String) -> String { path.hasSuffix("/") ? path + name : path + "/" + name }

  package func status() throws(StoreError) -> FileStatus {
    try files.call(at: path) { [descriptor = directory.descriptor] (system) throws(Errno) in
      try system.status(of: descriptor)
    }
  }

  /// The names in it, including hidden ones but not those that are not UTF-8.
  package func names() throws(StoreError) -> [String] {
    try files.call(at: path) { [descriptor = directory.descriptor] (system) throws(Errno) in
      try system.entries(of: descriptor)
    }.filter(\.isExact).map(\.name).sorted()
  }

  /// The status of a name; nil if it does not exist.
  package func status(of name: String) throws(StoreError) -> FileStatus? {
    try files.callIfPresent(at: path(of: name)) { [descriptor = directory.descriptor] (system) throws(Errno) in
      try system.status(of: name, in: descriptor, followingLink: false)
    }
  }

  /// Whether it is a vault's directory or lies below it, even through links.
  package func isInside(_ store: DirectoryStore) throws(StoreError) -> Bool {
    let root = store.root.descriptor
    let vault = try files.call(at: store.path) { (system) throws(Errno) in try system.status(of: root) }
    return try Self.lies(files, ".", in: directory.descriptor, below: vault, at: path)
  }

  /// Whether a directory is the one at another path or lies below it; false if either is not a directory.
  package static func lies(_ path: String, in vault: String) throws(StoreError) -> Bool {
    let files = FileSystem(LiveFileOperations())
    let here = OpenPurpose.noDirectory
    let root = try files.callIfPresent(at: vault) { (system) throws(Errno) in
      try system.status(of: vault, in: here, followingLink: true)
    }
    let place = try files.callIfPresent(at: path) { (system) throws(Errno) in
      try system.status(of: path, in: here, followingLink: true)
    }
    guard let root, place?.kind == .directory else { return false }
    return try lies(files, path, in: here, below: root, at: path)
  }

  /// Goes up by the identity of directories, not by their names; they need not be readable.
  private static func lies(
    _ files: FileSystem, _ start: String, in directory: Int32, below root: FileStatus, at path: String
  ) throws(StoreError) -> Bool {
    var name = start
    var below: FileStatus?
    while true {
      let place = try files.call(at: path) { [name] (system) throws(Errno) in
        try system.status(of: name, in: directory, followingLink: true)
      }
      if place.isSameFile(as: root) { return true }
      // The root of the file system is its own parent.
      if let below, place.isSameFile(as: below) { return false }
      below = place
      name += "/.."
    }
  }
}

/// A regular file that a person named, opened for reading in pieces.
package final class InputFile: Sendable {
  package let path: String
  /// Its size when it was opened.
  package let byteCount: Int
  private let files: FileSystem
  private let file: OpenFile

  package convenience init(at path: String) throws(StoreError) {
    try self.init(at: path, operations: LiveFileOperations())
  }

  /// Like `init(at:)`, with other system calls.
  package convenience init(at path: String, operations: any FileOperations) throws(StoreError) {
    let files = FileSystem(operations)
    try self.init(files.open(path, in: OpenPurpose.noDirectory, as: .readingNamed, at: path), files, at: path)
  }

  package init(_ file: consuming OpenFile, _ files: FileSystem, at path: String) throws(StoreError) {
    byteCount = try files.regularStatus(of: file.descriptor, at: path).byteCount
    self.file = file
    self.files = files
    self.path = path
  }

  /// Reads from `offset` into the start of `buffer`; returns 0 at the end of the file.
  package func read(at offset: Int, into buffer: inout [UInt8]) throws(StoreError) -> Int {
    try files.readPiece(of: file.descriptor, from: offset, into: &buffer, at: path)
  }
}

extension NamedFolder {
  /// The directory above a path, and its last component.
  package static func split(_ path: String) -> (parent: String, name: String) {
    let slash = UInt8(ascii: "/")
    var bytes = Array(path.utf8)
    while bytes.count > 1, bytes.last == slash { bytes.removeLast() }
    guard let last = bytes.lastIndex(of: slash) else { return (".", path) }
    let name = String(decoding: bytes[(last + 1)...], as: UTF8.self)
    return (last == 0 ? "/" : String(decoding: bytes[..<last], as: UTF8.self), name)
  }
}
