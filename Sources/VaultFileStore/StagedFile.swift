package import VaultStorage

/// A new file that is written piece by piece, and read back at its end.
package final class StagedFile {
  private let file: OpenFile
  private let files: FileSystem
  private let path: String
  private let isSynced: Bool
  private(set) var byteCount = 0
  private var written = ContentMark.Builder()

  private static let pieceByteCount = 256 << 10

  /// - Parameters:
  ///   - name: its name in the directory.
  ///   - path: what it is called in messages.
  init(
    as name: String, in directory: Int32, _ files: FileSystem, isSynced: Bool, at path: String
  ) throws(StoreError) {
    (self.files, self.path, self.isSynced) = (files, path, isSynced)
    file = try files.open(name, in: directory, as: .creating, at: path)
  }

  /// Writes bytes behind those before.
  ///
  /// - Throws: `StoreError` `.diskFull`, `.ioFailed`.
  package func append(_ bytes: [UInt8]) throws(StoreError) {
    guard !PendingWrites.isStopping else { throw .ending(at: path) }
    try files.write(bytes, at: byteCount, of: file.descriptor, at: path)
    byteCount += bytes.count
    written.append(bytes)
  }

  /// Reads all of it back, and ends it.
  ///
  /// - Throws: `StoreError` `.unverifiedWrite`, `.diskFull`, `.ioFailed`.
  package func finish() throws(StoreError) {
    if isSynced { try files.sync(file.descriptor, at: path) }
    var found = ContentMark.Builder()
    var (piece, offset) = ([UInt8](repeating: 0, count: Self.pieceByteCount), 0)
    while true {
      let (start, descriptor) = (offset, file.descriptor)
      let count = try files.call(at: path) { (system) throws(Errno) in
        try system.readPiece(of: descriptor, from: start, into: &piece)
      }
      if count == 0 { break }
      found.append(Array(piece[..<count]))
      offset += count
    }
    guard found.finish() == written.finish() else {
      throw StoreError(.unverifiedWrite, reason: "what was written reads back differently", path: path)
    }
  }
}
