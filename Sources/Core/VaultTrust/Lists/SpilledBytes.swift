internal import VaultFileStore
internal import VaultStorage
internal import VaultSystem

/// Bytes that were put one after the other, none of them secret.
///
/// Of many most lie in a file without a name rather than in memory, so that what a large vault takes does not grow with
/// it; where there is no room for such a file, memory has to do.
package final class SpilledBytes: Sendable {
  package let count: Int
  /// What holds the first of them.
  private let file: AtomicFile<StoreError>?
  private let fileCount: Int
  /// The others.
  private let rest: [UInt8]

  fileprivate init(_ file: AtomicFile<StoreError>?, fileCount: Int, rest: [UInt8]) {
    (self.file, self.fileCount, self.rest) = (file, fileCount, rest)
    count = fileCount + rest.count
  }

  /// Reads some of them.
  package func read(_ range: Range<Int>) throws(VaultError) -> [UInt8] {
    let (spilled, kept) = (range.clamped(to: 0..<fileCount), range.clamped(to: fileCount..<count))
    let tail = rest[kept.lowerBound - fileCount..<kept.upperBound - fileCount]
    guard let file, !spilled.isEmpty else { return Array(tail) }
    return try inStore { () throws(StoreError) in
      try file.read(spilled.count, from: spilled.lowerBound)
    } + tail
  }

  /// Gives all of them to `body`, piece by piece.
  package func forEachPiece(_ body: ([UInt8]) throws(VaultError) -> Void) throws(VaultError) {
    let pieceByteCount = 1 << 16
    for start in stride(from: 0, to: count, by: pieceByteCount) {
      try body(read(start..<min(start + pieceByteCount, count)))
    }
  }

  /// Puts bytes one after the other.
  package struct Builder {
    /// So many stay in memory before a file is begun.
    package static let memoryByteCount = 4 << 20
    /// So many are written at once.
    private static let pieceByteCount = 1 << 19

    private var bytes: [UInt8] = []
    private var file: AtomicFile<StoreError>?
    private var fileCount = 0
    private var mayGrowFile = true

    package init() {}

    package var count: Int { fileCount + bytes.count }

    package mutating func append(_ more: [UInt8]) {
      bytes += more
      if mayGrowFile, bytes.count >= (file == nil ? Self.memoryByteCount : Self.pieceByteCount) { spill() }
    }

    /// Moves what is in memory to the file.
    private mutating func spill() {
      do throws(StoreError) {
        let file =
          if let file { file } else { try AtomicFile<StoreError>.nameless(in: ProcessEnvironment.temporaryDirectory) }
        try file.append(bytes)
        self.file = file
        fileCount += bytes.count
        bytes = []
      } catch {
        // No room for it: memory has to do.
        mayGrowFile = false
      }
    }

    package consuming func finish() -> SpilledBytes { SpilledBytes(file, fileCount: fileCount, rest: bytes) }
  }
}
