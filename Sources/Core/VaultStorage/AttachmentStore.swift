public import VaultDocument

/// A store that also keeps the attachments of records: files of up to a gibibyte, each written once and never changed
/// (format 1, section 15, Attachments). Other stores cannot hold a record with attachments.
///
/// ``RecordStore/reader(of:)`` reads the places ``StoreLocation/attachment(_:)``, and ``RecordStore/writer(of:under:)``
/// fills them; both hold only a piece of the document in memory. The document is complete and durable once
/// `commit(replacing: nil)` has returned, which refuses an existing one. Nothing else writes attachments, and batches
/// do not contain them. The records tell which attachments are in use.
package protocol AttachmentStore: RecordStore {
  /// Whether there is room for attachments; if not, the list is empty, and a writer is refused. A store that always has
  /// room need not implement this.
  func keepsAttachments() throws(StoreError) -> Bool

  /// The ids of all attachments, ascending, even of those that no record names.
  func attachments() throws(StoreError) -> [AttachmentID]

  /// Removes attachments durably. Missing attachments are ignored.
  ///
  /// - Precondition: `lock` is an exclusive lock of this store and not released.
  func removeAttachments(_ ids: [AttachmentID], under lock: any StoreLock) throws(StoreError)
}

extension AttachmentStore {
  /// Always true.
  public func keepsAttachments() throws(StoreError) -> Bool { true }
}

extension RecordStore {
  /// The ids of the attachments; empty for a store that cannot keep any.
  ///
  /// - Throws: like `read`.
  public func heldAttachments() throws(StoreError) -> [AttachmentID] {
    guard let store = self as? any AttachmentStore else { return [] }
    return try store.attachments()
  }
}
