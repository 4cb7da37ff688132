public import VaultDocument

/// One record from another tool. Its kind has not checked it, and it is not sealed yet.
public struct ImportedRecord: Sendable {
  /// The place of the record in the source.
  public let place: SourcePlace
  /// The name of its kind.
  public let kind: String
  /// Its members in clear, as the kind encodes them.
  public let members: JSONObject
  /// `FORMAT:ID`, the same for the same entry in each export of a tool. Nil for a whole file, and for an entry that
  /// only its place identifies.
  ///
  /// If the tool gives no id, the id is made from readable members, never from a secret. Two entries of a source may
  /// then have the same id.
  public let externalID: String?
  /// Whether the record is the only content of the file, so that the file identifies the record.
  public let isWholeFile: Bool
  /// The outcome of each leaf of the source.
  public let lines: [LedgerLine]
  /// Files of the entry that are empty or exceed the limit of a value. Their names are valid and unique.
  public var attachments: [ImportedAttachment] = []
  /// Former values of sealed members, the newest of each member first. Those of one member differ.
  public var former: [ImportedFormerValue] = []
  /// Remarks for the user about the values, with the number of values.
  public var remarks: [ImportRemark: Int] = [:]

  /// Makes the record of an importer, with a line for each leaf.
  public init(
    place: SourcePlace, kind: String, members: JSONObject, externalID: String?, isWholeFile: Bool = false,
    lines: [LedgerLine]
  ) {
    self.isWholeFile = isWholeFile
    self.place = place
    self.kind = kind
    self.members = members
    self.externalID = externalID
    self.lines = lines
  }
}

/// A remark for the user about values that were taken. New remarks may be added in later versions.
public struct ImportRemark: Hashable, Sendable, CustomStringConvertible {
  private enum Name: String, CaseIterable {
    case escapedMarkup, resolvedReference
  }
  private let name: Name

  public var description: String { name.rawValue }

  /// The value holds `&amp;` or the like, which the tool may have written for another character.
  public static let escapedMarkup = ImportRemark(name: .escapedMarkup)
  /// The value was copied from another entry, to which this entry referred.
  public static let resolvedReference = ImportRemark(name: .resolvedReference)

  /// All remarks.
  public static let all = Name.allCases.map(ImportRemark.init)
}

/// A value that a sealed member had in an earlier version of the entry.
public struct ImportedFormerValue: Sendable {
  /// The path of the member.
  public let path: MemberPath
  /// The value in clear, as the kind encodes it.
  public let value: JSONValue
  /// When the member got this value, as far as the tool knows. The date may be wrong, and lie in the future.
  public let setAt: Timestamp?

  /// Makes a value of its place and its date.
  public init(path: MemberPath, value: JSONValue, setAt: Timestamp?) {
    (self.path, self.value, self.setAt) = (path, value, setAt)
  }
}

/// A file that is attached to an entry of another tool.
public struct ImportedAttachment: Sendable {
  /// The name of the file.
  public let name: String
  /// The bytes in base64.
  public let text: String

  /// Makes a file of its name and its bytes in base64.
  public init(name: String, text: String) { (self.name, self.text) = (name, text) }
}

/// One result of an importer, in the order of the source.
public enum ImportedItem: Sendable {
  /// A record, with the lines of its leaves.
  case record(ImportedRecord)
  /// Leaves that belong to no record, such as the file's own metadata or a folder that became tags.
  case leaves([LedgerLine])
  /// An entry that is refused as a whole: its place, the reason, and its leaves.
  case refused(SourcePlace, reason: String, lines: [LedgerLine])

  /// The outcomes of the leaves.
  public var lines: [LedgerLine] {
    switch self {
    case .record(let record): record.lines
    case .leaves(let lines), .refused(_, _, let lines): lines
    }
  }
}

/// The items of a source, in order.
public struct ImportedItems {
  private let advance: () throws(ExchangeError) -> ImportedItem?

  /// Makes items on demand; `advance` returns nil at the end of the source.
  public init(_ advance: @escaping () throws(ExchangeError) -> ImportedItem?) { self.advance = advance }

  /// Makes items of a format that is read as a whole.
  public init(_ items: [ImportedItem]) {
    var rest = items[...]
    advance = { rest.popFirst() }
  }

  /// The next item; nil at the end.
  ///
  /// - Throws: ``ExchangeError`` if the rest of the source cannot be read. Earlier items are valid.
  public func next() throws(ExchangeError) -> ImportedItem? { try advance() }
}
