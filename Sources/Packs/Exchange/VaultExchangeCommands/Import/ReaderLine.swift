package import VaultDocument
import VaultExchange
import VaultSealing
import VaultTerminal

/// A line of `vault import --parse-only`: an object with one member that names its sort. docs/contract.md lists them.
enum ReaderLine {
  /// The first line, with the format of the file.
  case begin(format: String)
  case item(ImportedItem)
  /// The part of the file that was read, in percent.
  case read(Int)
  /// The reader waits for the passphrase of the file.
  case asks
  /// The file cannot be read after this place. Earlier items are valid.
  case stopped(SourceFault)
  /// The file cannot be imported.
  case failed(CommandError)
  /// The last line: the reader has finished.
  case end(ReaderCounts)
}

/// The place and reason of an early end.
struct SourceFault {
  let place: SourcePlace
  let reason: String
}

/// The counts of a reader's lines, for a comparison by the receiver.
struct ReaderCounts: Equatable {
  private(set) var records = 0
  private(set) var refused = 0
  private(set) var values = 0

  mutating func add(_ item: ImportedItem) {
    values += item.lines.count
    switch item {
    case .record: records += 1
    case .refused: refused += 1
    case .leaves: break
    }
  }
}

// MARK: - Written

extension ReaderLine {
  func bytes() throws(DocumentError) -> [UInt8] {
    try JSONValue.members([member.name: member.value]).compactBytes(limits: .exchange) + [UInt8(ascii: "\n")]
  }

  private var member: (name: String, value: any DocumentValue) {
    switch self {
    case .begin(let format): ("begin", JSONValue.members(["format": format, "schema": 1]))
    case .item(.record(let record)): ("record", record)
    case .item(.leaves(let lines)): ("values", lines.map { $0.item(in: SourcePlace()) })
    case .item(.refused(let place, let reason, let lines)):
      ("refused", JSONValue.members(["place": place, "reason": reason, "values": lines.map { $0.item(in: place) }]))
    case .read(let percents): ("read", percents)
    case .asks: ("asks", "passphrase")
    case .stopped(let fault): ("stopped", fault)
    case .failed(let error): ("error", error)
    case .end(let counts): ("end", counts)
    }
  }
}

extension ImportedRecord: DocumentReadable {
  package var document: JSONValue {
    .members([
      "attachments": attachments.map { JSONValue.members(["data": $0.text, "name": $0.name]) },
      "external_id": externalID, "former": former, "kind": kind, "members": members, "place": place,
      "remarks": remarks.document,
      "values": lines.map { $0.item(in: place) }, "whole_file": isWholeFile,
    ])
  }

  package init?(document: JSONValue) {
    guard let object = document.object, let kind: String = object.read("kind"),
      let members: JSONObject = object.read("members"), let place: SourcePlace = object.read("place"),
      let isWholeFile: Bool = object.read("whole_file"), let lines = LedgerLine.list(object["values"], in: place),
      let externalID: String? = object.read("external_id"),
      let attachments = object["attachments"]?.array.flatMap(ImportedAttachment.list),
      let former = object["former"]?.array.flatMap(ImportedFormerValue.list),
      let remarks = object["remarks"]?.object.flatMap([ImportRemark: Int].init)
    else { return nil }
    self.init(
      place: place, kind: kind, members: members, externalID: externalID, isWholeFile: isWholeFile, lines: lines)
    (self.attachments, self.former, self.remarks) = (attachments, former, remarks)
  }
}

extension ImportedFormerValue: DocumentValue {
  package var document: JSONValue { .members(["path": path.description, "set_at": setAt, "value": value]) }

  /// Nil if the values do not have this form.
  fileprivate static func list(_ items: [JSONValue]) -> [ImportedFormerValue]? {
    let found = items.compactMap { item -> ImportedFormerValue? in
      guard let object = item.object, let path = object["path"]?.string.flatMap({ try? MemberPath(parsing: $0) }),
        let value = object["value"], let setAt: Timestamp? = object.read("set_at")
      else { return nil }
      return ImportedFormerValue(path: path, value: value, setAt: setAt)
    }
    return found.count == items.count ? found : nil
  }
}

extension [ImportRemark: Int] {
  var document: JSONObject {
    var object = JSONObject()
    for (remark, count) in self { object[remark.description] = count.document }
    return object
  }

  /// Nil if the object does not have remarks with numbers.
  fileprivate init?(_ object: JSONObject) {
    self.init()
    for (name, value) in object {
      guard let remark = ImportRemark.all.first(where: { $0.description.utf8.elementsEqual(name.utf8) }),
        let count = value.int, count > 0
      else { return nil }
      self[remark] = count
    }
  }
}

extension ImportedAttachment {
  /// Nil if the value does not have this form, or cannot be attached to one record.
  fileprivate static func list(_ items: [JSONValue]) -> [ImportedAttachment]? {
    let found = items.compactMap { item -> ImportedAttachment? in
      guard let name = item["name"]?.string, Attachment.isGood(name: name), let text = item["data"]?.string,
        (try? Base64.decode(text)) != nil
      else {
        return nil
      }
      return ImportedAttachment(name: name, text: text)
    }
    let areDistinct = Set(found.map { Array($0.name.utf8) }).count == found.count
    return found.count == items.count && found.count <= Attachment.maximumCount && areDistinct ? found : nil
  }
}

extension SourcePlace: DocumentReadable {
  package var document: JSONValue { .members(["column": column, "line": line, "path": path]) }

  package init?(document: JSONValue) {
    guard let object = document.object, let path: String = object.read("path"), let line: Int? = object.read("line"),
      let column: Int? = object.read("column")
    else { return nil }
    self.init(line: line, column: column, path: path)
  }
}

extension LedgerLine {
  /// `[PATH, OUTCOME, TO, LINE]` without meaningless items at the end: the line is there only if it differs from that
  /// of the place, with 0 for no line. The form is short, because there are many of these.
  fileprivate func item(in other: SourcePlace) -> JSONValue {
    var items: [JSONValue] = [.string(place.path), .string(outcome.word)]
    if let detail = outcome.detail { items.append(.string(detail)) }
    guard place.line != other.line else { return .array(items) }
    if items.count == 2 { items.append(.null) }
    return .array(items + [(place.line ?? 0).document])
  }

  fileprivate init?(_ value: JSONValue, in other: SourcePlace) {
    guard let items = value.array, (2...4).contains(items.count), let path = items[0].string,
      let word = items[1].string,
      let outcome = Outcome(word: word, detail: items.count > 2 ? items[2].string : nil)
    else { return nil }
    var line = other.line
    if items.count == 4 {
      guard let number = items[3].int else { return nil }
      line = number == 0 ? nil : number
    }
    self.init(SourcePlace(line: line, path: path), outcome)
  }

  fileprivate static func list(_ value: JSONValue?, in place: SourcePlace) -> [LedgerLine]? {
    guard let items = value?.array else { return nil }
    var lines: [LedgerLine] = []
    lines.reserveCapacity(items.count)
    for item in items {
      guard let line = LedgerLine(item, in: place) else { return nil }
      lines.append(line)
    }
    return lines
  }
}

// MARK: - Read

extension ReaderLine {
  /// Reads a line; nil if it is invalid.
  init?(_ bytes: [UInt8]) {
    guard let object = (try? JSONParser.parse(bytes, limits: .exchange))?.object, let name = object.names.first,
      object.names.count == 1, let value = object[name], let line = Self.line(name, value)
    else { return nil }
    self = line
  }

  private static func line(_ name: String, _ value: JSONValue) -> ReaderLine? {
    switch name {
    case "begin": value["format"]?.string.map { .begin(format: $0) }
    case "record": ImportedRecord(document: value).map { .item(.record($0)) }
    case "values": LedgerLine.list(value, in: SourcePlace()).map { .item(.leaves($0)) }
    case "refused": refused(value).map { .item($0) }
    case "read": value.int.map { .read($0) }
    case "asks": .asks
    case "stopped": SourceFault(document: value).map { .stopped($0) }
    case "error": CommandError(document: value).map { .failed($0) }
    case "end": ReaderCounts(document: value).map { .end($0) }
    default: nil
    }
  }

  private static func refused(_ value: JSONValue) -> ImportedItem? {
    guard let fault = SourceFault(document: value), let lines = LedgerLine.list(value["values"], in: fault.place)
    else { return nil }
    return .refused(fault.place, reason: fault.reason, lines: lines)
  }
}

extension SourceFault: DocumentReadable {
  init(_ error: ExchangeError) { self.init(place: error.place ?? SourcePlace(), reason: error.reason) }

  var document: JSONValue { .members(["place": place, "reason": reason]) }

  init?(document: JSONValue) {
    guard let object = document.object, let place: SourcePlace = object.read("place"),
      let reason: String = object.read("reason")
    else { return nil }
    self.init(place: place, reason: reason)
  }
}

extension ReaderCounts: DocumentReadable {
  var document: JSONValue { .members(["records": records, "refused": refused, "values": values]) }

  init?(document: JSONValue) {
    guard let object = document.object, let records: Int = object.read("records"),
      let refused: Int = object.read("refused"), let values: Int = object.read("values")
    else { return nil }
    self.init(records: records, refused: refused, values: values)
  }
}

extension CommandError: DocumentReadable {
  package var document: JSONValue {
    .members([
      "code": code, "detail": detail, "exit": Int(status.rawValue), "field": field, "file": file, "hints": hints,
      "reason": reason, "subject": subject,
    ])
  }

  package init?(document: JSONValue) {
    guard let object = document.object, let code: String = object.read("code"),
      let reason: String = object.read("reason"), let exit: Int = object.read("exit"),
      let status = ExitStatus(rawValue: Int32(clamping: exit)), status != .done
    else { return nil }
    self.init(
      status, code, subject: object.read("subject"), reason,
      hints: (object["hints"]?.array ?? []).compactMap(\.string))
    (file, field, detail) = (object.read("file"), object.read("field"), object.read("detail"))
  }
}
