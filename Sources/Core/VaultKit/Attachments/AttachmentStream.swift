internal import VaultAge
package import VaultCrypto
package import VaultDocument
package import VaultSealing
package import VaultStorage
internal import VaultTrust

/// Seals a content into a file of the store and opens it again, piece by piece (format 1, section 15, Attachments).
package enum AttachmentStream {
  /// Writes the bytes of `next` as a new file, whole and durably. The caller later stores the record that names the
  /// file, or removes the file again.
  ///
  /// - Parameters:
  ///   - key: gives the key of the stream for an id, 32 bytes.
  ///   - next: gives the next bytes; empty at the end.
  package static func write(
    named name: String, to store: any AttachmentStore, under lock: any StoreLock,
    key: (AttachmentID) throws(SealingError) -> SecretBytes, next: () throws(VaultError) -> [UInt8]
  ) throws(VaultError) -> Attachment {
    let id = AttachmentID.random()
    let place = StoreLocation.attachment(id)
    let writer = try inStore { () throws(StoreError) in try store.writer(of: place, under: lock) }
    let sealed = try SealedFile(writer)
    let key = try inSealing(file: place.relativePath) { () throws(SealingError) in try key(id) }
    let age = try inAttachment(place) { () throws(AgeError) in
      try AgeWriter(payloadUnder: key) { try sealed.append($0.copiedBytes()) }
    }
    var byteCount = 0
    while true {
      let piece = try next()
      if piece.isEmpty { break }
      byteCount += piece.count
      guard byteCount <= Attachment.maximumByteCount else { throw .tooLarge(name) }
      try inAttachment(place) { () throws(AgeError) in try age.append(RawSpan(_elements: piece.span)) }
    }
    try inAttachment(place) { () throws(AgeError) in try age.finish() }
    return Attachment(id: id, name: name, byteCount: byteCount, sha256: try sealed.finish())
  }

  /// Compares the size of the file, and its hash if the whole file is read.
  package static func check(
    _ attachment: Attachment, in store: any RecordStore, readingAll isReadingAll: Bool
  ) throws(VaultError) {
    let file = try StoredFile(attachment, in: store)
    while isReadingAll, try !file.next().isEmpty {}
  }

  /// Opens the file and gives its content to `body`, piece by piece. Each piece is authentic and in its place; nothing
  /// is missing once this has returned.
  ///
  /// - Parameter key: the key of the stream, 32 bytes.
  /// - Throws: ``VaultError`` like ``check(_:in:readingAll:)``, and the errors of `body`.
  package static func open(
    _ attachment: Attachment, from store: any RecordStore, key: SecretBytes,
    _ body: ([UInt8]) throws -> Void
  ) throws {
    let content = try OpenedAttachment(attachment, from: store, key: key)
    while true {
      let piece = try content.next()
      if piece.isEmpty { break }
      try body(piece)
    }
  }
}

/// Reads the content of an attachment from a store. Each piece is authentic and in its place; nothing is missing once
/// the empty piece has come.
package final class OpenedAttachment {
  private let attachment: Attachment
  private let file: StoredFile
  private let age: AgeReader
  private var byteCount = 0

  /// - Parameter key: the key of the stream, 32 bytes.
  package init(_ attachment: Attachment, from store: any RecordStore, key: SecretBytes) throws(VaultError) {
    let file = try StoredFile(attachment, in: store)
    (self.attachment, self.file) = (attachment, file)
    age = AgeReader(payloadUnder: key) { try file.read(into: &$0) }
  }

  /// The next bytes; empty at the end, after size and hash were compared.
  package func next() throws(VaultError) -> [UInt8] {
    let place = StoreLocation.attachment(attachment.id)
    while let piece = try inAttachment(place, { () throws(AgeError) in try age.next() }) {
      byteCount += piece.count
      if !piece.isEmpty { return piece }
    }
    // Bytes after the last chunk belong to the hash but not to the stream.
    guard try file.next().isEmpty, byteCount == attachment.byteCount else { throw .notAsNamed(place) }
    return []
  }
}

/// A file that is being written to the store, and its hash.
package final class SealedFile {
  private let writer: any StoreWriter
  private var hasher: SHA256.Hasher?

  package init(_ writer: any StoreWriter) throws(VaultError) {
    self.writer = writer
    hasher = try inCrypto { () throws(CryptoError) in try SHA256.Hasher() }
  }

  package func append(_ bytes: [UInt8]) throws(VaultError) {
    try inCrypto { () throws(CryptoError) in try hasher?.update(RawSpan(_elements: bytes.span)) }
    try inStore { () throws(StoreError) in try writer.append(bytes) }
  }

  /// Puts the file in place.
  ///
  /// - Parameters:
  ///   - expected: the attachment that it must equal; nil for a new one.
  ///   - mark: the mark of the present file; nil if there must be no file.
  /// - Returns: its SHA-256, 32 bytes.
  @discardableResult
  package func finish(as expected: Attachment? = nil, replacing mark: ContentMark? = nil) throws(VaultError) -> [UInt8]
  {
    guard let whole = hasher.take() else { preconditionFailure("a file is finished once") }
    let hash: [UInt8]
    do throws(CryptoError) { hash = try whole.finish() } catch { throw VaultError(crypto: error) }
    if let expected, hash != expected.sha256 { throw .notAsNamed(.attachment(expected.id)) }
    try inStore { () throws(StoreError) in try writer.commit(replacing: mark) }
    return hash
  }
}

/// A file of the store that must be the one that a record names.
private final class StoredFile {
  private let attachment: Attachment
  private let place: StoreLocation
  private let reader: any StoreReader
  private var hasher: SHA256.Hasher?
  private var piece: [UInt8] = []
  private var offset = 0

  init(_ attachment: Attachment, in store: any RecordStore) throws(VaultError) {
    (self.attachment, place) = (attachment, .attachment(attachment.id))
    let place = place
    let found = try inStore { () throws(StoreError) in try store.reader(of: place) }
    guard let reader = found else { throw .missing(place) }
    guard reader.byteCount == attachment.storedByteCount else { throw .notAsNamed(place) }
    self.reader = reader
    hasher = try inCrypto { () throws(CryptoError) in try SHA256.Hasher() }
  }

  /// The next bytes; empty at the end, after the hash was compared.
  func next() throws(VaultError) -> [UInt8] {
    guard offset == piece.count else {
      defer { offset = piece.count }
      return Array(piece[offset...])
    }
    let piece = try inStore { () throws(StoreError) in try reader.next() }
    try inCrypto { () throws(CryptoError) in try hasher?.update(RawSpan(_elements: piece.span)) }
    guard piece.isEmpty else { return piece }
    try compareHash()
    return []
  }

  private func compareHash() throws(VaultError) {
    guard let whole = hasher.take() else { return }
    let found: [UInt8]
    do throws(CryptoError) { found = try whole.finish() } catch { throw VaultError(crypto: error) }
    guard found == attachment.sha256 else { throw .notAsNamed(place) }
  }

  /// Copies some of the next bytes to the start of `span` and returns how many. At the end it returns 0, after the
  /// hash was compared.
  func read(into span: inout MutableRawSpan) throws -> Int {
    if offset == piece.count { (piece, offset) = (try next(), 0) }
    let count = min(span.byteCount, piece.count - offset)
    unsafe span.withUnsafeMutableBytes { target in
      unsafe piece.withUnsafeBytes { source in
        unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[offset..<offset + count]))
      }
    }
    offset += count
    return count
  }
}

/// Runs a step of a stream. Errors of the store and of the hash are translated as usual; any other means that the file
/// is not as named.
private func inAttachment<Result>(
  _ place: StoreLocation, _ step: () throws(AgeError) -> Result
) throws(VaultError) -> Result {
  do throws(AgeError) {
    return try step()
  } catch {
    switch error.underlying {
    case let error as VaultError: throw error
    case let error as StoreError: throw VaultError(store: error)
    case let error as CryptoError: throw VaultError(crypto: error)
    default: throw .notAsNamed(place, underlying: error)
    }
  }
}

extension VaultError {
  /// The error for a missing file that a record names.
  package static func missing(_ place: StoreLocation) -> VaultError {
    VaultError(.damaged, "is missing, but a record names it", file: place.relativePath)
  }

  package static func notAsNamed(_ place: StoreLocation, underlying: (any Error)? = nil) -> VaultError {
    VaultError(
      .damaged, "is not the file that the record names: it was changed, truncated or replaced",
      file: place.relativePath,
      underlying: underlying)
  }

  fileprivate static func tooLarge(_ name: String) -> VaultError {
    VaultError(
      .inputRefused, "is larger than 1 GiB, the limit of an attachment", file: name,
      remedies: ["split the file, or keep it elsewhere; nothing was attached"])
  }
}
