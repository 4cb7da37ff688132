internal import VaultAge
internal import VaultCrypto
internal import VaultFileStore
public import VaultKit
internal import VaultStorage

/// A backup on disk, opened once and read as often as needed.
public final class BackupFile: Sendable {
  private let file: InputFile

  /// The path that it was opened at.
  public var path: String { file.path }
  /// Its size.
  public var byteCount: Int { file.byteCount }

  /// - Throws: ``VaultError`` `.ioFailed`, `.permissionDenied`, `.damaged` for what is no regular file.
  public convenience init(at path: String) throws(VaultError) {
    try self.init(inStore { () throws(StoreError) in try InputFile(at: path) })
  }

  init(_ file: InputFile) { self.file = file }

  /// Begins to read the archive in it.
  func archive(with credentials: [AgeCredential]) throws(VaultError) -> ArchiveReader {
    let position = FilePosition(file)
    let age = try inAge(file: path) { () throws(AgeError) in
      try AgeReader(with: credentials) { span in try position.read(into: &span) }
    }
    return ArchiveReader(age, path: path)
  }
}

/// How far a file was read.
private final class FilePosition {
  private let file: InputFile
  private var offset = 0

  init(_ file: InputFile) { self.file = file }

  func read(into span: inout MutableRawSpan) throws(StoreError) -> Int {
    let count = try span.fill { buffer throws(StoreError) in try file.read(at: offset, into: &buffer) }
    offset += count
    return count
  }
}

extension MutableRawSpan {
  /// Fills its start with what `read` puts into the start of a buffer; gives the byte count.
  mutating func fill(from read: (inout [UInt8]) throws(StoreError) -> Int) throws(StoreError) -> Int {
    var buffer = [UInt8](repeating: 0, count: min(byteCount, 1 << 16))
    let count = try read(&buffer)
    unsafe withUnsafeMutableBytes { target in
      unsafe buffer.withUnsafeBytes { unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
    return count
  }
}
