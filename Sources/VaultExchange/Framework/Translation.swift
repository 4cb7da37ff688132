internal import VaultCrypto

/// Runs what only the library can fail at.
///
/// - Throws: ``ExchangeError`` `.reading` with the error of the library.
func inCrypto<Result>(_ body: () throws(CryptoError) -> Result) throws(ExchangeError) -> Result {
  do throws(CryptoError) {
    return try body()
  } catch {
    throw ExchangeError(.reading, "could not be opened", underlying: error)
  }
}
