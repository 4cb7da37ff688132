public import VaultDocument

/// The place of one document: the seven kinds of place in a vault (format 1, section 3, Directory).
public enum StoreLocation: Hashable, Sendable {
  /// The vault's header, `vault.json`.
  case header
  /// The optional list of every record at one moment, `checkpoint.jsonl`.
  case checkpoint
  /// One way to unlock, `slots/<id>.age`.
  case slot(SlotID)
  /// A live record, `records/<2 hex>/<id>.json`; the folder is the id's first byte.
  case record(RecordID)
  /// A removed record, `trash/<id>.json`.
  case trash(RecordID)
  /// An attachment of a record, `attachments/<2 hex>/<id>`; the folder is the id's first byte. Only an
  /// ``AttachmentStore`` has such places.
  case attachment(AttachmentID)
  /// A sealed deposit that waits for a key holder, `inbox/<id>.age`. Only an ``InboxStore`` has such places.
  case inbox(DepositID)
}

extension StoreLocation {
  /// The place's path below the vault's directory, with `/` between components.
  public var relativePath: String {
    switch self {
    case .header: "vault.json"
    case .checkpoint: "checkpoint.jsonl"
    case .slot(let id): "slots/" + id.text + ".age"
    case .record(let id): id.path(below: "records", followedBy: ".json")
    case .trash(let id): "trash/" + id.text(followedBy: ".json")
    case .attachment(let id): id.path(below: "attachments", followedBy: "")
    case .inbox(let id): "inbox/" + id.text(followedBy: ".age")
    }
  }

  /// The last component of `relativePath`.
  public var fileName: String {
    switch self {
    case .header: "vault.json"
    case .checkpoint: "checkpoint.jsonl"
    case .slot(let id), .inbox(let id): id.text(followedBy: ".age")
    case .record(let id), .trash(let id): id.text(followedBy: ".json")
    case .attachment(let id): id.text
    }
  }

  /// The record at this place, live or removed; nil for other documents.
  public var recordID: RecordID? {
    switch self {
    case .record(let id), .trash(let id): id
    case .header, .checkpoint, .slot, .attachment, .inbox: nil
    }
  }

  /// The places that a record can have: live, and in the trash.
  package static func places(of id: RecordID) -> [StoreLocation] { [.record(id), .trash(id)] }

  /// The largest document at this place, in bytes: 16 MiB, for the checkpoint 512 MiB (format 1, section 12, Limits),
  /// for an attachment 1 GiB and 16 bytes for each 64 KiB of it (section 15, Attachments), and for a deposit 264 KiB
  /// (section 16, Deposits).
  public var byteLimit: Int {
    switch self {
    case .checkpoint: 512 << 20
    case .attachment: 1 << 30 + 16 << 14
    case .inbox: 264 << 10
    case .header, .slot, .record, .trash: 16 << 20
    }
  }

  /// Whether the document may be too large for memory, and is read and written piece by piece.
  public var isLarge: Bool {
    switch self {
    case .checkpoint, .attachment: true
    case .header, .slot, .record, .trash, .inbox: false
    }
  }

  /// The place of `relativePath`, or nil if the text is not exactly what `relativePath` prints.
  ///
  /// Nothing is normalised: `records/../x`, a doubled slash, upper-case hex or a record in another's folder is nil, so
  /// that a path read from a file can never lead anywhere else.
  public init?(relativePath: String) {
    let parts = relativePath.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count <= 3, let name = parts.last.map({ String($0) }) ?? nil else { return nil }
    let place: StoreLocation? =
      switch (parts.count, parts.first.map { String($0) } ?? nil) {
      case (1, "vault.json"): .header
      case (1, "checkpoint.jsonl"): .checkpoint
      case (2, "slots"): Identifier(fileName: name, suffix: ".age").map { .slot($0) }
      case (2, "inbox"): Identifier(fileName: name, suffix: ".age").map { .inbox($0) }
      case (2, "trash"): Identifier(fileName: name, suffix: ".json").map { .trash($0) }
      case (3, "records"): Identifier(fileName: name, suffix: ".json").map { .record($0) }
      case (3, "attachments"): Identifier(fileName: name, suffix: "").map { .attachment($0) }
      default: nil
      }
    // Swift's `==` on text is canonical equivalence; ids and places are compared as bytes.
    guard let place, place.relativePath.utf8.elementsEqual(relativePath.utf8) else { return nil }
    self = place
  }
}

extension Identifier {
  /// The id in a file name that is the id's text and `suffix`; nil for a name of another shape.
  public init?(fileName: String, suffix: String) {
    let name = fileName.utf8
    guard name.count == 36 + suffix.utf8.count, name.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) else {
      return nil
    }
    self.init(parsing: fileName.utf8Span.span.extracting(first: 36))
  }
}
