/// A document that is read piece by piece.
public protocol StoreReader: AnyObject {
  /// The document's size: so many bytes come, or an error.
  var byteCount: Int { get }

  /// The next bytes; empty at the end.
  ///
  /// - Throws: `StoreError` as `read`.
  func next() throws(StoreError) -> [UInt8]

  /// What tells, once all was read, whether a document still holds the same.
  var mark: ContentMark { get }
}

extension StoreReader {
  /// Gives all that is left to `body`, some at a time.
  package func forEachPiece(_ body: (_ piece: [UInt8]) throws(StoreError) -> Void) throws(StoreError) {
    while true {
      let piece = try next()
      if piece.isEmpty { return }
      try body(piece)
    }
  }

  /// Reads to the end, and gives all of it.
  package func all() throws(StoreError) -> [UInt8] {
    var bytes: [UInt8] = []
    try forEachPiece { (piece) throws(StoreError) in bytes += piece }
    return bytes
  }

  /// Reads to the end, and gives the mark.
  package func markOfAll() throws(StoreError) -> ContentMark {
    try forEachPiece { _ in }
    return mark
  }
}

extension RecordStore {
  /// The mark of a document, all of which is read for it; nil where there is none.
  package func mark(of location: StoreLocation) throws(StoreError) -> ContentMark? {
    guard let reader = try reader(of: location) else { return nil }
    return try reader.markOfAll()
  }
}

/// A document that is written piece by piece; nobody sees any of it before `commit` returns.
///
/// One that is not committed is abandoned with its last reference.
public protocol StoreWriter: AnyObject {
  /// Writes bytes behind those before.
  ///
  /// - Throws: `StoreError` `.tooLarge`, `.diskFull`, `.permissionDenied`, `.readOnly`, `.ioFailed`.
  func append(_ bytes: [UInt8]) throws(StoreError)

  /// Puts the document in place, durably, if what is there holds what `mark` was made of; nil: if there is nothing.
  ///
  /// - Throws: `StoreError` as `apply`; the old document is in place then.
  func commit(replacing mark: ContentMark?) throws(StoreError)
}

/// What tells documents apart without keeping them: equal marks are of equal bytes, but for one case in 2⁶⁴. It means
/// nothing in another process.
public struct ContentMark: Equatable, Sendable {
  private let byteCount: Int
  private let hash: Int

  /// Makes a mark of bytes that come in pieces of any size.
  public struct Builder {
    private static let blockByteCount = 64 << 10

    private var hasher = Hasher()
    private var byteCount = 0
    /// What has not filled a block yet: what is hashed depends on the bytes, and not on the pieces in which they came.
    private var block: [UInt8] = []

    /// Of no bytes.
    public init() {}

    /// Takes the next bytes.
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

    /// The mark of all.
    public consuming func finish() -> ContentMark {
      hash(block.indices)
      return ContentMark(byteCount: byteCount, hash: hasher.finalize())
    }
  }
}

extension RecordStore {
  /// As `reader(of:)`: for stores that hold their documents in memory anyway.
  public func reader(of location: StoreLocation) throws(StoreError) -> (any StoreReader)? {
    try wholeReader(of: location)
  }

  /// A reader that has the whole document.
  package func wholeReader(of location: StoreLocation) throws(StoreError) -> (any StoreReader)? {
    try read(location).map(WholeReader.init)
  }

  /// As `writer(of:under:)`: for stores that hold their documents in memory anyway.
  public func writer(of location: StoreLocation, under lock: any StoreLock) throws(StoreError) -> any StoreWriter {
    wholeWriter(of: location, under: lock)
  }

  /// A writer that gathers the whole document.
  package func wholeWriter(of location: StoreLocation, under lock: any StoreLock) -> any StoreWriter {
    WholeWriter(self, location: location, lock: lock)
  }
}

/// Gives a document in one piece.
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

/// Gathers a document and applies it as one change.
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
      throw StoreError(.changedUnderneath, reason: "it was changed by someone else", path: location.relativePath)
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
