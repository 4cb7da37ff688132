internal import VaultAge
internal import VaultCrypto
internal import VaultFileStore
public import VaultKit
internal import VaultStorage

/// A backup on disk, opened once and read as often as needed.
public final class BackupFile: Sendable {
  /// The lock of a backup, from its age header.
  public enum Lock: Sendable, Equatable {
    /// Identities of this number of recipients.
    case recipients(Int)
    /// A passphrase, with the binary logarithm of its scrypt cost.
    case passphrase(workFactor: Int)
  }

  private let file: InputFile
  /// The lock of the backup.
  public let lock: Lock

  /// The path at which it was opened.
  public var path: String { file.path }
  /// The size in bytes.
  public var byteCount: Int { file.byteCount }

  /// Opens a file, and checks what is possible without a key: the form of the age header, and the size of the rest.
  ///
  /// - Throws: `VaultError` `.ioFailed`, `.permissionDenied`; `.damaged` if the file is not an age file.
  public convenience init(at path: String) throws(VaultError) {
    try self.init(inStore { () throws(StoreError) in try InputFile(at: path) })
  }

  init(_ file: InputFile) throws(VaultError) {
    self.file = file
    var start = [UInt8](repeating: 0, count: min(file.byteCount, AgeHeader.maximumByteCount))
    var count = 0
    while count < start.count {
      var piece = [UInt8](repeating: 0, count: min(1 << 16, start.count - count))
      let read = try inStore { () throws(StoreError) in try file.read(at: count, into: &piece) }
      guard read > 0 else { break }
      start.replaceSubrange(count..<count + read, with: piece.prefix(read))
      count += read
      // The header of a few recipients fits into the first piece.
      if (try? AgeHeader.parse(RawSpan(_elements: start.span).extracting(0..<count))) != nil { break }
    }
    let bytes = Array(start.prefix(count))
    let (lock, headerByteCount) = try inAge(file: file.path) { () throws(AgeError) in
      let header = try AgeHeader.parse(RawSpan(_elements: bytes.span))
      let factor = try header.scryptWorkFactor()
      return (
        factor.map { Lock.passphrase(workFactor: $0) } ?? .recipients(header.stanzas.count { $0.type == "X25519" }),
        header.byteCount
      )
    }
    guard AgeFile.canBePayload(byteCount: file.byteCount - headerByteCount) else {
      throw VaultError(
        .damaged, "has a size that no age file can have: a part is missing", file: file.path,
        remedies: ["use another copy of the backup, or another backup"])
    }
    self.lock = lock
  }

  /// SHA-256 of the whole file, 32 bytes.
  ///
  /// - Throws: `VaultError` `.ioFailed`.
  public func hash() throws(VaultError) -> [UInt8] {
    let (_, hash) = try file.contentHash()
    return hash
  }

  func content(with credentials: [AgeCredential]) throws(VaultError) -> AgeContent {
    let position = FilePosition(file)
    return try inAge(file: path) { () throws(AgeError) in
      try AgeContent(with: credentials) { span in try position.read(into: &span) }
    }
  }

  func archive(_ content: AgeContent) -> ArchiveReader {
    let position = FilePosition(file, from: content.fileOffset(ofChunk: 0))
    return ArchiveReader(content.reader(fromChunk: 0) { span in try position.read(into: &span) }, path: path)
  }
}

private final class FilePosition {
  private let file: InputFile
  private var offset: Int

  init(_ file: InputFile, from offset: Int = 0) { (self.file, self.offset) = (file, offset) }

  func read(into span: inout MutableRawSpan) throws(StoreError) -> Int {
    let count = try span.fill { buffer throws(StoreError) in try file.read(at: offset, into: &buffer) }
    offset += count
    return count
  }
}

extension InputFile {
  /// The size of the content, and its SHA-256, 32 bytes.
  func contentHash() throws(VaultError) -> (byteCount: Int, sha256: [UInt8]) {
    var byteCount = 0
    var piece = [UInt8](repeating: 0, count: 1 << 20)
    var hasher: SHA256.Hasher
    do throws(CryptoError) { hasher = try SHA256.Hasher() } catch { throw VaultError(crypto: error) }
    while true {
      let count = try inStore { () throws(StoreError) in try read(at: byteCount, into: &piece) }
      guard count > 0 else { break }
      byteCount += count
      do throws(CryptoError) { try hasher.update(RawSpan(_elements: piece.span.extracting(first: count))) } catch {
        throw VaultError(crypto: error)
      }
    }
    do throws(CryptoError) { return (byteCount, try hasher.finish()) } catch { throw VaultError(crypto: error) }
  }
}

extension MutableRawSpan {
  /// Fills the span from a buffer that `read` fills, and returns the byte count.
  mutating func fill(from read: (inout [UInt8]) throws(StoreError) -> Int) throws(StoreError) -> Int {
    var buffer = [UInt8](repeating: 0, count: min(byteCount, 1 << 16))
    let count = try read(&buffer)
    unsafe withUnsafeMutableBytes { target in
      unsafe buffer.withUnsafeBytes { unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
    return count
  }
}
