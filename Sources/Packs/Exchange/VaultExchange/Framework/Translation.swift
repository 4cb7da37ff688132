internal import VaultCrypto

/// Runs `body`, and translates errors of the cryptographic library.
func inCrypto<Result>(_ body: () throws(CryptoError) -> Result) throws(ExchangeError) -> Result {
  do throws(CryptoError) {
    return try body()
  } catch {
    throw ExchangeError(.reading, "could not be opened", underlying: error)
  }
}

/// Like ``inCrypto(_:)``, for exports.
func inExport<Result>(_ body: () throws(CryptoError) -> Result) throws(ExportError) -> Result {
  do throws(CryptoError) {
    return try body()
  } catch {
    throw ExportError("could not be encrypted", underlying: error)
  }
}

extension SecretBytes {
  /// The bytes in ordinary memory: for keys of foreign files, never for a key of a vault.
  var foreignKey: [UInt8] {
    withBytes { bytes in
      let bytes = Span<UInt8>(_bytes: bytes)
      return bytes.indices.map { bytes[$0] }
    }
  }
}
