internal import VaultCrypto

/// How large one value of a record may be.
enum ValueLimit {
  /// A quarter of the locked memory for secrets, where a value that is sealed is twice for a moment, and not alone; 4 MiB at
  /// the most.
  static var byteCount: Int { SecureMemory.byteCount / 4 }

  /// Why a value is not taken.
  static let refusal = LedgerLine.Outcome.refused(
    "the value is larger than a quarter of the locked memory for secrets: `vault status` shows it, `ulimit -l` raises it"
  )
}
