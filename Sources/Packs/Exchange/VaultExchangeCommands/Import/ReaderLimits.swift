import VaultCrypto
import VaultTerminal

struct ReaderLimits {
  /// The assumed size of a pipe, or of any other source without a size.
  private static let usualByteCount = 128 << 20
  /// The limit for an entry with its values. A value has at most 4 MiB.
  static let lineByteCount = 64 << 20

  private let byteCount: Int

  init(byteCount: Int?) { self.byteCount = min(byteCount ?? Self.usualByteCount, 1 << 40) }

  /// In addition to the memory of the program itself. A JSON tree takes about thirty times its text, and a zip file is
  /// compressed.
  var memoryByteCount: Int { min(2 << 30 + byteCount * 64, ProcessHardening.addressSpaceByteCount) }
  var processorSeconds: Int { min(120 + (byteCount >> 20) * 4, ProcessHardening.processorSeconds) }
  /// The limit for all lines. An empty cell of a table is one byte, but a whole line of the ledger.
  var outputByteCount: Int { 1 << 30 + byteCount * 256 }

  func apply() {
    let writesFiles = [System.standardOutput, System.standardError].contains { System.state(of: $0) != nil }
    ProcessHardening.limit(
      addressSpace: System.addressSpaceByteCount.map { $0 + memoryByteCount },
      processorSeconds: processorSeconds, writesFiles: writesFiles)
  }
}
