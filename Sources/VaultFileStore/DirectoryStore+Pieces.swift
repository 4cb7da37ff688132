package import VaultStorage

extension DirectoryStore {
  /// Opens the checkpoint to read it in pieces, since it grows with the vault; nil when there is none.
  ///
  /// - Throws: `StoreError` as `read`.
  package func openCheckpoint() throws(StoreError) -> DocumentInPieces? {
    let place = StoreLocation.checkpoint
    let (name, path) = (place.fileName, place.relativePath)
    guard let file = try files.openIfPresent(name, in: root.descriptor, as: .reading, at: path) else { return nil }
    let byteCount = try files.regularStatus(of: file.descriptor, at: path).byteCount
    guard byteCount <= place.byteLimit else {
      throw StoreError(.tooLarge, reason: "the file is over its size limit", path: path)
    }
    return DocumentInPieces(file, byteCount: byteCount, path: path, files: files)
  }
}

/// A document that is read from its start to its end, some at a time.
package final class DocumentInPieces {
  /// Its size: so many bytes come, or an error.
  package let byteCount: Int
  private let file: OpenFile
  private let path: String
  private let files: FileSystem
  private var position = 0

  private static let pieceByteCount = 256 << 10

  fileprivate init(_ file: consuming OpenFile, byteCount: Int, path: String, files: FileSystem) {
    self.file = file
    (self.byteCount, self.path, self.files) = (byteCount, path, files)
  }

  /// The next piece; empty at the end.
  ///
  /// - Throws: `StoreError` `.changedUnderneath` for a file that grows or shrinks meanwhile, `.ioFailed`.
  package func next() throws(StoreError) -> [UInt8] {
    // One byte more than is left shows whether the file grew.
    var piece = [UInt8](repeating: 0, count: min(Self.pieceByteCount, byteCount - position + 1))
    let (descriptor, start) = (file.descriptor, position)
    let count = try files.call(at: path) { (system) throws(Errno) in
      try system.readPiece(of: descriptor, from: start, into: &piece)
    }
    position += count
    guard count > 0 ? position <= byteCount : position == byteCount else {
      throw StoreError(.changedUnderneath, reason: "the file changed while it was read", path: path)
    }
    piece.removeLast(piece.count - count)
    return piece
  }
}
