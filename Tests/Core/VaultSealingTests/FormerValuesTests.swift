import Testing
import VaultCrypto
import VaultDocument
import VaultTestSupport
import VaultSealing

@Suite("Former values")
struct FormerValuesTests {
  private let bench: FormerValuesBench

  init() throws { bench = try FormerValuesBench() }

  // MARK: Reading

  @Test("a member of another form than the format's is refused, and the error names it")
  func forms() throws {
    let (one, two) = (try bench.token("one"), try bench.token("two"))
    let tooMany = try (0...FormerValues.maximumCount).map { JSONValue.string(try bench.token("\($0)")) }
    let lists: [(note: String, list: JSONValue)] = [
      ("an empty list", .array([])), ("a token without a list", .string(one)), ("an object", .object(JSONObject())),
      ("null", .null), ("21 values", .array(tooMany)), ("one token twice", .array([.string(one), .string(one)])),
      ("clear text", .array(["correct horse"])), ("a number", .array([.number(JSONNumber(1))])),
      ("another version", .array([.string("es2" + two.dropFirst(3))])),
      ("base64 of another form", .array([.string(two + "=")])), ("a token and null", .array([.string(one), .null])),
    ]
    var forms = try lists.map { ($0.note, JSONValue.object(try JSONObject([("password", $0.list)]))) }
    forms.append(("no list at all", .object(JSONObject())))
    forms += [("an array", .array([.string(one)])), ("text", .string(one)), ("null", .null), ("false", .bool(false))]
    for (note, form) in forms {
      let document = try bench.document(former: form)
      let error = #expect(throws: SealingError(.malformedEnvelope, ""), "\(note)") {
        try RecordEnvelope(of: document)
      }
      #expect(error?.path == "$vault.former", "\(note)")
    }
  }

  @Test(
    "a name that is not a path in its written form, or leads into $vault, is refused",
    arguments: [
      "", ".", "a.", ".a", "a..b", "[", "a]", "a[", "a[-1]", "a[01]", "a[1234567890]", "a[1].[2]", "a[1]b", #"a"b"#,
      #"a\b"#, "a\u{7}b", "a\u{85}b", #"["a"]"#, #"["a.b"#, #"["a.b"]c"#, #"["\u0041."]"#, #"["a\.b"]"#, #"["a\nb"]"#,
      #"["a\u007F"]"#, "$vault", "$vault.kind", "$vault[0]",
    ])
  func foreignPath(name: String) throws {
    let document = try bench.document(former: bench.lists([name: [bench.token("one")]]))
    #expect(throws: SealingError(.malformedEnvelope, "")) { try RecordEnvelope(of: document) }
  }

  @Test(
    "every path that a record can have is a name",
    arguments: [
      "password", "contact_info.pin", "notes[0].pin", "a b", "größe", #"["a.b"]"#, #"[""].x"#, #"["$vault."]"#,
      #"["\u0007\"\\"][12]"#, "vault", "x.$vault", "a[999999999]",
    ])
  func path(name: String) throws {
    let token = try bench.token("one")
    let envelope = try RecordEnvelope(of: bench.document(former: bench.lists([name: [token]])))
    #expect(envelope.former.paths.map(\.description) == [name])
    #expect(try envelope.former.tokens(at: MemberPath(parsing: name)) == [token])
  }

  @Test("as many values of a path as the format allows are accepted, and so is a token that the record has too")
  func accepted() throws {
    let tokens = try (1...FormerValues.maximumCount).map { try bench.token("\($0)") }
    let lists: [[String: [String]]] = [["a": tokens], ["a": [tokens[0]], "b": [tokens[0]]]]
    for list in lists {
      let envelope = try RecordEnvelope(of: bench.document(former: bench.lists(list)))
      #expect(envelope.former.all.count == list.values.reduce(0) { $0 + $1.count })
    }
  }

  @Test("a value that was moved, reordered, dropped, repeated, added or brought back is refused by the MAC")
  func edited() throws {
    let first = try bench.version(["password": bench.token("one"), "pin": bench.token("0815")])
    let second = try bench.version(["password": bench.token("two"), "pin": bench.token("0522")], after: first)
    let last = try bench.version(["password": bench.token("three"), "pin": bench.token("0522")], after: second)
    let good = bench.lists(of: last)
    let (passwords, pin) = (try #require(good["password"]), try #require(good["pin"]))
    let (newer, older) = (passwords[0], passwords[1])
    let changes: [(String, [String: [String]])] = [
      ("moved", ["password": [newer], "pin": [older] + pin]), ("renamed", ["passwort": [newer, older], "pin": pin]),
      ("reordered", ["password": [older, newer], "pin": pin]), ("dropped", ["password": [newer], "pin": pin]),
      ("the newest dropped", ["password": [older], "pin": pin]), ("a path dropped", ["pin": pin]), ("all dropped", [:]),
      ("repeated in another list", ["password": [newer, older], "pin": pin + [older]]),
      ("added", try ["password": [newer, older, bench.token("mine")], "pin": pin]),
    ]
    for (note, lists) in changes {
      let document = try bench.changing(last, former: lists)
      #expect(throws: SealingError(.authenticationFailed, ""), "\(note)") { try bench.verified(document) }
    }
    var document = try #require(try bench.changing(last, former: ["password": [older], "pin": pin]).object)
    document["password"] = .string(newer)
    let edited = JSONValue.object(document)
    #expect(throws: SealingError(.authenticationFailed, "")) { try bench.verified(edited) }
    let unchanged = try bench.changing(last, former: good)
    #expect(try bench.verified(unchanged).envelope.former == last.former)
  }

  // MARK: Writing

  @Test("a value that is replaced or removed stays under its path with its token, the newest first")
  func replaced() throws {
    let (one, two) = (try bench.token("one"), try bench.token("two", at: 1))
    let first = try bench.version(["password": one, "pin": bench.token("0815"), "title": "A"])
    #expect(first.former.isEmpty)
    let second = try bench.version(["password": two, "title": "B"], after: first)
    #expect(bench.lists(of: second)["password"] == [one])
    #expect(try bench.texts(second, "pin") == ["0815"])
    let third = try bench.version(["password": "clear", "title": "B"], after: second)
    #expect(bench.lists(of: third)["password"] == [two, one])
    #expect(third.former.paths.map(\.description) == ["password", "pin"])
  }

  @Test("the path of a value within objects and arrays is written in full")
  func nested() throws {
    let codes = JSONValue.array([.string(try bench.token("1234")), .string(try bench.token("5678"))])
    let first = try bench.version(members: JSONObject([("a.b", .object(try JSONObject([("codes", codes)])))]))
    let second = try bench.version([:], after: first)
    #expect(second.former.paths.map(\.description) == [#"["a.b"].codes[0]"#, #"["a.b"].codes[1]"#])
    #expect(try bench.texts(second, #"["a.b"].codes[1]"#) == ["5678"])
  }

  @Test("a record in which nothing was replaced has no member, also if a token moves to another field")
  func unchanged() throws {
    let one = try bench.token("one")
    let first = try bench.version(["password": one, "title": "A"])
    let changes: [KeyValuePairs<String, String>] = [
      ["password": one, "title": "B"], ["old_password": one, "title": "A"],
    ]
    for fields in changes {
      let next = try bench.version(fields, after: first)
      #expect(next.former.isEmpty)
      #expect(next.document["$vault"]?["former"] == nil)
    }
  }

  @Test("a text stays once: neither beside the same present value nor beside a newer equal one")
  func equalOnce() throws {
    let first = try bench.version(["password": bench.token("one")])
    let again = try bench.version(["password": bench.token("one", at: 1)], after: first)
    #expect(again.former.isEmpty)
    var version = again
    var history: [[String]] = []
    for (second, text) in ["two", "one", "two", "three", "one"].enumerated() {
      version = try bench.version(["password": bench.token(text, at: 2 + Int64(second))], after: version)
      history.append(try bench.texts(version, "password"))
    }
    #expect(history == [["one"], ["two"], ["one"], ["two", "one"], ["three", "two"]])
  }

  @Test("a restored value leaves the list, and the value that it replaces enters it")
  func restored() throws {
    let one = try bench.token("one")
    let first = try bench.version(["password": one])
    let second = try bench.version(["password": bench.token("two")], after: first)
    let back = try bench.version(["password": one], after: second)
    #expect(try bench.texts(back, "password") == ["two"])
    #expect(back.record.fields["password"] == .string(one))
  }

  @Test("no more values of a path stay than the vault asks for", arguments: [0, 1, 5, FormerValues.maximumCount])
  func limit(count: Int) throws {
    var version = try bench.version(["password": bench.token("0")])
    for number in 1...25 {
      version = try bench.version(["password": bench.token("\(number)")], after: version) { $0.formerCount = count }
      let expected = (0..<number).reversed().prefix(count).map { "\($0)" }
      #expect(try bench.texts(version, "password") == expected)
    }
    #expect((version.document["$vault"]?["former"] == nil) == (count == 0))
    #expect(try bench.verified(version.document).envelope.former == version.former)
  }

  @Test("a lower limit drops the oldest with the next change")
  func lowered() throws {
    var version = try bench.version(["password": bench.token("0")])
    for number in 1...4 { version = try bench.version(["password": bench.token("\(number)")], after: version) }
    version = try bench.version(["password": bench.token("4", at: 9)], after: version) { $0.formerCount = 2 }
    #expect(try bench.texts(version, "password") == ["3", "2"])
  }

  @Test("values that are too large together lose the oldest of the longest list, of equal ones the last path")
  func size() throws {
    let filler = String(repeating: "x", count: 100_000)
    var former = FormerValues()
    for path in ["a", "b", "c", "d"] {
      former.append(try (0..<9).map { try bench.token("\($0)\(filler)") }, at: try MemberPath(parsing: path))
    }
    let version = try bench.version(["a": bench.token("present")]) { draft in
      (draft.former, draft.formerCount) = (former, FormerValues.maximumCount)
    }
    // A token of this text has 133,873 bytes, so 31 of them have at most 4 MiB.
    #expect(bench.lists(of: version).mapValues(\.count) == ["a": 8, "b": 8, "c": 8, "d": 7])
    for path in version.former.paths {
      #expect(version.former.tokens(at: path) == Array(former.tokens(at: path).prefix(path.description == "d" ? 7 : 8)))
    }
  }

  @Test("values of one path, and then of every path, are forgotten")
  func forgotten() throws {
    let first = try bench.version(["password": bench.token("one"), "pin": bench.token("0815")])
    let second = try bench.version([:], after: first)
    let pin = try MemberPath(parsing: "pin")
    let next = try bench.version([:], after: second) { $0.former.forget(pin) }
    #expect(next.former.paths.map(\.description) == ["password"])
    let empty = try bench.version([:], after: second) { draft in
      for path in draft.former.paths { draft.former.forget(path) }
    }
    #expect(empty.document["$vault"]?["former"] == nil)
  }

  @Test("a removed record keeps its values")
  func removed() throws {
    let first = try bench.version(["password": bench.token("one")])
    let second = try bench.version(["password": bench.token("two")], after: first)
    let gone = try bench.version(["password": bench.token("two")], after: second) { $0.deletedAt = bench.start }
    #expect(gone.record.envelope.deletedAt != nil)
    #expect(try bench.texts(gone, "password") == ["one"])
  }

  @Test("a reseal seals them anew, in their order and with their sealing times")
  func resealed() throws {
    var version = try bench.version(["password": bench.token("one", at: 7)])
    for (text, second) in [("two", 3), ("three", 5)] as [(String, Int64)] {
      version = try bench.version(["password": bench.token(text, at: second)], after: version)
    }
    let root = try RootKey.random(vaultID: bench.root.vaultID)
    let resealed = try RecordSeal.resealed(version.record, under: root, now: bench.start)
    let record = try RecordSeal.verify(resealed.document, as: bench.id) { _ throws(SealingError) in root }
    let (old, new) = (version.former.all.map(\.token), record.envelope.former.all.map(\.token))
    #expect(try new.map { try record.keys.reveal($0) } == ["two", "one"])
    #expect(Set(new).isDisjoint(with: old))
    #expect(try new.map { try SealedToken(parsing: $0).sealedAt } == old.map { try SealedToken(parsing: $0).sealedAt })
  }
}

/// The keys of one record, and versions of it.
private struct FormerValuesBench {
  /// A sealed version of the record, read back.
  struct Version {
    let document: JSONValue
    let record: VerifiedRecord

    var former: FormerValues { record.envelope.former }
  }

  let id = RecordID.random()
  let start: Timestamp
  let root: RootKey
  private let wrapped: WrappedKey
  private let keys: RecordKeys

  init() throws {
    root = try RootKey.random(vaultID: .random())
    (wrapped, keys) = try root.makeDataKey(for: id)
    start = try Timestamp(parsing: "2026-11-21T01:40:28Z")
  }

  /// A new token of the record.
  func token(_ text: String, at second: Int64 = 0) throws -> String {
    let time = try Timestamp(secondsSinceEpoch: start.secondsSinceEpoch + second)
    return try keys.seal(secretBytes(Array(text.utf8)), at: time)
  }

  /// The record with these texts and tokens, as the version after `old`.
  func version(
    _ fields: KeyValuePairs<String, String>, after old: Version? = nil,
    _ change: (inout EnvelopeDraft) -> Void = { _ in }
  ) throws -> Version {
    try version(members: JSONObject(fields.map { ($0.key, .string($0.value)) }), after: old, change)
  }

  func version(
    members: JSONObject, after old: Version? = nil, _ change: (inout EnvelopeDraft) -> Void = { _ in }
  ) throws -> Version {
    var draft =
      old.map { EnvelopeDraft(next: $0.record, now: start) }
      ?? EnvelopeDraft(id: id, kind: "login", schema: 1, now: start, wrappedKey: wrapped)
    change(&draft)
    let document = try RecordSeal.seal(members, draft, keys: keys).document
    return Version(document: document, record: try verified(document))
  }

  func verified(_ document: JSONValue) throws(SealingError) -> VerifiedRecord {
    try RecordSeal.verify(document, as: id) { _ throws(SealingError) in root }
  }

  /// A document that has this member in its envelope, under the MAC of the document without it.
  func document(former: JSONValue) throws -> JSONValue {
    try changing(version(["title": "A"])) { $0["former"] = former }
  }

  func changing(_ version: Version, former: [String: [String]]) throws -> JSONValue {
    try changing(version) { envelope in
      envelope["former"] = former.isEmpty ? nil : try lists(former)
    }
  }

  private func changing(_ version: Version, _ change: (inout JSONObject) throws -> Void) throws -> JSONValue {
    var document = try #require(version.document.object)
    var envelope = try #require(document["$vault"]?.object)
    try change(&envelope)
    document["$vault"] = .object(envelope)
    return .object(document)
  }

  func lists(_ lists: [String: [String]]) throws -> JSONValue {
    .object(try JSONObject(lists.map { path, tokens in (path, .array(tokens.map { .string($0) })) }))
  }

  func lists(of version: Version) -> [String: [String]] {
    Dictionary(grouping: version.former.all, by: \.path.description).mapValues { $0.map(\.token) }
  }

  func texts(_ version: Version, _ path: String) throws -> [String] {
    try version.former.tokens(at: MemberPath(parsing: path)).map { try keys.reveal($0) }
  }
}
