import Testing
import VaultDocument

@Suite struct MemberPathTests {
  private static let document = #"{"contact_info":{"email":"x"},"tags":["a",["b"]],"odd.name":{"":1},"n":null}"#

  private func refused(_ body: () throws(DocumentError) -> Void) -> DocumentError.Code? { refusal(body) }

  @Test(
    "a path is written so that it can be read back, whatever its names are",
    arguments: [
      ([.member("contact_info"), .member("email")], "contact_info.email"), ([.member("tags"), .index(0)], "tags[0]"),
      ([.index(12), .member("a")], "[12].a"), ([.member("a.b")], #"["a.b"]"#), ([.member("")], #"[""]"#), ([], "."),
      ([.member("a"), .member("b[0]"), .index(1), .member("c")], #"a["b[0]"][1].c"#),
      ([.member("say \"hi\"\\")], #"["say \"hi\"\\"]"#), ([.member("a\u{1b}\u{9b}")], #"["a\u001b\u009b"]"#),
      ([.member("$vault"), .member("é à")], "$vault.é à"), ([.member("."), .member("0")], #"["."].0"#),
    ] as [([MemberPath.Component], String)])
  func forms(components: [MemberPath.Component], text: String) throws {
    #expect(MemberPath(components).description == text)
    #expect(try MemberPath(parsing: text) == MemberPath(components))
  }

  @Test(
    "a malformed path is refused",
    arguments: [
      "", "a.", ".a", "a..b", "..", "a[", "a[]", "a[x]", "a[-1]", "a[01]", "a[0", "a[0]b", "a[\"b\"", "a[\"b]", "a.[0]",
      "a]", "a\"b", "a\\b", "a\u{1}", "a[1234567890]", "a[\"\\x\"]", "a[\"\\ud800\"]", "a[0].", "[0]]",
    ])
  func malformed(text: String) {
    #expect(refused { () throws(DocumentError) in _ = try MemberPath(parsing: text) } == .invalidPath)
  }

  @Test("names in a path are compared as bytes")
  func bytes() throws {
    #expect(MemberPath([.member("\u{e9}")]) != MemberPath([.member("e\u{301}")]))
    #expect(Set([MemberPath([.member("\u{e9}")]), MemberPath([.member("e\u{301}")])]).count == 2)
  }

  @Test("a value is found at its path")
  func value() throws {
    let document = try json(Self.document)
    #expect(try document.value(at: MemberPath(parsing: "contact_info.email")) == "x")
    #expect(try document.value(at: MemberPath(parsing: "tags[1][0]")) == "b")
    #expect(try document.value(at: MemberPath(parsing: #"["odd.name"][""]"#)) == 1)
    #expect(try document.value(at: .root) == document)
  }

  @Test(
    "a path that leads to nothing says how far it went",
    arguments: [
      ("contact_info.phone.x", "contact_info.phone"), ("tags[2]", "tags[2]"), ("tags.a", "tags.a"), ("n.a", "n.a"),
      ("contact_info[0]", "contact_info[0]"),
    ])
  func noSuchMember(text: String, place: String) throws {
    let document = try json(Self.document)
    let path = try MemberPath(parsing: text)
    let error = try #require(throws: DocumentError.self) { try document.value(at: path) }
    #expect(error.code == .noSuchMember)
    #expect(error.path == place)
    var changed = document
    #expect(refused { () throws(DocumentError) in try changed.remove(at: path) } == .noSuchMember)
    #expect(changed == document)
  }

  @Test(
    "setting replaces, adds, makes missing objects and appends at the count",
    arguments: [
      (#"{"a":1}"#, "a", #"{"a":"new"}"#), (#"{"b":1}"#, "a.b.c", #"{"a":{"b":{"c":"new"}},"b":1}"#),
      (#"{"a":[1,2]}"#, "a[1]", #"{"a":[1,"new"]}"#), (#"{"a":[1]}"#, "a[1]", #"{"a":[1,"new"]}"#),
      ("{}", "a[0].b", #"{"a":[{"b":"new"}]}"#), ("[[]]", "[0][0]", #"[["new"]]"#),
      ("{}", #"["a.b"]"#, #"{"a.b":"new"}"#),
    ])
  func set(before: String, path: String, after: String) throws {
    var document = try json(before)
    try document.set("new", at: MemberPath(parsing: path))
    #expect(try utf8(document.compactBytes()) == after)
  }

  @Test(
    "setting refuses what it cannot do, and changes nothing",
    arguments: [
      (#"{"a":1}"#, "a.b", .wrongType), (#"{"a":null}"#, "a.b", .wrongType), (#"{"a":[]}"#, "a.b", .wrongType),
      (#"{"a":{}}"#, "a[0]", .wrongType), (#"{"a":[]}"#, "a[1]", .noSuchMember), ("{}", "a[1]", .noSuchMember),
      ("{}", ".", .invalidPath), ("{\"\u{e9}\":1}", "e\u{301}", .duplicateMember),
      (#"{"a":[{}]}"#, "a[0].b[2]", .noSuchMember),
    ] as [(String, String, DocumentError.Code)])
  func setRefused(before: String, path: String, code: DocumentError.Code) throws {
    var document = try json(before)
    let path = try MemberPath(parsing: path)
    #expect(refused { () throws(DocumentError) in try document.set("new", at: path) } == code)
    #expect(try utf8(document.compactBytes()) == before)
  }

  @Test("a path of 64 steps is refused, since what it makes could not be written")
  func tooDeep() throws {
    var document = JSONValue.object(JSONObject())
    let longest = MemberPath([MemberPath.Component](repeating: .member("a"), count: 63))
    try document.set(1, at: longest)
    #expect(try JSONParser.parse(try document.compactBytes()) == document)
    #expect(refused { () throws(DocumentError) in try document.set(1, at: longest.appending("a")) } == .tooDeep)
  }

  @Test(
    "removing takes away one member or item",
    arguments: [
      (#"{"a":1,"b":2}"#, "a", #"{"b":2}"#), (#"{"a":[1,2,3]}"#, "a[1]", #"{"a":[1,3]}"#),
      (#"{"a":{"b":1}}"#, "a.b", #"{"a":{}}"#),
    ])
  func remove(before: String, path: String, after: String) throws {
    var document = try json(before)
    try document.remove(at: MemberPath(parsing: path))
    #expect(try utf8(document.compactBytes()) == after)
  }

  @Test("every string of a tree is visited with its path, and can be replaced")
  func strings() throws {
    var document = try json(Self.document)
    var seen: [String] = []
    document.forEachString { path, text in seen.append("\(path)=\(text)") }
    #expect(seen == ["contact_info.email=x", "tags[0]=a", "tags[1][0]=b"])
    document.mapStrings { path, text in text + "@\(path)" }
    #expect(try document.value(at: MemberPath(parsing: "tags[1][0]")) == "b@tags[1][0]")
  }
}
