internal import VaultCrypto

/// How large one value of a record may be.
enum ValueLimit {
  /// Half of the locked memory for secrets, through which every sealed value goes; 8 MiB at the most.
  static var byteCount: Int { SecureMemory.byteCount / 2 }

  /// Why a value is not taken.
  static let refusal = LedgerLine.Outcome.refused(
    "the value is larger than half of the locked memory for secrets: `vault status` shows it, `ulimit -l` raises it")
}
