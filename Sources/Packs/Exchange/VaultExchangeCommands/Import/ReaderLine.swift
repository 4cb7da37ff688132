import VaultDocument
import VaultExchange
import VaultSealing
import VaultTerminal

/// A line of `vault import --parse-only`: an object with one member, which says what it is. docs/cli.md lists them.
enum ReaderLine {
  /// The first: of which format the file is.
  case begin(format: String)
  case item(ImportedItem)
  /// So much of the file is read, in percents.
  case read(Int)
  /// The passphrase of the file is awaited.
  case asks
  /// Behind this place the file cannot be read; what came before is good.
  case stopped(SourceFault)
  /// The file cannot be taken.
  case failed(CommandError)
  /// The last: the reader has finished.
  case end(ReaderCounts)
}

/// Where a file cannot be read on, and why.
struct SourceFault {
  let place: SourcePlace
  let reason: String
}

/// How much a reader has given, for the one who takes it to compare.
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
  /// The line with its line feed.
  func bytes() throws(DocumentError) -> [UInt8] {
    try JSONValue.object(JSONObject(ascending: [member])).compactBytes(limits: .exchange) + [UInt8(ascii: "\n")]
  }

  private var member: (name: String, value: JSONValue) {
    switch self {
    case .begin(let format): ("begin", .members(["format": .string(format), "schema": 1]))
    case .item(.record(let record)): ("record", record.line)
    case .item(.leaves(let lines)): ("values", .array(lines.map { $0.item(in: SourcePlace()) }))
    case .item(.refused(let place, let reason, let lines)):
      (
        "refused",
        .members([
          "place": place.object, "reason": .string(reason), "values": .array(lines.map { $0.item(in: place) }),
        ])
      )
    case .read(let percents): ("read", .count(percents))
    case .asks: ("asks", "passphrase")
    case .stopped(let fault): ("stopped", .members(["place": fault.place.object, "reason": .string(fault.reason)]))
    case .failed(let error): ("error", error.line)
    case .end(let counts):
      (
        "end",
        .members([
          "records": .count(counts.records), "refused": .count(counts.refused), "values": .count(counts.values),
        ])
      )
    }
  }
}

extension ImportedRecord {
  fileprivate var line: JSONValue {
    .members([
      "attachments": .array(
        attachments.map { .members(["data": .string($0.text), "name": .string($0.name)]) }),
      "external_id": .optional(externalID), "kind": .string(kind), "members": .object(members), "place": place.object,
      "remarks": .object(remarks.document), "values": .array(lines.map { $0.item(in: place) }),
      "whole_file": .bool(isWholeFile),
    ])
  }

  fileprivate init?(_ line: JSONValue) {
    guard let object = line.object, let kind = object["kind"]?.string, let members = object["members"]?.object,
      let place = SourcePlace(object["place"]), let isWholeFile = object["whole_file"]?.bool,
      let lines = LedgerLine.list(object["values"], in: place), let externalID = object["external_id"],
      externalID.isNull || externalID.string != nil,
      let attachments = object["attachments"]?.array.flatMap(ImportedAttachment.list),
      let remarks = object["remarks"]?.object.flatMap([ImportRemark: Int].init)
    else { return nil }
    self.init(
      place: place, kind: kind, members: members, externalID: externalID.string, isWholeFile: isWholeFile, lines: lines)
    (self.attachments, self.remarks) = (attachments, remarks)
  }
}

extension [ImportRemark: Int] {
  var document: JSONObject {
    var object = JSONObject()
    for (remark, count) in self { object[remark.description] = .count(count) }
    return object
  }

  /// Nil for what is no number of a remark.
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
  /// Nil for what is not of the form, or could not be attached to one record.
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

extension SourcePlace {
  fileprivate var object: JSONValue {
    .members(["column": .optional(column), "line": .optional(line), "path": .string(path)])
  }

  fileprivate init?(_ value: JSONValue?) {
    guard let object = value?.object, let path = object["path"]?.string, let line = object["line"],
      let column = object["column"], line.isNull || line.int != nil, column.isNull || column.int != nil
    else { return nil }
    self.init(line: line.int, column: column.int, path: path)
  }
}

extension LedgerLine {
  /// `[PATH, OUTCOME, TO, LINE]`, of which the end is left out that says nothing: a line only where it is another than
  /// that of the place, and 0 where it is none. There are many of them, so they are short.
  fileprivate func item(in other: SourcePlace) -> JSONValue {
    var items: [JSONValue] = [.string(place.path), .string(outcome.word)]
    if let detail = outcome.detail { items.append(.string(detail)) }
    guard place.line != other.line else { return .array(items) }
    if items.count == 2 { items.append(.null) }
    return .array(items + [.count(place.line ?? 0)])
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
  /// Reads a line; nil for what is none.
  init?(_ bytes: [UInt8]) {
    guard let object = (try? JSONParser.parse(bytes, limits: .exchange))?.object, let name = object.names.first,
      object.names.count == 1, let value = object[name], let line = Self.line(name, value)
    else { return nil }
    self = line
  }

  private static func line(_ name: String, _ value: JSONValue) -> ReaderLine? {
    switch name {
    case "begin": value.object?["format"]?.string.map { .begin(format: $0) }
    case "record": ImportedRecord(value).map { .item(.record($0)) }
    case "values": LedgerLine.list(value, in: SourcePlace()).map { .item(.leaves($0)) }
    case "refused": refused(value).map { .item($0) }
    case "read": value.int.map { .read($0) }
    case "asks": .asks
    case "stopped": SourceFault(value).map { .stopped($0) }
    case "error": CommandError(line: value).map { .failed($0) }
    case "end": ReaderCounts(value).map { .end($0) }
    default: nil
    }
  }

  private static func refused(_ value: JSONValue) -> ImportedItem? {
    guard let object = value.object, let place = SourcePlace(object["place"]), let reason = object["reason"]?.string,
      let lines = LedgerLine.list(object["values"], in: place)
    else { return nil }
    return .refused(place, reason: reason, lines: lines)
  }
}

extension SourceFault {
  init(_ error: ExchangeError) { self.init(place: error.place ?? SourcePlace(), reason: error.reason) }

  fileprivate init?(_ value: JSONValue) {
    guard let object = value.object, let place = SourcePlace(object["place"]), let reason = object["reason"]?.string
    else { return nil }
    self.init(place: place, reason: reason)
  }
}

extension ReaderCounts {
  fileprivate init?(_ value: JSONValue) {
    guard let object = value.object, let records = object["records"]?.int, let refused = object["refused"]?.int,
      let values = object["values"]?.int
    else { return nil }
    self.init(records: records, refused: refused, values: values)
  }
}

extension CommandError {
  fileprivate var line: JSONValue {
    .members([
      "code": .string(code), "detail": .optional(detail), "exit": .count(Int(status.rawValue)),
      "field": .optional(field), "file": .optional(file), "hints": .array(hints.map { .string($0) }),
      "reason": .string(reason), "subject": .optional(subject),
    ])
  }

  fileprivate init?(line: JSONValue) {
    guard let object = line.object, let code = object["code"]?.string, let reason = object["reason"]?.string,
      let exit = object["exit"]?.int, let status = ExitStatus(rawValue: Int32(clamping: exit)), status != .done
    else { return nil }
    self.init(
      status, code, subject: object["subject"]?.string, reason,
      hints: (object["hints"]?.array ?? []).compactMap(\.string))
    file = object["file"]?.string
    field = object["field"]?.string
    detail = object["detail"]?.string
  }
}
