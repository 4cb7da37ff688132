package import VaultCrypto
package import VaultDocument

/// Uses a root key in another process to read and write records. It never gives the key out.
package protocol RootKeyHolder: Sendable {
  /// The data key of one record, 32 bytes.
  ///
  /// - Throws: ``SealingError`` `.rootKeyElsewhere` if the holder refuses or is gone, `.authenticationFailed`.
  func open(_ wrapped: WrappedKey, record: RecordID) throws(SealingError) -> SecretBytes

  /// Wraps the data key of one record under the root key, and opens it again as a check.
  func wrap(_ dataKey: SecretBytes, record: RecordID) throws(SealingError) -> WrappedKey

  /// Whether the header with this hash (SHA-256 of its canonical encoding, 32 bytes) was authenticated under the root
  /// key.
  func hasAuthenticated(headerHash: [UInt8]) throws(SealingError) -> Bool
}
