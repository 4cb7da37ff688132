package import VaultStorage

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A file without a name, for lists that are too long to be kept in memory and hold nothing secret: it is gone with its
/// last reference, or with the process.
package final class SpillFile: Sendable {
  private let file: OpenFile
  private let files: FileSystem
  private let path: String

  /// Begins a file of 0600 in the directory for temporary files.
  ///
  /// - Throws: `StoreError` `.missing`, `.permissionDenied`, `.readOnly`, `.diskFull`, `.ioFailed`.
  package convenience init() throws(StoreError) { try self.init(in: Self.temporaryDirectory) }

  package init(in directory: String, operations: any FileOperations = LiveFileOperations()) throws(StoreError) {
    let folder = try NamedFolder(at: directory, operations: operations)
    var names = StagedNames()
    let name = ".\(names.next()).tmp"
    (files, path) = (folder.files, folder.path(of: name))
    file = try files.open(name, in: folder.directory.descriptor, as: .creating, at: path)
    try files.call(at: path) { [directory = folder.directory.descriptor] (system) throws(Errno) in
      try system.removeFile(name, in: directory)
    }
  }

  private static var temporaryDirectory: String {
    // Safe: what getenv(3) gives is NUL-terminated, and copied before anything else is called.
    guard let text = unsafe getenv("TMPDIR"), unsafe text.pointee != 0 else { return "/tmp" }
    return unsafe String(cString: text)
  }

  /// Writes bytes at an offset.
  ///
  /// - Throws: `StoreError` `.diskFull`, `.ioFailed`.
  package func write(_ bytes: [UInt8], at offset: Int) throws(StoreError) {
    try files.write(bytes, at: offset, of: file.descriptor, at: path)
  }

  /// Reads bytes that were written.
  ///
  /// - Throws: `StoreError` `.ioFailed`, also when there are fewer.
  package func read(_ count: Int, at offset: Int) throws(StoreError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var piece = [UInt8](repeating: 0, count: count - bytes.count)
      let from = offset + bytes.count
      let read = try files.call(at: path) { [descriptor = file.descriptor] (system) throws(Errno) in
        try system.readPiece(of: descriptor, from: from, into: &piece)
      }
      guard read > 0 else { throw StoreError(.ioFailed, reason: "what was laid aside is gone", path: path) }
      if read == piece.count, bytes.isEmpty { return piece }
      bytes += piece.prefix(read)
    }
    return bytes
  }
}
