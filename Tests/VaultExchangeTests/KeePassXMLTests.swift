import Testing
import VaultDocument
import VaultExchange
import VaultTestSupport

@Suite("KeePass 2 XML")
struct KeePassXMLTests {
  private func file(_ content: String, meta: String = "", head: String = "") -> String {
    """
    <?xml version="1.0" encoding="utf-8"?>\(head)<KeePassFile><Meta>\(meta)</Meta><Root><Group><UUID>g</UUID>
    <Name>db</Name>\(content)</Group></Root></KeePassFile>
    """
  }

  private func entry(_ content: String) -> String { "<Entry><UUID>e</UUID>\(content)</Entry>" }

  private func string(_ key: String, _ value: String) -> String {
    "<String><Key>\(key)</Key><Value>\(value)</Value></String>"
  }

  @Test(
    "files of KeePass and KeePassXC are told and read, with a line for each text and attribute",
    arguments: [("keepassxc/NewDatabase.xml", 4), ("pass-import/keepass.xml", 14)])
  func fixtures(_ path: String, _ count: Int) throws {
    guard SharedData.isPresent(forCases: 1, of: "KeePass XML") else { return }
    let imported = try Imported(fixture: path)
    #expect(imported.records.count == count && imported.refused.isEmpty)
    for record in imported.records { #expect(throws: Never.self) { try record.sealed() } }
    let leaves = LeafCount.xml(try SharedData.text("\(Fixtures.folder)/\(path)"))
    #expect(imported.totals.leaves == leaves && Set(imported.lines.map(\.place)).count == leaves)
  }

  @Test("attachments, earlier versions and tags of an entry are in its record")
  func values() throws {
    guard SharedData.isPresent(forCases: 1, of: "entries of KeePass XML") else { return }
    let entry = try Imported(fixture: "keepassxc/NewDatabase.xml").first("Sample Entry 1")
    #expect(try entry.text("username") == "User Name" && entry.text("password") == "Password")
    #expect(entry.externalID == "keepass-xml:+wSUOv6qf0OzW8/ZHAs2sA==")
    #expect(entry.list("tags") == ["a", "b", "c"])
    #expect(try entry.text("secrets[\"history 1 URL\"]") == "http://www.somesite.com/")
    #expect(try entry.text("fields.created") == "2010-08-25T16:13:54Z")
    let bytes = try Base64.decode(try #require(try entry.text("secrets[\"attachment myattach.txt\"]")))
    #expect(bytes.starts(with: Array("abcdefghijk".utf8)))
  }

  @Test("broken files are refused: no group, two roots")
  func brokenFiles() throws {
    guard SharedData.isPresent(forCases: 3, of: "broken KeePass XML") else { return }
    for name in ["BrokenNoRootGroup", "BrokenTwoRoots"] {
      #expect(throws: ExchangeError(.malformed, "")) { _ = try Imported(fixture: "keepassxc/\(name).xml") }
    }
    let imported = try Imported(fixture: "keepassxc/BrokenNoEntryUuid.xml")
    #expect(imported.records.isEmpty && imported.refused.count == 1)
  }

  @Test("a document type is refused, so that no entity grows or reaches outside")
  func entities() throws {
    let bombs = [
      #"<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>"#,
      #"<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>"#,
      #"<!DOCTYPE x SYSTEM "http://evil.example/x.dtd">"#,
    ]
    for bomb in bombs {
      let text = file(entry(string("Title", "&a;")), head: bomb)
      #expect(throws: ExchangeError(.unsupported, "")) { _ = try Imported("keepass-xml", text) }
    }
  }

  @Test("elements that are nested too deep are refused")
  func depth() throws {
    let text = file(String(repeating: "<Group>", count: 500) + String(repeating: "</Group>", count: 500))
    #expect(throws: ExchangeError(.tooLarge, "")) { _ = try Imported("keepass-xml", text) }
  }

  @Test("a truncated file is refused with its line")
  func truncated() throws {
    let text = String(file(entry(string("Title", "x"))).dropLast(20))
    let error = #expect(throws: ExchangeError.self) { _ = try Imported("keepass-xml", text) }
    #expect(error?.code == .malformed && error?.place?.line == 2)
  }

  @Test("UTF-16 and references to characters are read")
  func encodings() throws {
    let text = file(entry(string("Title", "&#x1F511;ä&lt;"))).replacing("utf-8", with: "utf-16")
    let bytes: [UInt8] = [0xFF, 0xFE] + Array(text.utf16).flatMap { unit in [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
    let imported = try Imported(ImportFormats.named("keepass-xml"), ImportSource(name: "", bytes: bytes))
    #expect(try imported.records.map { try $0.text("title") } == ["🔑ä<"])
  }

  @Test("a value that the file seals, and an attachment that is not there, are refused with the reason")
  func refusedValues() throws {
    let sealed = #"<String><Key>Password</Key><Value Protected="True">c2VhbGVk</Value></String>"#
    let lost = #"<Binary><Key>a.txt</Key><Value Ref="9"/></Binary>"#
    let imported = try Imported("keepass-xml", file(entry(string("Title", "x") + sealed + lost)))
    let record = try imported.first("x")
    #expect(record.members["password"] == nil && imported.totals.refused == 3)
  }

  @Test("what lies in the bin is tagged as deleted, and folders are tags")
  func groups() throws {
    let bin = "<Group><UUID>bin</UUID><Name>Bin</Name>\(entry(string("Title", "old")))</Group>"
    let meta = "<RecycleBinUUID>bin</RecycleBinUUID>"
    #expect(try Imported("keepass-xml", file(bin, meta: meta)).first("old").list("tags") == ["Bin", "deleted"])
  }

  @Test("an attachment that unpacks to damage is refused, and the entry is kept")
  func damagedAttachment() throws {
    let meta = #"<Binaries><Binary ID="0" Compressed="True">H4sIAAAAAAAE</Binary></Binaries>"#
    let text = file(entry(string("Title", "x") + #"<Binary><Key>a</Key><Value Ref="0"/></Binary>"#), meta: meta)
    let imported = try Imported("keepass-xml", text)
    #expect(imported.records.count == 1 && imported.totals.leaves == LeafCount.xml(text))
    #expect(imported.totals.refused > 0)
  }

  @Test("dates of KDBX 4 are ISO 8601, in earlier versions too; what is no date is kept as it is")
  func times() throws {
    func times(_ text: String) -> String { "<Times><CreationTime>\(text)</CreationTime></Times>" }
    let history =
      "<History><Entry>\(times("AJWJzw4AAAA="))</Entry><Entry>\(times("2020-01-02T03:04:05Z"))</Entry></History>"
    for (text, date) in [
      ("AJWJzw4AAAA=", "2016-10-07T13:07:12Z"), ("AAAAAAAAAAA=", "0001-01-01T00:00:00Z"), ("/////////38=", nil),
      ("//////////8=", nil), ("AJWJzw4AAA==", nil), ("2020-01-02T03:04:05Z", "2020-01-02T03:04:05Z"), ("x", nil),
    ] {
      let record = try Imported("keepass-xml", file(entry(string("Title", "x") + times(text) + history))).first("x")
      #expect(try record.text("fields.created") == date ?? text)
      #expect(try record.text("fields[\"history 1 created\"]") == "2016-10-07T13:07:12Z")
      #expect(try record.text("fields[\"history 2 created\"]") == "2020-01-02T03:04:05Z")
    }
  }

  @Test("an address without a scheme is a field whatever entries stand before it, and goes back to its place")
  func addresses() throws {
    let before = entry(string("Title", "first"))
    let own = "<Entry><UUID>AAAAAAAAAAAAAAAAAAAAAA==</UUID>\(string("Title", "x"))\(string("URL", "a.example"))</Entry>"
    for text in [file(own), file(before + own)] {
      let record = try Imported("keepass-xml", text).first("x")
      #expect(try record.text("fields.url") == "a.example")
      #expect(try Exported(.keepassXML, [record].outgoing).text.contains("<Key>URL</Key>"))
    }
  }
}
