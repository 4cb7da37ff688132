internal import VaultFileStore
internal import VaultStorage
internal import VaultSystem

/// A sequence of bytes that are not secret.
///
/// If there are many, most are in a file without a name, so that memory does not grow with the vault. If there is no
/// room for the file, they stay in memory.
package final class SpilledBytes: Sendable {
  package let count: Int
  /// The file with the first bytes.
  private let file: AtomicFile<StoreError>?
  private let fileCount: Int
  private let rest: [UInt8]

  fileprivate init(_ file: AtomicFile<StoreError>?, fileCount: Int, rest: [UInt8]) {
    (self.file, self.fileCount, self.rest) = (file, fileCount, rest)
    count = fileCount + rest.count
  }

  package func read(_ range: Range<Int>) throws(VaultError) -> [UInt8] {
    let (spilled, kept) = (range.clamped(to: 0..<fileCount), range.clamped(to: fileCount..<count))
    let tail = rest[kept.lowerBound - fileCount..<kept.upperBound - fileCount]
    guard let file, !spilled.isEmpty else { return Array(tail) }
    return try inStore { () throws(StoreError) in
      try file.read(spilled.count, from: spilled.lowerBound)
    } + tail
  }

  package func forEachPiece(_ body: ([UInt8]) throws(VaultError) -> Void) throws(VaultError) {
    let pieceByteCount = 1 << 16
    for start in stride(from: 0, to: count, by: pieceByteCount) {
      try body(read(start..<min(start + pieceByteCount, count)))
    }
  }

  package struct Builder {
    /// The most bytes in memory before a file is begun.
    package static let memoryByteCount = 4 << 20
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

    /// Moves the bytes in memory to the file.
    private mutating func spill() {
      do throws(StoreError) {
        let file =
          if let file { file } else { try AtomicFile<StoreError>.nameless(in: ProcessEnvironment.temporaryDirectory) }
        try file.append(bytes)
        self.file = file
        fileCount += bytes.count
        bytes = []
      } catch {
        // No room for the file, so the bytes stay in memory.
        mayGrowFile = false
      }
    }

    package consuming func finish() -> SpilledBytes { SpilledBytes(file, fileCount: fileCount, rest: bytes) }
  }
}
