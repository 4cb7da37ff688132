package import VaultSealing

/// One version of a file of a vault: its bytes, and the record in them.
///
/// Merges and comparisons pass versions on in this form, so the bytes of each version are parsed at most once.
package final class StoredVersion {
  package let bytes: [UInt8]
  /// Nil if the bytes are not a record of this format. The first access parses them.
  package private(set) lazy var record = RecordFile(parsing: bytes)

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// An existing file that cannot be read.
  package static var unreadable: StoredVersion { StoredVersion([]) }

  /// The record's unverified claims about itself; nil without a record.
  package var envelope: RecordEnvelope? { record?.envelope }
}

extension StoredVersion: Equatable {
  package static func == (one: StoredVersion, other: StoredVersion) -> Bool { one.bytes == other.bytes }
}
