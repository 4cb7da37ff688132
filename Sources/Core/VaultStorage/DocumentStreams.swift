/// Reads a document piece by piece.
public protocol StoreReader: AnyObject {
  /// The document's size in bytes. The reader gives exactly this many bytes, or an error.
  var byteCount: Int { get }

  /// The next bytes; empty at the end.
  ///
  /// - Throws: `StoreError`, like `read`.
  func next() throws(StoreError) -> [UInt8]

  /// A mark of the content, after all was read, to detect later whether the document has changed.
  var mark: ContentMark { get }
}

extension StoreReader {
  /// Gives the remaining bytes to `body`, piece by piece.
  package func forEachPiece(_ body: (_ piece: [UInt8]) throws(StoreError) -> Void) throws(StoreError) {
    while true {
      let piece = try next()
      if piece.isEmpty { return }
      try body(piece)
    }
  }

  /// Reads all remaining bytes.
  package func all() throws(StoreError) -> [UInt8] {
    var bytes: [UInt8] = []
    try forEachPiece { (piece) throws(StoreError) in bytes += piece }
    return bytes
  }

  /// Reads to the end and returns the mark.
  package func markOfAll() throws(StoreError) -> ContentMark {
    try forEachPiece { _ in }
    return mark
  }
}

extension RecordStore {
  /// The mark of a document, which is read completely; nil if it does not exist.
  package func mark(of location: StoreLocation) throws(StoreError) -> ContentMark? {
    guard let reader = try reader(of: location) else { return nil }
    return try reader.markOfAll()
  }
}

/// Writes a document piece by piece. Nobody sees any of it before `commit` returns.
///
/// A writer that is not committed is abandoned with its last reference.
public protocol StoreWriter: AnyObject {
  /// Appends bytes.
  ///
  /// - Throws: `StoreError` `.tooLarge`, `.diskFull`, `.permissionDenied`, `.readOnly`, `.ioFailed`.
  func append(_ bytes: [UInt8]) throws(StoreError)

  /// Puts the document in place, durably, if the present content has this mark; nil expects that there is no document.
  ///
  /// - Throws: `StoreError`, like `apply`; the old document is then still in place.
  func commit(replacing mark: ContentMark?) throws(StoreError)
}

/// Tells contents apart without keeping them: equal marks mean equal bytes, except for one case in 2⁶⁴. A mark is valid
/// only in this process.
public struct ContentMark: Equatable, Sendable {
  private let byteCount: Int
  private let hash: Int

  /// Makes a mark of bytes that come in pieces of any size.
  public struct Builder {
    private static let blockByteCount = 64 << 10

    private var hasher = Hasher()
    private var byteCount = 0
    /// Bytes that do not fill a block yet, so that the hash depends on the bytes and not on the pieces.
    private var block: [UInt8] = []

    /// Begins with no bytes.
    public init() {}

    /// Adds bytes.
    public mutating func append(_ bytes: [UInt8]) {
      byteCount += bytes.count
      block += bytes
      guard block.count >= Self.blockByteCount else { return }
      var start = 0
      while block.count - start >= Self.blockByteCount {
        hash(start..<start + Self.blockByteCount)
        start += Self.blockByteCount
      }
      block.removeFirst(start)
    }

    private mutating func hash(_ range: Range<Int>) {
      // Safe: the hasher only reads.
      unsafe block.withUnsafeBytes { unsafe hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    /// The mark of all added bytes.
    public consuming func finish() -> ContentMark {
      hash(block.indices)
      return ContentMark(byteCount: byteCount, hash: hasher.finalize())
    }
  }
}

extension RecordStore {
  /// Implements `reader(of:)` for stores that hold their documents in memory anyway.
  public func reader(of location: StoreLocation) throws(StoreError) -> (any StoreReader)? {
    try wholeReader(of: location)
  }

  package func wholeReader(of location: StoreLocation) throws(StoreError) -> (any StoreReader)? {
    try read(location).map(WholeReader.init)
  }

  /// Implements `writer(of:under:)` for stores that hold their documents in memory anyway.
  public func writer(of location: StoreLocation, under lock: any StoreLock) throws(StoreError) -> any StoreWriter {
    wholeWriter(of: location, under: lock)
  }

  package func wholeWriter(of location: StoreLocation, under lock: any StoreLock) -> any StoreWriter {
    WholeWriter(self, location: location, lock: lock)
  }
}

private final class WholeReader: StoreReader {
  private var bytes: [UInt8]
  let byteCount: Int
  let mark: ContentMark

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    byteCount = bytes.count
    mark = ContentMark(of: bytes)
  }

  func next() throws(StoreError) -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }
}

/// Collects a document and applies it as one change.
private final class WholeWriter: StoreWriter {
  private let store: any RecordStore
  private let location: StoreLocation
  private let lock: any StoreLock
  private var bytes: [UInt8] = []

  init(_ store: any RecordStore, location: StoreLocation, lock: any StoreLock) {
    (self.store, self.location, self.lock) = (store, location, lock)
  }

  func append(_ bytes: [UInt8]) throws(StoreError) { self.bytes += bytes }

  func commit(replacing mark: ContentMark?) throws(StoreError) {
    let old = try store.read(location)
    guard old.map(ContentMark.init(of:)) == mark else {
      throw StoreError(.changedUnderneath, reason: "was changed by someone else", path: location.relativePath)
    }
    try store.apply([StoreChange(location, from: old, to: bytes)], under: lock)
  }
}

extension ContentMark {
  fileprivate init(of bytes: [UInt8]) {
    var builder = Builder()
    builder.append(bytes)
    self = builder.finish()
  }
}
