import Testing
import VaultAge
import VaultDocument
import VaultExchange
import VaultRecords
import VaultSealing
import VaultTestSupport

@Suite("Files that follow no tool")
struct PlainTests {
  private func options(kind: String? = nil, _ mappings: String...) throws -> ImportOptions {
    var options = ImportOptions()
    options.kind = try kind.map { try KindCatalog.builtIn.kind(named: $0) }
    options.mappings = try mappings.map { try FieldMapping(parsing: $0) }
    return options
  }

  private func detected(_ text: String, name: String = "") throws -> String {
    try ImportFormats.detecting(ImportSource(name: name, bytes: Array(text.utf8)).sample()).format.name
  }

  @Test("each is told by how it begins")
  func detection() throws {
    #expect(try detected(#"[{"a": 1}]"#) == "plain-json")
    #expect(try detected("{\n \"a\": 1}") == "plain-json")
    #expect(try detected("{\"a\": 1}\n{\"b\": 2}\n") == "plain-jsonl")
    #expect(try detected("# x\nexport A=1\nB_C='2'\n") == "dotenv")
    #expect(try detected("<?xml version=\"1.0\"?>\n<plist version=\"1.0\"><dict/></plist>") == "plist")
    let record = #"{"$vault": {}, "name": "x"}"#
    #expect(throws: ExchangeError(.unsupported, "")) { _ = try detected(record) }
    let nested = #"{"db": {"entries": [{"name": "x"}]}}"#
    #expect(throws: ExchangeError(.unknownFormat, "")) { _ = try detected(nested) }
  }

  @Test("usual names are members of a login, mappings come first, and the rest is sealed under its path")
  func json() throws {
    let text =
      #"[{"name": "a", "login": "ann", "pw": "x", "url": "https://a.example", "deep": {"list": [1, true]}}, 7]"#
    let imported = try Imported("plain-json", text, options: options("password=pw", "fields.flag=deep.list[1]"))
    let record = try imported.first("a")
    #expect(record.kind == "login")
    #expect(try record.text("username") == "ann")
    #expect(try record.text("password") == "x")
    #expect(try record.text("fields.flag") == "true")
    #expect(try record.text("secrets[\"deep.list[0]\"]") == "1")
    #expect(imported.refused.map(\.place) == [SourcePlace(path: "[1]")])
    #expect(imported.totals.leaves == (try LeafCount.json(Array(text.utf8))))
  }

  @Test("with a kind, members go by their paths")
  func kind() throws {
    let text = #"{"engine": "redis", "host": "h", "port": 6379, "password": "p", "tags": ["x", "y"], "other": "o"}"#
    let record = try #require(
      try Imported("plain-json", text, options: options(kind: "database")).records.first)
    #expect(record.kind == "database")
    #expect(record.members["port"] == 6379)
    #expect(try record.text("extra.other") == "o")
    #expect(record.list("tags") == ["x", "y"])
    #expect(throws: Never.self) { try record.sealed() }
  }

  @Test("a mapping to a member that the kind has not, of one source twice or of one field twice, is refused")
  func mappings() throws {
    let one = try options("port=a")
    let two = try options("password=a", "username=a")
    let three = try options("password=a", "password=b")
    for options in [one, two, three] {
      #expect(throws: ExchangeError(.invalidMapping, "")) { _ = try Imported("plain-json", "[]", options: options) }
    }
  }

  @Test("a line of JSON lines that is broken is refused with its number, and the others are taken")
  func jsonLines() throws {
    let text = "{\"title\": \"a\"}\n\n{\"title\": \n[1]\n{\"title\": \"b\"}"
    let imported = try Imported("plain-jsonl", text)
    #expect(try imported.records.map { try $0.text("title") } == ["a", "b"])
    #expect(imported.refused.map(\.place.line) == [3, 4])
    #expect(imported.totals.leaves == 4)
  }

  @Test("JSON lines are read while they come")
  func streaming() throws {
    var pieces = 0
    let source = ImportSource(name: "") {
      pieces += 1
      return pieces > 100 ? [] : Array("{\"title\": \"\(pieces)\"}\n".utf8)
    }
    let items = try ImportFormats.named("plain-jsonl").items(of: source, options: ImportOptions())
    var count = 0
    while try items.next() != nil {
      count += 1
      #expect(pieces <= count + 1)
    }
    #expect(count == 100)
  }

  @Test("variables that sops has sealed are refused by name")
  func sopsVariables() throws {
    guard SharedData.isPresent(forCases: 1, of: "variables of sops") else { return }
    let source = ImportSource(name: "flux.env", bytes: try SharedData.bytes("fixtures/sops/env/flux.env"))
    let importer = try ImportFormats.detecting(source.sample())
    #expect(throws: ExchangeError(.unsupported, "")) { _ = try Imported(importer, source) }
  }

  private struct Sample: Encodable {
    let title = "p"
    let password = "x"
    let count = 3
    let isOn = true
    let ratio = 1.5
    let list = ["a"]
  }

  @Test(
    "property lists, XML and binary, are read as JSON is", arguments: [DocumentForm.propertyList, .binaryPropertyList])
  func propertyLists(_ form: DocumentForm) throws {
    let bytes = try form.encode([Sample()])
    let source = ImportSource(name: "", bytes: bytes)
    let importer = try ImportFormats.detecting(source.sample())
    let imported = try Imported(importer, source)
    let record = try imported.first("p")
    #expect(try record.text("password") == "x")
    #expect(try record.text("secrets.count") == "3")
    #expect(try record.text("secrets.isOn") == "true")
    #expect(try record.text("secrets.ratio") == "1.5")
    #expect(imported.totals.leaves == 6)
    for count in [8, bytes.count / 2] {
      #expect(throws: ExchangeError.self) {
        _ = try Imported(importer, ImportSource(name: "", bytes: Array(bytes[..<count])))
      }
    }
  }

  @Test("texts that are canonically equal stay apart by their bytes, in values and in names")
  func propertyListTexts() throws {
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    let texts = [
      composed, decomposed, "K", "\u{212A}", "\u{1F511}", "", "a\u{0}b", String(repeating: decomposed, count: 300),
    ]
    let items: [JSONValue] = try texts.map { text in
      .object(try JSONObject([("title", .string(text)), ("secrets", .object(try JSONObject([(text, 7)])))]))
    }
    let tree = JSONValue.array(items)
    for form in [DocumentForm.propertyList, .binaryPropertyList] {
      let tree = form == .binaryPropertyList ? tree : JSONValue.array(Array(items.prefix(6)))
      let bytes = try form.encode(tree)
      let imported = try Imported(ImportFormats.named("plist"), ImportSource(name: "", bytes: bytes))
      #expect(imported.records.count == tree.array?.count)
      #expect(imported.refused.isEmpty)
      for (record, text) in zip(imported.records, texts) where !text.isEmpty {
        #expect(record.members["title"] == .string(text))
        #expect(record.members["secrets"]?[text] == "7")
      }
    }
  }

  @Test("numbers of a binary property list are those of the tree")
  func propertyListNumbers() throws {
    for literal in [
      "0", "-1", "255", "256", "65536", "4294967296", "9223372036854775807", "-9223372036854775808", "1.5",
    ] {
      let tree = JSONValue.array([.object(try JSONObject([("n", .number(try #require(JSONNumber(literal: literal))))]))]
      )
      let imported = try Imported(
        ImportFormats.named("plist"), ImportSource(name: "", bytes: DocumentForm.binaryPropertyList.encode(tree)))
      #expect(try imported.records.first?.text("secrets.n") == literal)
    }
    let null = JSONValue.array([.null])
    #expect(throws: EncodingError.self) { _ = try DocumentForm.binaryPropertyList.encode(null) }
  }

  @Test("a dictionary with two names that are canonically equal is refused, not taken in part")
  func propertyListTwins() throws {
    let keys = "<key>caf\u{E9}</key><string>1</string><key>cafe\u{301}</key><string>2</string>"
    let twins = "<plist version=\"1.0\"><array><dict>\(keys)</dict></array></plist>"
    #expect(throws: ExchangeError(.malformed, "")) { _ = try Imported("plist", twins) }
    // The writer has no such tree: one name of a good list is replaced by the twin of another, which is as long.
    let tree = JSONValue.array([.object(try JSONObject([("\u{212B}", 1), ("\u{C6}", 2)]))])
    var bytes = try DocumentForm.binaryPropertyList.encode(tree)
    let start = try #require(bytes.firstRange(of: [0x61, 0x00, 0xC6]))
    bytes.replaceSubrange(start, with: [0x61, 0x00, 0xC5])
    #expect(throws: ExchangeError(.malformed, "")) {
      _ = try Imported(ImportFormats.named("plist"), ImportSource(name: "", bytes: bytes))
    }
  }

  @Test("a property list that is nested too deep is refused")
  func propertyListDepth() throws {
    for hidden in ["", "<!-- </array> -->", "<![CDATA[</array>]]>"] {
      let text =
        "<?xml version=\"1.0\"?><plist version=\"1.0\">" + String(repeating: "<array>" + hidden, count: 100_000)
        + String(repeating: "</array>", count: 100_000) + "</plist>"
      #expect(throws: ExchangeError(.tooLarge, "")) { _ = try Imported("plist", text) }
    }
  }

  @Test("a binary property list in which few objects stand for many is refused")
  func propertyListBomb() throws {
    // Arrays of ten references each to the next, ten deep.
    var objects: [[UInt8]] = (0..<10).map { level in [0xAA] + Array(repeating: UInt8(level + 1), count: 10) }
    objects.append([0x51, 0x61])
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets.append(UInt8(bytes.count))
      bytes += object
    }
    let table = UInt8(bytes.count)
    bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, UInt8(objects.count)]
    bytes += Array(repeating: 0, count: 8) + [0, 0, 0, 0, 0, 0, 0, table]
    let source = ImportSource(name: "", bytes: bytes)
    #expect(throws: ExchangeError(.tooLarge, "")) { _ = try Imported(ImportFormats.named("plist"), source) }
  }
}
