internal import VaultCrypto
internal import VaultDocument
internal import VaultFileStore
internal import VaultKit
internal import VaultStorage

/// Takes the bytes of a backup into a file that does not have its name yet, and hashes them.
final class BackupOutput {
  let file: NewFile
  private var hasher: SHA256.Hasher?

  init(_ file: NewFile) throws(VaultError) {
    self.file = file
    do throws(CryptoError) { hasher = try SHA256.Hasher() } catch { throw VaultError(crypto: error) }
  }

  func write(_ bytes: RawSpan) throws(VaultError) {
    try inCrypto { () throws(CryptoError) in try hasher?.update(bytes) }
    let copy = unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) }
    try inStore { () throws(StoreError) in try file.append(copy) }
  }

  /// SHA-256 of everything written, 32 bytes; to be asked for once, at the end.
  func hash() throws(VaultError) -> [UInt8] {
    guard let whole = hasher.take() else { preconditionFailure("a hash ends once") }
    do throws(CryptoError) { return try whole.finish() } catch { throw VaultError(crypto: error) }
  }
}
