public import VaultDocument

/// One record as it comes from another tool, not yet checked by its kind and not yet sealed.
public struct ImportedRecord: Sendable {
  /// Where it stands in the source.
  public let place: SourcePlace
  /// The name of its kind.
  public let kind: String
  /// Its members in clear, as the kind encodes them.
  public let members: JSONObject
  /// `FORMAT:ID`, the same for the same entry in each export of a tool; nil where nothing but its place tells an entry
  /// from others, and for a whole file.
  ///
  /// Where the tool gives no id, it is made from readable members that name the entry, never from a secret one. Two
  /// entries of a source may then have the same.
  public let externalID: String?
  /// Whether it is all that the file holds, so that the file tells which record it is.
  public let isWholeFile: Bool
  /// What became of each leaf of its source.
  public let lines: [LedgerLine]
  /// Files of the entry that are empty, or larger than a value may be; their names are good and differ.
  public var attachments: [ImportedAttachment] = []
  /// What the person is told about values that were taken, with the number of values.
  public var remarks: [ImportRemark: Int] = [:]

  /// A record of an importer, which has a line for each leaf that it was made of.
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

/// What a person is told about values that were taken. New ones may be added in later versions.
public struct ImportRemark: Hashable, Sendable, CustomStringConvertible {
  private enum Name: String, CaseIterable {
    case escapedMarkup, resolvedReference
  }
  private let name: Name

  public var description: String { name.rawValue }

  /// The value holds `&amp;` or the like, which the tool may have written for another character.
  public static let escapedMarkup = ImportRemark(name: .escapedMarkup)
  /// The value stood in another entry, to which this one referred.
  public static let resolvedReference = ImportRemark(name: .resolvedReference)

  /// All of them.
  public static let all = Name.allCases.map(ImportRemark.init)
}

/// A file that an entry of another tool has.
public struct ImportedAttachment: Sendable {
  /// What it is called.
  public let name: String
  /// Its bytes in base64.
  public let text: String

  /// A file by its name and its bytes in base64.
  public init(name: String, text: String) { (self.name, self.text) = (name, text) }
}

/// What an importer finds, in the order of the source.
public enum ImportedItem: Sendable {
  /// A record, with the lines of its leaves.
  case record(ImportedRecord)
  /// Leaves that belong to no record: what the file says of itself, a folder that was read into tags.
  case leaves([LedgerLine])
  /// An entry that is not taken as a whole: its place, why, and its leaves.
  case refused(SourcePlace, reason: String, lines: [LedgerLine])

  /// What became of its leaves.
  public var lines: [LedgerLine] {
    switch self {
    case .record(let record): record.lines
    case .leaves(let lines), .refused(_, _, let lines): lines
    }
  }
}

/// The items of a source, one after the other.
public struct ImportedItems {
  private let advance: () throws(ExchangeError) -> ImportedItem?

  /// Items as they are asked for; `advance` gives nil at the end of the source.
  public init(_ advance: @escaping () throws(ExchangeError) -> ImportedItem?) { self.advance = advance }

  /// Items of a format that is read as a whole.
  public init(_ items: [ImportedItem]) {
    var rest = items[...]
    advance = { rest.popFirst() }
  }

  /// The next item, nil at the end.
  ///
  /// - Throws: ``ExchangeError``: the source cannot be read on. What came before it is good.
  public func next() throws(ExchangeError) -> ImportedItem? { try advance() }
}
