internal import VaultCare
package import VaultDocument
internal import VaultSealing
internal import VaultStorage
package import VaultTrust

/// The steps of ``Vault/repair(_:asideFolder:)``. The plan is made and shown before anything is changed.
package struct RepairPlan: Sendable {
  package internal(set) var steps: [RepairStep] = []
  /// Whether conflict copies wait for a merge, which comes first.
  package internal(set) var hasUnmergedCopies = false

  /// The plan with only the steps about these records, and those about the whole vault.
  package func limited(to records: Set<RecordID>) -> RepairPlan {
    RepairPlan(
      steps: steps.filter { $0.record.map(records.contains) ?? true }, hasUnmergedCopies: hasUnmergedCopies)
  }

  /// Whether any step changes or writes something.
  package var hasWork: Bool { steps.contains { $0.action != .leave } }
}

package struct RepairStep: Sendable {
  package enum Action: String, Sendable {
    /// A committed batch is put in place.
    case finishJournal = "finish-journal"
    /// A malformed journal and what it staged are moved aside.
    case dropJournal = "drop-journal"
    /// A version that verifies is put in place; the old content is kept aside.
    case restore
    /// A file that verifies is moved to its proper place, among the records or in the trash.
    case move
    /// The parts of a record that still open, without a good version, are written aside, in clear and unverified.
    case salvage
    /// Files of attachments that no record names are deleted for good.
    case remove
    /// Nothing is done: a person must decide.
    case leave
  }

  enum Change: Sendable {
    case none
    case journal
    /// `found` is the present content of the file; nil if it is missing, or not a regular file. The version that
    /// verifies belongs at `home`, which is the same place or empty.
    case replace(StoreLocation, found: [UInt8]?, isIrregular: Bool, by: [UInt8], home: StoreLocation)
    case restoreFromTrash(RecordID, found: [UInt8]?, isIrregular: Bool, trashed: [UInt8])
    case move(from: StoreLocation, to: StoreLocation, bytes: [UInt8])
    case salvage(Salvage)
    case removeAttachments(Set<AttachmentID>)
    /// Restores the file that a record names. A history has it, and is read again, because the file may be large.
    case restoreAttachment(Attachment, from: any FileHistory)
  }

  package let action: Action
  /// Path below the vault's directory.
  package let file: String
  package let record: RecordID?
  package let reason: String
  /// The source of the good version, or why there is no such version; may be empty.
  package let detail: String
  /// Alternatives for a person, or remedies for a file that is left.
  package let remedies: [Remedy]
  package let revision: Int?
  let change: Change

  init(
    _ action: Action, _ file: String, record: RecordID? = nil, reason: String, detail: String = "",
    remedies: [Remedy] = [], revision: Int? = nil, change: Change = .none
  ) {
    self.action = action
    self.file = file
    self.record = record
    self.reason = reason
    self.detail = detail
    self.remedies = remedies
    self.revision = revision
    self.change = change
  }
}

package struct RepairResult: Sendable {
  /// The result for each step of the plan, in order: nil if it was done or left on purpose, else the error.
  package internal(set) var failures: [VaultError?] = []
  /// The folder with the files that were moved or written aside; nil if there are no such files.
  package internal(set) var asideFolder: String?
}
