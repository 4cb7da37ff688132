import VaultSystem

/// An output file that only its owner can read.
package struct OutputFile: ~Copyable {
  private let name: String
  // The folder stays open while the file is written.
  private let folder: OpenFile
  private let file: AtomicFile<SystemError>

  /// Begins a file that replaces any earlier file atomically. Without `commit()` the earlier file stays.
  package static func replacing(_ path: String) throws -> OutputFile {
    switch System.kind(of: path) {
    case .directory:
      throw CommandError(.inputOutput, "io_failed", subject: path, "is a folder", hints: ["name a file"])
    case .regular, nil: break
    case .symbolicLink, .other:
      throw CommandError(
        .inputOutput, "io_failed", subject: path, "is not a regular file",
        hints: ["write to standard output and redirect it"])
    }
    return try SystemError.of("made") { () throws(SystemError) in
      let name = fileName(of: path)
      let folder = try openFolder(of: path)
      let file = try AtomicFile(beside: name, in: folder.descriptor, System.files, at: path)
      return OutputFile(name: name, folder: folder, file: file)
    }
  }

  /// Creates a file that must not exist, durably if `isSynced`. After an error no part of the file remains.
  package static func create(_ path: String, _ bytes: RawSpan, isSynced: Bool) throws(SystemError) {
    try PendingWrites.during { () throws(SystemError) -> Void in
      let folder = try SystemError.of("made") { () throws(SystemError) in try openFolder(of: path) }
      let file = try SystemError.of("made") { () throws(SystemError) in
        try AtomicFile(fileName(of: path), in: folder.descriptor, System.files, at: path)
      }
      try SystemError.of("written") { () throws(SystemError) -> Void in
        try file.append(bytes)
        guard isSynced else { return }
        try file.sync()
        try System.files.sync(folder.descriptor, at: path)
      }
      file.keep()
    }
  }

  private static func openFolder(of path: String) throws(SystemError) -> OpenFile {
    try System.files.open(System.parent(of: path), in: System.here, as: .vaultDirectory, at: path)
  }

  private static func fileName(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }

  package func write(_ bytes: RawSpan) throws(SystemError) {
    try SystemError.of("written") { () throws(SystemError) in try file.append(bytes) }
  }

  // Unsafe because padding could be read; bytes have no padding.
  package func write(_ bytes: [UInt8]) throws(SystemError) { try unsafe write(bytes.span.bytes) }

  /// Puts the file in place, durably.
  package func commit() throws(SystemError) {
    try SystemError.of("written") { () throws(SystemError) in try file.publish(as: name, replacing: true) }
  }

  // This must precede closing the folder.
  deinit { file.discard() }
}

extension System {
  package static func join(_ directory: String, _ name: String) -> String {
    directory.isEmpty || directory == "." ? name : directory.hasSuffix("/") ? directory + name : directory + "/" + name
  }
}
