internal import VaultCrypto
package import VaultDocument

/// The fingerprint that distinguishes a vault from every other (format 1, section 9.1, Pin and seen).
package enum Fingerprint {
  package static func text(vaultID: VaultID, commitment: [UInt8]) throws(VaultError) -> String {
    let message = CanonicalEncoding.enc("ecv/1/fingerprint", [vaultID.bytes, commitment])
    let hash = try inCrypto { () throws(CryptoError) in try unsafe SHA256.hash(message.span.bytes) }
    return Hex.encode(Array(hash.prefix(20)))
  }
}
