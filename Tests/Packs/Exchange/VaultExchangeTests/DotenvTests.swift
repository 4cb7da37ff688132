import Testing
import VaultDocument
import VaultExchange
import VaultTestSupport

@Suite("Variables of an environment")
struct DotenvTests {
  /// The values of one file by their names; nil where anything was refused.
  private func values(_ text: String) throws -> [String: String]? {
    let imported = try Imported("dotenv", text)
    guard imported.refused.isEmpty, let record = imported.records.first else { return nil }
    return try Dictionary(
      uniqueKeysWithValues: #require(record.members["secrets"]?.object).map { ($0.name, try #require($0.value.string)) }
    )
  }

  @Test("a file of quotes that are never closed takes no time, and what is whole is read")
  func quotes() throws {
    let open = String(repeating: "A=\"'\"\\'\"\n", count: 9_000)
    let text = "W='over\nlines'\n" + open + "B=plain\n" + String(repeating: "# filler\n", count: 100_000) + "Z=last\n"
    var imported: Imported?
    let time = try ContinuousClock().measure { imported = try Imported("dotenv", text) }
    let record = try #require(imported?.records.first)
    #expect(try record.text("secrets.W") == "over\nlines")
    #expect(try record.text("secrets.Z") == "last")
    #expect(try record.text("secrets.B") == "plain")
    #expect(imported?.refused.isEmpty == false)
    #expect(time < .seconds(60))
  }

  @Test("variables with quotes, escapes, lines and comments")
  func dotenv() throws {
    let text = """
      # comment
      export A=plain # behind
      B="two\\nlines \\"q\\" \\$HOME"
      C='raw \\n $X'
      D="over
      lines"
      E=
      F = spaced
      not a variable
      G="open
      H=1
      """
    var options = ImportOptions()
    options.mappings = [try FieldMapping(parsing: "fields.a=A")]
    let imported = try Imported("dotenv", text, options: options)
    let record = try #require(imported.records.first)
    #expect(try record.text("fields.a") == "plain")
    #expect(try record.text("secrets.B") == "two\nlines \"q\" $HOME")
    #expect(try record.text("secrets.C") == "raw \\n $X")
    #expect(try record.text("secrets.D") == "over\nlines")
    #expect(try record.text("secrets.F") == "spaced")
    #expect(try record.text("secrets.H") == "1")
    #expect(imported.refused.map(\.place.line) == [9, 10])
    #expect(imported.totals.leaves == 9)
  }

  @Test(
    "a word of a shell is read as the shell reads it",
    arguments: [
      (#"'it'\''s'"#, "it's"), (#"'it'"'"'s'"#, "it's"), (#"''"#, ""), (#""a"'b'c"#, "abc"), (#"'a'#b"#, "a#b"),
      (#"'a' # b"#, "a"), (#""\"\\\$\`""#, "\"\\$`"), ("\"a\\\nb\"", "ab"), ("'a'\\\nb", "ab"),
      (#"$'a\tb\'\x41\101\u00e9'"#, "a\tb'AAé"),
      ("'\u{301}x'", "\u{301}x"), ("'x'\u{200D}", "x\u{200D}"), ("'\r\n'", "\r\n"), ("'\r'", "\r"),
      ("\"'\u{301}\"", "'\u{301}"),
      (#""\'x""#, "'x"), (" # only a comment", ""), ("#x", "#x"), ("it's", "it's"), (#"C:\new"#, #"C:\new"#),
    ])
  func words(_ written: String, _ value: String) throws {
    let read = try values("A=\(written)\nB='2'")
    try #require(read?.count == (value.isEmpty ? 1 : 2))
    #expect(read?["B"] == "2")
    #expect(value.isEmpty || read?["A"].map { Array($0.utf8) } == Array(value.utf8))
  }

  @Test(
    "what is more than one word, or no word, is refused by its line",
    arguments: ["'a' b", "'a'; rm", "'a'$(x)", "\"a`b`c\"'", "'a", "\"a\\\"", "$'a\\'", "'a'`b`"])
  func refused(_ written: String) throws {
    let imported = try Imported("dotenv", "A=\(written)\nB=2")
    #expect(imported.refused.map(\.place.line) == [1])
    #expect(imported.records.count == 1)
  }

  private static let pieces = [
    "'", "\"", "\\", "$", "`", "#", " ", "\t", "\n", "\r", "\r\n", "=", ";", "&", "(", "x", "\u{301}", "\u{200D}", "é",
    "e\u{301}",
    "\u{7F}", "\u{85}", "\u{2028}", "\u{1F511}", "export ", "A=", "\\n", "''", "'\\''", "*", "~", "!",
  ]

  /// Texts that a shell variable can hold, the same in every run.
  private static let hostile: [String] = {
    var random = SeededGenerator(seed: 7)
    return (0..<400).map { _ in
      (0..<Int.random(in: 1...12, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
    }
  }()

  @Test("what the export for shells writes comes back byte for byte")
  func roundTrip() throws {
    let records = Self.hostile.enumerated().map { number, text in
      ExportedRecord(number, "login", JSONObject(ascending: [("password", .string(text)), ("title", "t")]))
    }
    let read = try values(Exported(.env, records).text)
    for (number, text) in Self.hostile.enumerated() {
      let name = number == 0 ? "T_PASSWORD" : "T_PASSWORD_\(number + 1)"
      #expect(read?[name].map { Array($0.utf8) } == Array(text.utf8))
    }
  }

  @Test("what is no variable at the beginning is no such file, and a value of many lines does not hide that it is one")
  func detection() throws {
    func detects(_ text: String, _ name: String = "x") throws -> Bool {
      try ImportFormats.named("dotenv").detects(ImportSource(name: name, bytes: Array(text.utf8)).sample())
    }
    #expect(try detects("A=\"1\n2\n3\n4\"\nB=2"))
    #expect(try detects("\u{FEFF}# c\nA=1"))
    #expect(try !detects("one\nA=2", ".env"))
    #expect(try !detects("A=1\ntext\ntext"))
    #expect(try detects("A=1\ntext\ntext", "prod.env"))
    #expect(try !detects(""))
  }

  @Test("more variables than a record may have are refused before they are all read")
  func limit() throws {
    let lines = String(repeating: "A=1\n", count: 10_000)
    #expect(try Imported("dotenv", lines).totals.leaves == 10_000)
    #expect(throws: ExchangeError(.tooLarge, "")) { _ = try Imported("dotenv", lines + "B=1\n") }
    let object = #"{"a": ["# + String(repeating: "1,", count: 10_000) + "1]}"
    let refused = try Imported("plain-json", "[\(object), {\"title\": \"b\"}]")
    #expect(refused.refused.map(\.place.path) == ["[0]"])
    #expect(refused.records.count == 1)
    #expect(refused.totals.leaves == 2)
  }
}
