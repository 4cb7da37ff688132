import Testing
import VaultAge
import VaultCrypto
import VaultDocument
import VaultExchange
import VaultRecords

/// The output of an exporter for some records.
struct Exported {
  let bytes: [UInt8]
  let notes: ExportNotes
  var text: String { String(decoding: bytes, as: UTF8.self) }

  init(
    _ format: ExportFormat, _ records: [ExportedRecord], recipients: [AgeRecipient] = [],
    passphrase: SecretBytes? = nil, isOfOneKind: Bool = false
  ) throws {
    var exporter = try format.exporter(recipients: recipients, passphrase: passphrase, isOfOneKind: isOfOneKind)
    for record in records { try exporter.survey(record) }
    var bytes = try exporter.begin()
    for record in records { bytes += try exporter.bytes(of: record) }
    self.bytes = bytes + (try exporter.end())
    notes = exporter.notes
  }

  /// The records that an importer finds in it.
  func imported(as format: String, options: ImportOptions = ImportOptions()) throws -> Imported {
    try Imported(ImportFormats.named(format), ImportSource(name: "", bytes: bytes), options: options)
  }
}

extension ExportedRecord {
  /// A record of a built-in kind with its members in clear, the number of which is its id.
  init(_ number: Int, _ kind: String, _ members: JSONObject) {
    let digits = String(number)
    let id = "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    let schema = KindCatalog.builtIn[kind]
    self.init(
      id: id, kind: kind, name: schema?.title(of: members) ?? "", members: members, schema: schema, sealedPaths: [])
  }

  static func list(_ kind: String, _ json: String) throws -> [ExportedRecord] {
    let items = try #require(try JSONParser.parse(Array(json.utf8)).array)
    return try items.enumerated().map { ExportedRecord($0, kind, try #require($1.object)) }
  }
}

extension [ImportedRecord] {
  /// The same records, on their way out again.
  /// As an export gets them: former values without a date are of the first day of 1970.
  var outgoing: [ExportedRecord] {
    enumerated().map { number, record in
      var exported = ExportedRecord(number, record.kind, record.members)
      exported.former = record.former.map { value in
        ExportedFormerValue(path: value.path, value: value.value, sealedAt: value.setAt ?? .epoch, replacedAt: nil)
      }
      return exported
    }
  }

  /// Whether others have the same kinds and members, in the same order; the first that differs is an issue.
  func expectEqual(_ others: [ImportedRecord]) throws {
    #expect(count == others.count)
    for (one, other) in zip(self, others) {
      #expect(one.kind == other.kind)
      #expect(one.formerTexts == other.formerTexts)
      let (left, right) = (
        try JSONValue.object(one.members).prettyBytes(), try JSONValue.object(other.members).prettyBytes()
      )
      #expect(String(decoding: left, as: UTF8.self) == String(decoding: right, as: UTF8.self))
    }
  }
}

extension ImportedRecord {
  /// Its former values: the texts by path, the newest first.
  var formerTexts: [String: [String]] {
    Dictionary(grouping: former, by: \.path.description).mapValues { $0.map { $0.value.string ?? "" } }
  }
}

extension Timestamp {
  fileprivate static let epoch = (try? Timestamp(secondsSinceEpoch: 0)) ?? .now()
}
