#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif
internal import VaultDocument

/// The place of one vault's index: a folder only for its owner, in another folder only for its owner.
///
/// Anything else in that place is left alone and not used.
package struct IndexPlace: Sendable {
  package let directory: String
  package let path: String

  package init(directory: String, name: String) {
    self.directory = directory
    path = "\(directory)/\(name)"
  }

  package var isTaken: Bool { Self.status(path) != nil }

  /// Its size in bytes; nil if it is missing.
  package var byteCount: Int? {
    guard isTaken else { return nil }
    return (UInt8.min...UInt8.max).reduce(0) { sum, folder in
      sum + (Self.status("\(path)/\(RecordIndex.name(folder))").map { Int($0.st_size) } ?? 0)
    }
  }

  /// Creates missing folders, and opens the inner one.
  func open() throws(TextFault) -> Int32 {
    for folder in [directory, path] {
      try Self.make(folder)
      try Self.requireOwn(folder)
    }
    let file = unsafe openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard file >= 0 else { throw TextFault("\(path) cannot be opened") }
    return file
  }

  private static func status(_ path: String) -> stat? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status : nil
  }

  private static func requireOwn(_ folder: String) throws(TextFault) {
    guard let status = status(folder), status.st_mode & S_IFMT == S_IFDIR else {
      throw TextFault("\(folder) is not a folder")
    }
    guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
      throw TextFault("other users can enter \(folder): `chmod go= \(folder.shellQuoted)` prevents that")
    }
  }

  private static func make(_ folder: String) throws(TextFault) {
    guard status(folder) == nil else { return }
    if let slash = folder.lastIndex(of: "/"), slash > folder.startIndex { try make(String(folder[..<slash])) }
    guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw TextFault("\(folder) cannot be created") }
  }
}
