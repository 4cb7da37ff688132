public import VaultDocument

/// A store that also keeps what is attached to records: files of up to a gibibyte, each written once and never changed
/// (format 1, section 15, Attachments). A store that is none keeps no vault in which a record has any.
///
/// The places ``StoreLocation/attachment(_:)`` are read with ``RecordStore/reader(of:)`` and filled with
/// ``RecordStore/writer(of:under:)``, which hold a piece of the document in memory and not all of it: it is there whole
/// and durably once `commit(replacing: nil)` has returned, and refused where something is there. Nothing else writes
/// them, and no batch has them. Which of them count, the records say.
package protocol AttachmentStore: RecordStore {
  /// Whether there is room for them: without it there are none, and a writer is refused. A store that made its room
  /// itself need not say so.
  func keepsAttachments() throws(StoreError) -> Bool

  /// The ids of the attachments, whether or not a record names them, ascending.
  func attachments() throws(StoreError) -> [AttachmentID]

  /// Removes attachments, durably; one that is not there is none to remove.
  ///
  /// - Precondition: `lock` is an exclusive lock of this store and not released.
  func removeAttachments(_ ids: [AttachmentID], under lock: any StoreLock) throws(StoreError)
}

extension AttachmentStore {
  /// It does.
  public func keepsAttachments() throws(StoreError) -> Bool { true }
}

extension RecordStore {
  /// The ids of the attachments; none in a store that keeps none.
  ///
  /// - Throws: as `read`.
  public func heldAttachments() throws(StoreError) -> [AttachmentID] {
    guard let store = self as? any AttachmentStore else { return [] }
    return try store.attachments()
  }
}
