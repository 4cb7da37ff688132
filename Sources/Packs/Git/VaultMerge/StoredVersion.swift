package import VaultSealing

/// One version of a file of a vault: its bytes, and the record in them.
///
/// Whatever merges or compares versions hands them on in this form, so the bytes of each version are parsed once.
package final class StoredVersion {
  package let bytes: [UInt8]
  /// Nil if the bytes are not a record of this format. They are parsed when the record is first asked for.
  package private(set) lazy var record = RecordFile(parsing: bytes)

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// A file that is there and cannot be read.
  package static var unreadable: StoredVersion { StoredVersion([]) }

  /// The record's unverified claims about itself; nil without a record.
  package var envelope: RecordEnvelope? { record?.envelope }
}

extension StoredVersion: Equatable {
  package static func == (one: StoredVersion, other: StoredVersion) -> Bool { one.bytes == other.bytes }
}
