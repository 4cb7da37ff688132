import VaultDocument
import VaultExchange
import VaultSealing

/// Files of other tools. The first byte chooses how the rest is taken: as a file of each format, or as values that are
/// written in a format and have to come back.
enum ImportTarget: FuzzTarget {
  static let name = "import"

  /// The ways that write values first; from there on the byte is the number of a format.
  private enum Way: UInt8, CaseIterable {
    case variables, table, headless, objects, lists
  }

  static func seeds() -> [[UInt8]] {
    let files: [(String, String)] = [
      ("dotenv", "# c\nexport A='it'\\''s' # d\nB=\"x\\n\\$y\"\nC=$'a\\tb'\nD = plain # e\nE=\"over\nlines\"\n"),
      ("csv", "title,login,password,Rack no.\nA,ann,p1,7\nB,bob,\"p\"\"2\",\"x\r\ny\"\n"),
      ("csv", "$vault.kind,title,password,text\nlogin,A,p,\nsecure-note,N,,t\nnothing,B,,\n"),
      ("keeper-csv", "Work,A,ann,p,https://a.example,n,,Custom,value\n"),
      ("plain-json", #"[{"title":"a","password":"p","deep":{"x":[1,null,""]}},7]"#),
      ("plain-json", #"{"$vault":{"kind":"login"},"title":"a","secrets":{"x":"1"}}"#),
      ("plain-jsonl", "{\"title\":\"a\"}\n\n{\"title\":\n[1]\n"),
      (
        "plist",
        "<?xml version=\"1.0\"?><plist version=\"1.0\"><array><dict><key>title</key><string>x</string></dict></array></plist>"
      ),
      ("bitwarden-json", #"{"folders":[],"items":[{"id":"1","type":1,"name":"x","login":{"uris":[{"uri":"a"}]}}]}"#),
      (
        "keepass-xml",
        "<KeePassFile><Root><Group><Entry><UUID>e</UUID><String><Key>Title</Key><Value>x</Value></String></Entry></Group></Root></KeePassFile>"
      ),
      (
        "lastpass-csv",
        "url,username,password,totp,extra,name,grouping,fav\nhttp://sn,,,,\"NoteType:Server\nPassword:x\",n,,0\n"
      ),
    ]
    let own = Way.allCases.map { [$0.rawValue] + Array("it's\u{0}a \"b\"\u{0}e\u{301}\u{0}$x\n\u{0}\\".utf8) }
    return own
      + (files + ImportTexts.files).compactMap { format, text in
        ImportFormats.all.firstIndex { $0.format.name == format }.map {
          [UInt8($0 + Way.allCases.count)] + Array(text.utf8)
        }
      }
  }

  static func check(_ input: [UInt8]) {
    guard let first = input.first else { return }
    let rest = Array(input.dropFirst())
    _ = try? ImportFormats.detecting(ImportSource(name: "", bytes: rest).sample())
    guard let way = Way(rawValue: first) else {
      let importers = ImportFormats.all
      return checkFile(rest, importers[(Int(first) - Way.allCases.count) % importers.count])
    }
    let texts = rest.split(separator: 0).compactMap { String(validating: $0, as: UTF8.self) }
    guard !texts.isEmpty, texts.count <= 64 else { return }
    switch way {
    case .variables: checkVariables(texts)
    case .table: checkTable(texts)
    case .headless: checkHeadless(texts)
    case .objects: checkObjects(texts)
    case .lists: checkLists(texts)
    }
  }

  // MARK: Any file

  /// A file is refused as a whole, or each of its leaves has one line, and the same file gives the same.
  private static func checkFile(_ bytes: [UInt8], _ importer: any Importer) {
    let (one, other) = (Reading(bytes, importer), Reading(bytes, importer))
    require(one == other, "a file is read alike each time")
    for record in one.records {
      require(record.lines.allSatisfy { !$0.place.path.isEmpty || $0.place.line != nil }, "each line has a place")
    }
    guard importer.format.name == "plain-json", one.error == nil,
      let tree = try? JSONParser.parse(bytes, limits: .exchange)
    else { return }
    require(one.lines.count == leafCount(of: tree) || leafCount(of: tree) > 10_000, "each value of JSON has one line")
  }

  private static func leafCount(of value: JSONValue) -> Int {
    let below = value.object.map { $0.map(\.value) } ?? value.array ?? []
    return below.isEmpty ? 1 : below.reduce(0) { $0 + leafCount(of: $1) }
  }

  // MARK: Values that come back

  /// Quoted as a shell wants it, each value is read as it was.
  private static func checkVariables(_ texts: [String]) {
    let lines = texts.enumerated().map { number, text in
      "V\(number)='"
        + text.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false).map { String($0) }
        .joined(separator: "'\\''") + "'"
    }
    let reading = Reading(Array(lines.joined(separator: "\n").utf8), named("dotenv"))
    require(reading.records.count == 1 && reading.lines.count == texts.count, "each variable has one line")
    for (number, text) in texts.enumerated() {
      require(
        same(reading.records[0].members["secrets"]?["V\(number)"]?.string, text), "a quoted value is read as it was")
    }
  }

  /// Under a header each cell has a line, each value is in its record, and none is a name.
  private static func checkTable(_ texts: [String]) {
    let rows = texts.map { "\"t\",\(quoted("v" + $0))" }
    let reading = Reading(Array((["title,Rack no."] + rows).joined(separator: "\r\n").utf8), named("csv"))
    require(reading.records.count == texts.count && reading.lines.count == 2 * texts.count, "each row is a record")
    for (record, text) in zip(reading.records, texts) {
      let secrets = record.members["secrets"]?.object
      require(secrets?.names == ["Rack no."], "no value is a name")
      require(same(secrets?["Rack no."]?.string, "v" + text), "a cell is read as it is")
    }
  }

  /// Without a header nothing is taken for one: no value becomes a name.
  private static func checkHeadless(_ texts: [String]) {
    let rows = texts.map { "\(quoted("v" + $0)),\(quoted("v" + $0))" }
    let reading = Reading(Array(rows.joined(separator: "\n").utf8), named("csv"))
    require(reading.error != nil && reading.records.isEmpty, "a table without a usual name has no header")
  }

  /// Each text of an object is in its record, under its own name.
  private static func checkObjects(_ texts: [String]) {
    let tree = JSONValue.array(
      texts.map { .object(JSONObject(ascending: [("rack", .string("v" + $0)), ("title", "t")])) })
    let bytes = must("a tree can be written") { () throws(DocumentError) in try tree.compactBytes(limits: .exchange) }
    checkSecrets(Reading(bytes, named("plain-json")), texts)
  }

  /// A property list of a tree holds what JSON holds.
  private static func checkLists(_ texts: [String]) {
    let tree = JSONValue.array(
      texts.map { .object(JSONObject(ascending: [("rack", .string("v" + $0)), ("title", "t")])) })
    let bytes = must("a tree can be a property list") { () throws in try DocumentForm.binaryPropertyList.encode(tree) }
    checkSecrets(Reading(bytes, named("plist")), texts)
  }

  private static func checkSecrets(_ reading: Reading, _ texts: [String]) {
    require(reading.records.count == texts.count && reading.lines.count == 2 * texts.count, "each entry is a record")
    for (record, text) in zip(reading.records, texts) {
      require(same(record.members["secrets"]?["rack"]?.string, "v" + text), "a text is read as it is")
    }
  }

  private static func named(_ name: String) -> any Importer {
    must("the format is there") { () throws(ExchangeError) in try ImportFormats.named(name) }
  }

  private static func quoted(_ text: String) -> String {
    let parts = text.unicodeScalars.split(separator: "\"", omittingEmptySubsequences: false).map { String($0) }
    return "\"\(parts.joined(separator: "\"\""))\""
  }

  private static func same(_ one: String?, _ other: String) -> Bool { one?.utf8.elementsEqual(other.utf8) ?? false }
}

/// The result of an importer for a file.
struct Reading: Equatable {
  private(set) var records: [ImportedRecord] = []
  private(set) var lines: [LedgerLine] = []
  private(set) var error: ExchangeError.Code?

  init(_ bytes: [UInt8], _ importer: any Importer) {
    do throws(ExchangeError) {
      let items = try importer.items(of: ImportSource(name: "", bytes: bytes), options: ImportOptions())
      while let item = try items.next() {
        lines += item.lines
        if case .record(let record) = item { records.append(record) }
      }
    } catch {
      self.error = error.code
    }
  }

  static func == (one: Reading, other: Reading) -> Bool {
    one.error == other.error && one.lines == other.lines
      && one.records.elementsEqual(other.records) { $0.members == $1.members && $0.externalID == $1.externalID }
  }
}
