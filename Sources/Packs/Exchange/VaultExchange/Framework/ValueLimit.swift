internal import VaultCrypto

/// How large one value of a record may be.
enum ValueLimit {
  /// A quarter of the locked memory for secrets, where a value that is sealed is twice for a moment, and not alone; 4
  /// MiB at the most.
  static var byteCount: Int { SecureMemory.valueByteCount }

  /// How many values a record may have: as many as a row of a table has cells. Each has a name, a place and a line.
  static let count = 10_000

  /// How much base64 the files of an entry may be that are too large for a value: with the rest of the entry they go
  /// through one line of the process that reads, which has 64 MiB.
  static let attachmentByteCount = 40 << 20

  /// Why a file is not taken.
  static let attachmentRefusal = LedgerLine.Outcome.refused(
    "the attachments of the entry that are too large for values have more than 30 MiB: take this one out of the tool, "
      + "and attach it"
  )

  /// Why an entry with more values is not taken.
  static let tooMany: StaticString = "has more values than a record may have"

  /// Why a value is not taken.
  static let refusal = LedgerLine.Outcome.refused(
    "the value is larger than a quarter of the locked memory for secrets, which `ulimit -l` raises"
  )
}
