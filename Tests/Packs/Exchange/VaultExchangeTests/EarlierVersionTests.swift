import Testing
import VaultCrypto
import VaultDocument
import VaultExchange
import VaultTestSupport

/// The earlier versions that files of other tools have of an entry.
@Suite("Earlier versions become former values")
struct EarlierVersionTests {
  private static func string(_ key: String, _ value: String, _ mark: String = "") -> String {
    "<String><Key>\(key)</Key><Value\(mark)>\(value)</Value></String>"
  }

  private static func version(_ date: String?, _ content: String, id: String = "e") -> String {
    let times = date.map { "<Times><LastModificationTime>\($0)</LastModificationTime></Times>" } ?? ""
    return "<Entry><UUID>\(id)</UUID>\(times)\(content)</Entry>"
  }

  private static func file(_ history: String, present: String, meta: String = "") -> String {
    """
    <?xml version="1.0"?><KeePassFile><Meta>\(meta)</Meta><Root><Group><UUID>g</UUID><Name>db</Name><Entry>
    <UUID>e</UUID>\(string("Title", "x"))\(present)<History>\(history)</History></Entry></Group></Root></KeePassFile>
    """
  }

  private static func read(_ history: String, present: String = string("Password", "now")) throws -> Imported {
    let text = file(history, present: present)
    let imported = try Imported("keepass-xml", text)
    #expect(imported.totals.leaves == LeafCount.xml(text))
    #expect(Set(imported.lines.map(\.place)).count == imported.lines.count)
    return imported
  }

  @Test("sealed values of KeePass are former values, newest first, each once, with the date of the oldest version")
  func values() throws {
    let imported = try Self.read(
      Self.version("2020-01-01T00:00:00Z", Self.string("Password", "a") + Self.string("PIN", "1"))
        + Self.version("2020-01-02T00:00:00Z", Self.string("Password", "b") + Self.string("PIN", "1"))
        + Self.version("2020-01-03T00:00:00Z", Self.string("Password", "b") + Self.string("PIN", "2"))
        + Self.version("2020-01-04T00:00:00Z", Self.string("Password", "a") + Self.string("PIN", "2"))
        + Self.version("2020-01-05T00:00:00Z", Self.string("Password", "now")),
      present: Self.string("Password", "now") + Self.string("PIN", "2"))
    let record = try imported.first("x")
    #expect(record.formerTexts == ["password": ["a", "b"], "secrets.PIN": ["1"]])
    let dates = record.former.filter { $0.path.description == "password" }.map(\.setAt?.text)
    #expect(dates == ["2020-01-04T00:00:00Z", "2020-01-02T00:00:00Z"])
    #expect(record.members["secrets"]?.object?.names == ["PIN"])
  }

  @Test("versions count by their dates, and by their order if one has no date")
  func order() throws {
    let (one, other) = (Self.string("Password", "one"), Self.string("Password", "other"))
    let late = "2021-01-01T00:00:00Z"
    for (history, texts) in [
      (Self.version(late, one) + Self.version("2020-01-01T00:00:00Z", other), ["one", "other"]),
      (Self.version(late, one) + Self.version(late, other), ["other", "one"]),
      (Self.version(late, one) + Self.version(nil, other), ["other", "one"]),
    ] { #expect(try Self.read(history).first("x").formerTexts == ["password": texts]) }
  }

  @Test("a readable value of an earlier version is sealed beside the others if the entry has another one now")
  func readable() throws {
    let old = Self.string("Title", "x") + Self.string("UserName", "ada") + Self.string("URL", "https://a.example")
    let record = try Self.read(
      Self.version(nil, old) + Self.version(nil, old),
      present: Self.string("UserName", "ann") + Self.string("URL", "https://a.example")
    ).first("x")
    #expect(record.members["secrets"]?.object?.names == ["earlier UserName"])
    #expect(try record.text("secrets[\"earlier UserName\"]") == "ada")
    #expect(record.former.isEmpty)
  }

  @Test("an earlier version of another entry, one in an earlier version, and other elements are refused")
  func strangers() throws {
    let nested = Self.version(nil, "<History>\(Self.version(nil, Self.string("Password", "inner")))</History>")
    let imported = try Self.read(
      Self.version(nil, Self.string("Password", "theirs"), id: "f") + nested + "<Group><Name>g</Name></Group>")
    #expect(try imported.first("x").former.isEmpty)
    // UUID, key and value of each; the name of the group.
    #expect(imported.totals.refused == 7)
  }

  @Test("of ten thousand earlier versions the newest twenty values are taken; the others are counted as left out")
  func many() throws {
    let all = (0..<10_000).map { Self.version(nil, Self.string("Password", "p\($0)")) }.joined()
    let imported = try Self.read(all)
    #expect(try imported.first("x").formerTexts == ["password": (0..<20).map { "p\(9999 - $0)" }])
    #expect(imported.totals.leftOut >= 9980)
    #expect(imported.totals.refused == 0)
    let same = try Self.read(String(repeating: Self.version(nil, Self.string("UserName", "u")), count: 10_000))
    #expect(try same.first("x").members["secrets"]?.object?.names == ["earlier UserName"])
  }

  @Test("one-time codes in parts are former values too")
  func codes() throws {
    let parts = Self.string("TOTP Seed", "JBSWY3DPEHPK3PXP") + Self.string("TOTP Settings", "30;6")
    let record = try Self.read(Self.version(nil, parts), present: Self.string("otp", "otpauth://totp/x?secret=ABC"))
      .first("x")
    #expect(record.formerTexts["totp"]?.count == 1)
    #expect(record.formerTexts["secrets.TOTP Seed"] == ["JBSWY3DPEHPK3PXP"])
  }

  @Test(
    "old values of 1Password, Bitwarden and Enpass are former values, newest first",
    arguments: [
      (
        "1password-1pux",
        #"""
        {"uuid": "u", "categoryUuid": "001", "overview": {"title": "x"}, "details": {"loginFields": [
          {"designation": "password", "value": "now"}], "passwordHistory": [{"value": "a", "time": 1577836800},
          {"value": "b", "time": 1577923200}, {"value": "now", "time": 1577836800}]}}
        """#
      ),
      (
        "bitwarden-json",
        #"""
        {"encrypted": false, "folders": [], "items": [{"id": "i", "type": 1, "name": "x", "login": {"password": "now"},
          "passwordHistory": [{"password": "b", "lastUsedDate": "2020-01-02T00:00:00.000Z"},
          {"password": "a", "lastUsedDate": "2020-01-01T00:00:00.000Z"}]}]}
        """#
      ),
      (
        "enpass-json",
        #"""
        {"items": [{"uuid": "u", "title": "x", "category": "login", "template_type": "login.default", "fields": [
          {"type": "password", "label": "Password", "value": "now", "history": [
            {"value": "a", "updated_at": 1577836800}, {"value": "b", "updated_at": 1577923200}]}]}]}
        """#
      ),
    ])
  func others(format: String, text: String) throws {
    let imported = try Imported(format, text)
    let record = try imported.first("x")
    #expect(try record.text("password") == "now")
    #expect(record.formerTexts == ["password": ["b", "a"]])
    #expect(record.former.map(\.setAt?.text) == ["2020-01-02T00:00:00Z", "2020-01-01T00:00:00Z"])
    #expect(record.members["secrets"] == nil)
    #expect(imported.totals.refused == 0)
    #expect(imported.totals.leaves == (try LeafCount.json(Array(text.utf8))))
  }

  @Test(
    "a damaged list of old passwords loses nothing", arguments: [#""x""#, "[]", #"{"a": "b"}"#, #"["x"]"#, "[[1]]"])
  func damaged(_ list: String) throws {
    let text = """
      {"encrypted": false, "folders": [], "items": [{"id": "i", "type": 1, "name": "x", "passwordHistory": \(list)}]}
      """
    let imported = try Imported("bitwarden-json", text)
    #expect(try imported.first("x").former.isEmpty)
    #expect(imported.totals.leaves == (try LeafCount.json(Array(text.utf8))))
    #expect(imported.totals.refused == 0)
  }
}

@Suite("Former values in exports")
struct FormerExportTests {
  private static func record(_ former: [(path: String, text: String, from: Int, to: Int?)]) throws -> ExportedRecord {
    var record = try ExportedRecord.list(
      "login", #"[{"title": "x", "username": "u", "password": "now", "secrets": {"PIN": "3"}}]"#)[0]
    record.former = try former.map { path, text, from, to in
      ExportedFormerValue(
        path: try MemberPath(parsing: path), value: .string(text), sealedAt: try time(from),
        replacedAt: try to.map(time))
    }
    return record
  }

  private static func time(_ day: Int) throws -> Timestamp {
    try Timestamp(parsing: "2020-01-\(day < 10 ? "0" : "")\(day)T00:00:00Z")
  }

  @Test(
    "earlier versions of KeePass bring each former value back with its date; a gone field has its place again",
    arguments: [ExportFormat.keepassXML, .kdbx])
  func keePass(_ format: ExportFormat) throws {
    guard format == .keepassXML || Need.argon2.isMet(forCases: 1, of: "KDBX") else { return }
    let passphrase = try SecretBytes(copying: RawSpan(_elements: Array("pw".utf8).span))
    let record = try Self.record([
      ("password", "b", 5, 9), ("password", "a", 1, 9), ("secrets.PIN", "2", 5, 6), ("secrets.PIN", "1", 4, 6),
      ("totp", "otpauth://totp/x?secret=ABC", 2, nil),
    ])
    let exported = try Exported(format, [record], passphrase: format == .kdbx ? passphrase : nil)
    #expect(exported.notes.isComplete)
    var options = ImportOptions()
    options.passphrase = { () throws(ExchangeError) in passphrase }
    let back = try exported.imported(as: format == .kdbx ? "keepass-kdbx" : "keepass-xml", options: options).first("x")
    #expect(
      back.formerTexts == [
        "password": ["b", "a"], "secrets.PIN": ["2", "1"], "totp": ["otpauth://totp/x?secret=ABC"],
      ])
    let days = back.former.map { $0.setAt?.text.prefix(10).suffix(2) }
    #expect(days == ["05", "01", "05", "04", "02"])
    #expect(back.members["secrets"]?.object?.names == ["PIN"])
  }

  @Test("two values of one second are two versions, in their order")
  func oneSecond() throws {
    let exported = try Exported(
      .keepassXML, [Self.record([("password", "c", 1, 1), ("password", "b", 1, 1), ("password", "a", 1, 1)])])
    #expect(try exported.imported(as: "keepass-xml").first("x").formerTexts == ["password": ["c", "b", "a"]])
  }

  @Test("a format counts the former values that it has no place for, and refuses those that XML cannot hold")
  func losses() throws {
    let bitwarden = try Exported(.bitwarden, [Self.record([("secrets.PIN", "1", 1, 2), ("password", "a", 1, 2)])])
    #expect(bitwarden.notes.sentences.contains { $0.hasPrefix("1 value of former secrets in records of the kind") })
    #expect(try bitwarden.imported(as: "bitwarden-json").first("x").formerTexts == ["password": ["a"]])
    #expect(throws: ExportError.self) { try Exported(.keepassXML, [Self.record([("password", "\u{1}", 1, 2)])]) }
  }

  @Test("these formats hold former values, and the others do not")
  func formats() {
    #expect(ExportFormat.allCases.filter(\.holdsFormerValues) == [.bitwarden, .keepassXML, .kdbx])
  }
}
