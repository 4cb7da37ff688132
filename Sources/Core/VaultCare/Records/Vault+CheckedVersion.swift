package import VaultKit
package import VaultRecords
package import VaultStorage
package import VaultTrust

extension Vault {
  /// Verifies the file of a record, live or removed, and opens every sealed field of it.
  ///
  /// - Parameter listed: the version of which somebody has opened all fields already.
  package func checkedVersion(
    _ bytes: [UInt8], at place: StoreLocation, unless listed: RecordVersion? = nil
  ) throws(VaultError) -> RecordVersion {
    try checkedRecord(bytes, at: place, unless: listed).version
  }

  /// The same, with what the record names.
  package func checkedRecord(
    _ bytes: [UInt8], at place: StoreLocation, unless listed: RecordVersion? = nil
  ) throws(VaultError) -> CheckedRecord {
    guard let id = place.recordID else { preconditionFailure("only records have versions") }
    let record = place == .trash(id) ? try verifyTrashed(bytes, id).record : try verify(bytes, id)
    let version = RecordVersion(record)
    let sealed = version != listed ? try record.check() : nil
    return CheckedRecord(
      version: version, named: NamedAttachments(record.envelope), keys: AttachmentKeys(record.envelope, keyring),
      misfit: record.misfit ?? sealed)
  }
}

/// A record that is as it was written, by its version and what it names.
package struct CheckedRecord: Sendable {
  package let version: RecordVersion
  package let named: NamedAttachments
  /// What opens its attachments; nil where it has none.
  package let keys: AttachmentKeys?
  /// The first member that is not what its declared kind says; of sealed members only JSON is looked at.
  package let misfit: RecordError?
}
