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
    #expect(imported.records.count == count)
    #expect(imported.refused.isEmpty)
    for record in imported.records { #expect(throws: Never.self) { try record.sealed() } }
    let leaves = LeafCount.xml(try SharedData.text("\(Fixtures.folder)/\(path)"))
    #expect(imported.totals.leaves == leaves)
    #expect(Set(imported.lines.map(\.place)).count == leaves)
  }

  @Test("attachments, earlier versions and tags of an entry are in its record")
  func values() throws {
    guard SharedData.isPresent(forCases: 1, of: "entries of KeePass XML") else { return }
    let entry = try Imported(fixture: "keepassxc/NewDatabase.xml").first("Sample Entry 1")
    #expect(try entry.text("username") == "User Name")
    #expect(try entry.text("password") == "Password")
    #expect(entry.externalID == "keepass-xml:+wSUOv6qf0OzW8/ZHAs2sA==")
    #expect(entry.list("tags") == ["a b c"])
    #expect(try entry.text("secrets[\"earlier url\"]") == "http://www.somesite.com/")
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
    #expect(imported.records.isEmpty)
    #expect(imported.refused.count == 1)
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
    #expect(error?.code == .malformed)
    #expect(error?.place?.line == 2)
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
    #expect(record.members["password"] == nil)
    #expect(imported.totals.refused == 3)
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
    #expect(imported.records.count == 1)
    #expect(imported.totals.leaves == LeafCount.xml(text))
    #expect(imported.totals.refused > 0)
  }

  @Test("dates of KDBX 4 are ISO 8601; any other text is kept as it is")
  func times() throws {
    func times(_ text: String) -> String { "<Times><CreationTime>\(text)</CreationTime></Times>" }
    for (text, date) in [
      ("AJWJzw4AAAA=", "2016-10-07T13:07:12Z"), ("AAAAAAAAAAA=", "0001-01-01T00:00:00Z"), ("/////////38=", nil),
      ("//////////8=", nil), ("AJWJzw4AAA==", nil), ("2020-01-02T03:04:05Z", "2020-01-02T03:04:05Z"), ("x", nil),
    ] {
      let record = try Imported("keepass-xml", file(entry(string("Title", "x") + times(text)))).first("x")
      #expect(try record.text("fields.created") == date ?? text)
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

  @Test("tags stand between semicolons, commas or tabs, and may have spaces")
  func tags() throws {
    for (text, tags) in [
      ("on the road", ["on the road"]), ("a b;c", ["a b", "c"]), ("a,b c", ["a", "b c"]),
      ("a\tb; ;c,", ["a", "b", "c"]),
    ] {
      let record = try Imported("keepass-xml", file(entry(string("Title", "x") + "<Tags>\(text)</Tags>"))).first("x")
      #expect(record.list("tags") == tags)
      let again = try Exported(.keepassXML, [record].outgoing).imported(as: "keepass-xml").first("x")
      #expect(again.list("tags") == tags)
    }
  }

  @Test("a string that stands there twice keeps its name, and an empty file that is said to be packed is empty")
  func repeated() throws {
    let strings = ["Title", "Password", "otp", "TimeOtp-Secret-Base32"].map { string($0, "x") }.joined()
    let binary = #"<Binary><Key>a</Key><Value Ref="0"/></Binary>"#
    let imported = try Imported(
      "keepass-xml",
      file(
        entry(strings + string("Password", "y") + string("otp", "key=JBSWY3DP") + binary),
        meta: #"<Binaries><Binary ID="0" Compressed="True"/></Binaries>"#))
    let record = try imported.first("x")
    #expect(try record.text("password") == "x")
    #expect(try record.text("totp") == "x")
    #expect(try record.text("secrets.Password") == "y")
    #expect(try record.text("secrets.otp") == "JBSWY3DP")
    #expect(try record.text("secrets[\"TimeOtp-Secret-Base32\"]") == "x")
    #expect(record.attachments.map(\.name) == ["a"])
    #expect(imported.totals.refused == 0)
  }

  @Test(
    "a code that an entry says in parts is an address, and the parts stay beside it",
    arguments: [
      (["TimeOtp-Secret": "Hello!"], "totp/x?secret=JBSWY3DPEE"),
      (["TimeOtp-Secret-Hex": "48 656C6C6F21"], "totp/x?secret=JBSWY3DPEE"),
      (["TimeOtp-Secret-Base64": "SGVsbG8h"], "totp/x?secret=JBSWY3DPEE"),
      (
        ["TimeOtp-Secret-Base32": "JBSWY3DPEE", "TimeOtp-Length": "8", "TimeOtp-Algorithm": "HMAC-SHA-256"],
        "totp/x?secret=JBSWY3DPEE&algorithm=SHA256&digits=8"
      ),
      (["HmacOtp-Secret-Base32": "JBSWY3DPEE", "HmacOtp-Counter": "7"], "hotp/x?secret=JBSWY3DPEE&counter=7"),
      (["TOTP Seed": "jbsw y3dp ee", "TOTP Settings": "60;7"], "totp/x?secret=jbswy3dpee&digits=7&period=60"),
      (["TOTP Seed": "JBSWY3DPEE", "TOTP Settings": "30;S"], "totp/x?secret=JBSWY3DPEE&encoder=steam"),
      (["TOTP Seed": "JBSWY3DPEE"], "totp/x?secret=JBSWY3DPEE"),
    ])
  func codesInParts(parts: [String: String], address: String) throws {
    let text = file(entry(string("Title", "x") + parts.sorted { $0.key < $1.key }.map { string($0, $1) }.joined()))
    let imported = try Imported("keepass-xml", text)
    let record = try imported.first("x")
    #expect(try record.text("totp") == "otpauth://" + address)
    for (name, value) in parts { #expect(try record.text("secrets[\"\(name)\"]") == value) }
    #expect(imported.totals.leaves == LeafCount.xml(text))
    let again = try Exported(.keepassXML, [record].outgoing).imported(as: "keepass-xml").records
    try again.expectEqual([record])
  }

  @Test("a code of KeeOtp is an address; a key alone, or what is no key, stays as it is")
  func codesAlone() throws {
    for (name, value, code) in [
      (
        "otp", "key=JBSWY3DPEE&amp;size=8&amp;step=60&amp;otpHashMode=SHA512",
        "otpauth://totp/x?secret=JBSWY3DPEE&algorithm=SHA512&digits=8&period=60"
      ),
      ("otp", "key=JBSWY3DPEE&amp;type=Hotp&amp;counter=3", "otpauth://hotp/x?secret=JBSWY3DPEE&counter=3"),
      ("otp", "JBSWY3DPEE", "JBSWY3DPEE"), ("otp", "not=a key", "not=a key"),
      ("TimeOtp-Secret-Base32", "JBSWY3DPEE", "JBSWY3DPEE"), ("TOTP Seed", "n0 key", nil),
      ("TimeOtp-Secret-Hex", "4", nil),
    ] {
      let record = try Imported("keepass-xml", file(entry(string("Title", "x") + string(name, value)))).first("x")
      #expect(try record.text("totp") == code, "\(name) \(value)")
      let kept = try record.text("secrets[\"\(name)\"]")
      #expect(code != nil || kept == value)
    }
  }

  @Test("a code goes out in a form that KeePassXC has codes of, and a key alone comes back as one")
  func codesOut() throws {
    for (code, otp, again) in [
      ("JBSW Y3DP", "key=JBSW%20Y3DP", "JBSW Y3DP"), ("no key!", "no key!", "no key!"),
      ("otpauth://totp/a?secret=JBSWY3DP&digits=8", "otpauth://totp/a?secret=JBSWY3DP&digits=8", nil),
      ("otpauth://hotp/a?secret=JBSWY3DP&counter=8", "otpauth://hotp/a?secret=JBSWY3DP&counter=8", nil),
      ("otpauth://steam/a?secret=JBSWY3DP", "otpauth://steam/a?secret=JBSWY3DP&encoder=steam", nil),
      ("otpauth://totp/a?secret=JBSWY3DP&encoder=steam", "otpauth://totp/a?secret=JBSWY3DP&encoder=steam", nil),
      ("steam://JBSWY3DP", "otpauth://totp/x?secret=JBSWY3DP&encoder=steam", nil),
    ] {
      let records = try ExportedRecord.list("login", #"[{"title":"x","totp":"\#(code)"}]"#)
      let exported = try Exported(.keepassXML, records)
      #expect(exported.text.contains(">\(otp.replacing("&", with: "&amp;"))</Value>"), "\(code)")
      let record = try exported.imported(as: "keepass-xml").first("x")
      #expect(try record.text("totp") == again ?? otp, "\(code)")
      #expect(record.members["secrets"] == nil, "\(code)")
    }
  }

  @Test("a file that the entry still has is not taken once more from its earlier versions, wherever these stand")
  func earlierFiles() throws {
    let large = Base64.encode([UInt8](repeating: 1, count: 5 << 20))
    let binary = #"<Binary><Key>a</Key><Value Ref="0"/></Binary>"#
    let history = "<History><Entry>\(binary)</Entry><Entry>\(binary)</Entry></History>"
    let text = file(
      entry(string("Title", "x") + history + binary),
      meta: "<Binaries><Binary ID=\"0\">\(large)</Binary></Binaries>")
    let imported = try Imported("keepass-xml", text)
    #expect(try imported.first("x").attachments.map(\.name) == ["a"])
    #expect(imported.totals.refused == 0)
  }
}
