internal import VaultCare
package import VaultDocument
internal import VaultSealing
internal import VaultStorage
package import VaultTrust

/// What ``Vault/repair(_:asideFolder:)`` is to do, step by step; made and shown before anything is changed.
package struct RepairPlan: Sendable {
  /// In the order in which they are done.
  package internal(set) var steps: [RepairStep] = []

  /// The plan with only the steps about these records, and those about the vault as a whole.
  package func limited(to records: Set<RecordID>) -> RepairPlan {
    RepairPlan(steps: steps.filter { $0.record.map(records.contains) ?? true })
  }

  /// Whether any step changes or writes something.
  package var hasWork: Bool { steps.contains { $0.action != .leave } }
}

/// One step of a repair.
package struct RepairStep: Sendable {
  /// What is done.
  package enum Action: String, Sendable {
    /// A committed batch is put in place.
    case finishJournal = "finish-journal"
    /// A malformed journal and what it staged are moved aside.
    case dropJournal = "drop-journal"
    /// A version that verifies is put in place; what was there is kept aside.
    case restore
    /// A file that verifies goes where it belongs, between the records and the trash.
    case move
    /// What still opens of a record without a good version is written aside, in clear and unverified.
    case salvage
    /// Files of attachments that no record names are removed, for good.
    case remove
    /// Nothing is done: a person has to decide.
    case leave
  }

  enum Change: Sendable {
    case none
    case journal
    /// `found` is what the file holds now; nil when there is none, or when it is no regular file. The version that
    /// verifies belongs at `home`, which is the same place or empty.
    case replace(StoreLocation, found: [UInt8]?, isIrregular: Bool, by: [UInt8], home: StoreLocation)
    case restoreFromTrash(RecordID, found: [UInt8]?, isIrregular: Bool, trashed: [UInt8])
    case move(from: StoreLocation, to: StoreLocation, bytes: [UInt8])
    case salvage(Salvage)
    case removeAttachments(Set<AttachmentID>)
    /// The file that a record names is put back. A history has it, and is read again: it may be large.
    case restoreAttachment(Attachment, from: any FileHistory)
  }

  /// What is done.
  package let action: Action
  /// Path below the vault's directory.
  package let file: String
  /// The record, where it is about one.
  package let record: RecordID?
  /// What is wrong.
  package let reason: String
  /// Where the good version comes from, or why there is none; may be empty.
  package let detail: String
  /// What a person can do instead, or about a file that is left.
  package let remedies: [Remedy]
  /// The revision of the good version.
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

/// What became of the steps of a repair.
package struct RepairResult: Sendable {
  /// For each step of the plan in its order: nil when it was done, else why not. Steps that leave something have nil.
  package internal(set) var failures: [VaultError?] = []
  /// The folder that holds what was moved or written aside; nil when nothing was.
  package internal(set) var asideFolder: String?
}
