#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif
internal import VaultDocument

/// Where the index of one vault lies: a file of its owner's alone in a folder of its owner's alone.
///
/// What is anything else there is not used: a file is put away and made anew, a folder is left as it is.
package struct IndexPlace: Sendable {
  private static let temporaryEndings = ["", "-journal"]

  package let directory: String
  package let path: String

  /// - Parameter name: of the file, without its ending.
  package init(directory: String, name: String) {
    self.directory = directory
    path = "\(directory)/\(name).sqlite3"
  }

  /// How many bytes it has; nil when it is not there.
  package var byteCount: Int? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? Int(status.st_size) : nil
  }

  /// Makes folder and file where they are missing; a file that cannot be trusted is put away first.
  ///
  /// - Throws: ``IndexFailure`` `.place`.
  func prepare() throws(IndexFailure) {
    try makeFolder(directory)
    try requireOwnFolder()
    if isOwnFile { return }
    remove()
    // O_EXCL and O_NOFOLLOW: whatever else appears there is not opened.
    let file = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      // Another process may have been faster.
      guard errno == EEXIST, isOwnFile else { throw .place("\(path) cannot be made") }
      return
    }
    _ = close(file)
  }

  /// Removes the file and what SQLite puts beside it.
  package func remove() {
    for ending in Self.temporaryEndings { unsafe _ = unlink(path + ending) }
  }

  private var isOwnFile: Bool {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return false }
    return status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid() && status.st_mode & 0o077 == 0
      && status.st_nlink == 1
  }

  private func requireOwnFolder() throws(IndexFailure) {
    var status = stat()
    guard unsafe lstat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw .place("\(directory) is no folder")
    }
    guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
      throw .place("others may enter \(directory): `chmod go= \(directory.shellQuoted)` forbids it")
    }
  }

  private func makeFolder(_ place: String) throws(IndexFailure) {
    var status = stat()
    guard unsafe lstat(place, &status) != 0 else { return }
    if let slash = place.lastIndex(of: "/"), slash > place.startIndex { try makeFolder(String(place[..<slash])) }
    guard unsafe mkdir(place, 0o700) == 0 || errno == EEXIST else { throw .place("\(place) cannot be made") }
  }
}
