package import VaultKit
internal import VaultRecords
package import VaultStorage
package import VaultTrust

extension Vault {
  /// Verifies the file of a record, live or removed, and opens every sealed field of it.
  package func checkedVersion(_ bytes: [UInt8], at place: StoreLocation) throws(VaultError) -> RecordVersion {
    try checkedRecord(bytes, at: place, unless: nil).version
  }

  /// Verifies the file in the same way, and also returns the record's attachments and its first misfit.
  ///
  /// - Parameter listed: a version whose fields were all opened already.
  func checkedRecord(
    _ bytes: [UInt8], at place: StoreLocation, unless listed: RecordVersion?
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

/// A verified record: its version, and the attachments that the record names.
struct CheckedRecord: Sendable {
  let version: RecordVersion
  let named: NamedAttachments
  /// The keys of its attachments; nil without attachments.
  let keys: AttachmentKeys?
  /// The first member that does not fit its declared kind; of sealed members only JSON is checked.
  let misfit: RecordError?
}
