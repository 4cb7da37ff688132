internal import VaultCrypto
internal import VaultDocument
internal import VaultFileStore
internal import VaultKit
internal import VaultStorage
internal import VaultSystem

/// Writes the bytes of a backup to a file without its final name, and hashes them.
final class BackupOutput {
  let file: AtomicFile<StoreError>
  private var hasher: SHA256.Hasher?
  /// Bytes that were hashed but not written yet.
  private var pending: [UInt8] = []

  private static let pieceByteCount = 512 << 10

  init(_ file: AtomicFile<StoreError>) throws(VaultError) {
    self.file = file
    do throws(CryptoError) { hasher = try SHA256.Hasher() } catch { throw VaultError(crypto: error) }
  }

  func write(_ bytes: RawSpan) throws(VaultError) {
    try inCrypto { () throws(CryptoError) in try hasher?.update(bytes) }
    // Safe: the span lends its bytes for the length of the call, which copies them.
    unsafe bytes.withUnsafeBytes { unsafe pending.append(contentsOf: $0) }
    if pending.count >= Self.pieceByteCount { try flush() }
  }

  /// Writes the pending bytes, and makes all bytes durable.
  func sync() throws(VaultError) {
    try flush()
    pending = []
    try inStore { () throws(StoreError) in try file.sync() }
  }

  private func flush() throws(VaultError) {
    try inStore { () throws(StoreError) in try file.append(pending) }
    pending.removeAll(keepingCapacity: true)
  }

  /// SHA-256 of all bytes, 32 bytes. It can be asked for only once, at the end.
  func hash() throws(VaultError) -> [UInt8] {
    guard let whole = hasher.take() else { preconditionFailure("a hash ends once") }
    do throws(CryptoError) { return try whole.finish() } catch { throw VaultError(crypto: error) }
  }
}
