internal import VaultCrypto

enum ValueLimit {
  /// A quarter of the locked memory for secrets, at most 4 MiB. While a value is sealed, it is in memory twice, and
  /// other values are there too.
  static var byteCount: Int { SecureMemory.valueByteCount }

  /// The largest number of values of a record, which is also that of cells in a row. Each value has a name, a place and
  /// a line.
  static let count = 10_000

  /// The limit for files of an entry that are too large for a value, in base64 bytes. They and the rest of the entry
  /// form one line of the process that reads, which has 64 MiB.
  static let attachmentByteCount = 40 << 20

  static let attachmentRefusal = LedgerLine.Outcome.refused(
    "the attachments of the entry that are too large for values have more than 30 MiB: take this one out of the tool, "
      + "and attach it"
  )

  static let tooMany: StaticString = "the entry has more values than a record can have"

  static let refusal = LedgerLine.Outcome.refused(
    "the value is larger than a quarter of the locked memory for secrets, which `ulimit -l` raises"
  )
}
