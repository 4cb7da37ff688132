package import VaultCrypto
package import VaultDocument

/// Who has a root key in another process, and does with it what reading and writing records take. It never gives the
/// key out.
package protocol RootKeyHolder: Sendable {
  /// The data key of one record, 32 bytes.
  ///
  /// - Throws: ``SealingError`` `.rootKeyElsewhere` when the holder refuses or is gone, `.authenticationFailed`.
  func open(_ wrapped: WrappedKey, record: RecordID) throws(SealingError) -> SecretBytes

  /// The data key of one record, wrapped under the root key, and opened again.
  func wrap(_ dataKey: SecretBytes, record: RecordID) throws(SealingError) -> WrappedKey

  /// Whether the header with this hash (SHA-256 of its canonical encoding, 32 bytes) was authenticated under the root
  /// key.
  func hasAuthenticated(headerHash: [UInt8]) throws(SealingError) -> Bool
}
