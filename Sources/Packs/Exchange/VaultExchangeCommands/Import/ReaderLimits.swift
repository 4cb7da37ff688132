import VaultCrypto
import VaultTerminal

/// What the process that reads a file may use, by the length of the file.
struct ReaderLimits {
  /// What has no length, such as a pipe, counts as so long.
  private static let usualByteCount = 128 << 20
  /// An entry with its values; a value has at most 4 MiB.
  static let lineByteCount = 64 << 20

  private let byteCount: Int

  init(byteCount: Int?) { self.byteCount = min(byteCount ?? Self.usualByteCount, 1 << 40) }

  /// Beside what the program takes itself. A tree of JSON is some thirty times its text, and a zip file is packed.
  var memoryByteCount: Int { min(2 << 30 + byteCount * 64, ProcessHardening.addressSpaceByteCount) }
  var processorSeconds: Int { min(120 + (byteCount >> 20) * 4, ProcessHardening.processorSeconds) }
  /// In all its lines: an empty cell of a table is a byte there and a line of the ledger here.
  var outputByteCount: Int { 1 << 30 + byteCount * 256 }

  /// Holds this process to them.
  func apply() {
    let writesFiles = [System.standardOutput, System.standardError].contains { System.state(of: $0) != nil }
    ProcessHardening.limit(
      addressSpace: System.addressSpaceByteCount.map { $0 + memoryByteCount },
      processorSeconds: processorSeconds, writesFiles: writesFiles)
  }
}
