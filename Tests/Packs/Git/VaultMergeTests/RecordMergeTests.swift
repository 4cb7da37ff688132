import Testing
import VaultDocument
import VaultMerge
import VaultSealing
import VaultStorage

@Suite("Three versions of a record")
struct RecordMergeTests {
  private let bench: MergeBench
  private let base: [UInt8]
  private let password: JSONValue
  private let pin: JSONValue

  init() throws {
    bench = try MergeBench()
    (password, pin) = (try bench.token("tigerlily"), try bench.token("0815"))
    base = try bench.version(3, ["title": "A", "username": "ada", "password": password, "pin": pin])
  }

  /// A version with some members changed; null takes one away.
  private func edited(
    _ revision: Int, _ changes: [String: JSONValue], at second: Int64? = nil, schema: Int = 1, removed: Bool = false
  ) throws -> [UInt8] {
    var members: [String: JSONValue] = ["title": "A", "username": "ada", "password": password, "pin": pin]
    for (name, value) in changes { members[name] = value == .null ? nil : value }
    return try bench.version(revision, members, at: second, schema: schema, removed: removed)
  }

  @Test("one side alone has changed: it is taken as it is, also without a key", arguments: [true, false])
  func oneSide(_ withKey: Bool) throws {
    let new = try edited(4, ["title": "B"])
    #expect(bench.merge(base, base, new, withKey: withKey).bytes == new)
    #expect(bench.merge(base, new, new, withKey: withKey).bytes == new)
  }

  @Test("different fields, readable and sealed, become one next version that verifies; without a key it needs one")
  func differentFields() throws {
    let (one, other) = (try edited(4, ["title": "B"]), try edited(6, ["password": bench.token("rose", at: 9)], at: 9))
    let merged = bench.merge(base, one, other)
    let envelope = try #require(merged.envelope)
    #expect(merged["title"] == "B")
    #expect(merged["username"] == "ada")
    #expect(merged["pin"] == pin)
    #expect(try bench.keys.reveal(merged["password"]?.string ?? "") == "rose")
    #expect(envelope.revision == 7)
    #expect(try envelope.updatedAt == bench.time(9))
    let file = try #require(RecordFile(parsing: merged.bytes ?? []))
    #expect(bench.key.verdict(on: file) == .authentic)
    #expect(bench.merge(base, one, other).bytes == merged.bytes, "the same bytes each time")
    #expect(bench.merge(base, one, other, withKey: false).conflicts == ["needs_key"])
  }

  @Test("the same readable field in two ways is a conflict that names it, and the rest of the text is joined")
  func sameField() throws {
    let (one, other) = (
      try edited(4, ["title": "B", "username": "eve"]), try edited(4, ["title": "C", "password": bench.token("rose")])
    )
    let merged = bench.merge(base, one, other)
    #expect(merged.conflicts == ["value title"])
    #expect(merged.text.contains("<<<<<<< ours\n  \"title\" : \"B\","), "\(merged.text)")
    #expect(merged.text.contains("\n=======\n  \"title\" : \"C\","))
    #expect(merged.text.contains("\"username\" : \"eve\""))
    #expect(!merged.text.contains("rose"))
    #expect(!merged.text.contains("tigerlily"))
    #expect(throws: (any Error).self) { try JSONParser.parse(Array(merged.text.utf8)) }
  }

  @Test("the same readable field to one value is none")
  func sameValue() throws {
    let (one, other) = (try edited(4, ["title": "B"]), try edited(5, ["title": "B", "username": "eve"]))
    #expect(bench.merge(base, one, other)["username"] == "eve")
  }

  @Test("one sealed field that both sealed: the same text takes the later token, another is a conflict")
  func sameSealedField() throws {
    let (early, late) = (try bench.token("rose", at: 1), try bench.token("rose", at: 5))
    let (one, other) = (try edited(4, ["password": early]), try edited(4, ["password": late], at: 5))
    #expect(bench.merge(base, one, other)["password"] == late)
    #expect(bench.merge(base, one, other, withKey: false).conflicts == ["sealed password"])
    let lily = try edited(5, ["password": bench.token("lily", at: 6)])
    #expect(bench.merge(base, one, lily).conflicts == ["sealed password"])
  }

  @Test("who only sealed the old text anew has changed nothing")
  func sealedAgain() throws {
    let rose = try bench.token("rose", at: 3)
    let (one, other) = (
      try edited(4, ["password": bench.token("tigerlily", at: 8)]), try edited(4, ["password": rose])
    )
    #expect(bench.merge(base, one, other)["password"] == rose)
  }

  @Test("a field that one side removed and the other changed is a conflict; removed alone, it is gone")
  func removedField() throws {
    let (gone, changed) = (try edited(4, ["pin": .null]), try edited(4, ["pin": bench.token("1")]))
    #expect(bench.merge(base, gone, changed).conflicts == ["removed_member pin"])
    let merged = bench.merge(base, gone, try edited(4, ["title": "B"]))
    #expect(merged["title"] == "B")
    #expect(merged["pin"] == nil)
    #expect(merged.bytes != nil)
  }

  @Test("tags are a set: what either added is there, what either removed is not")
  func tags() throws {
    func tagged(_ revision: Int, _ tags: [JSONValue]) throws -> [UInt8] {
      try edited(revision, ["tags": .array(tags)])
    }
    let merged = bench.merge(
      try tagged(4, ["a", "b", "c"]), try tagged(5, ["a", "b", "z"]), try tagged(6, ["m", "b", "c"]))
    #expect(merged["tags"] == .array(["b", "m", "z"]))
    #expect(
      bench.merge(
        try edited(3, ["list": .array(["a"])]), try edited(4, ["list": .array(["a", "b"])]),
        try edited(4, ["list": .array(["c"])])
      ).conflicts
        == ["value list"])
  }

  @Test("members of objects are joined one by one")
  func objects() throws {
    func at(_ revision: Int, _ city: JSONValue, _ street: JSONValue) throws -> [UInt8] {
      try edited(revision, ["address": .object(JSONObject([("city", city), ("street", street)]))])
    }
    let merged = bench.merge(try at(3, "Oslo", "x"), try at(4, "Milan", "x"), try at(4, "Oslo", "y"))
    #expect(merged["address"]?["city"] == "Milan")
    #expect(merged["address"]?["street"] == "y")
    #expect(
      bench.merge(try at(3, "Oslo", "x"), try at(4, "Milan", "x"), try at(4, "Bonn", "x")).conflicts == [
        "value address.city"
      ])
  }

  @Test("removed on one side and changed on the other is a conflict; removed on both is not", arguments: [true, false])
  func removed(_ withKey: Bool) throws {
    let trash = StoreLocation.trash(bench.id)
    let (gone, changed) = (try edited(4, [:], removed: true), try edited(4, ["title": "B"]))
    #expect(bench.merge(base, gone, changed, at: trash, withKey: withKey).conflicts == ["removed"])
    let later = try edited(5, [:], removed: true)
    #expect(bench.merge(base, gone, later, at: trash, withKey: withKey).bytes == later)
    // git moves a file to the trash beside one that was moved there.
    #expect(bench.merge(base, base, changed, at: trash, withKey: withKey).conflicts == ["misplaced"])
  }

  @Test("what git pairs across records, or puts under another name, is refused", arguments: [true, false])
  func otherRecord(_ withKey: Bool) throws {
    let stranger = try bench.version(1, ["title": "A"], id: .random())
    let changed = try edited(4, ["title": "B"])
    #expect(bench.merge(base, stranger, changed, withKey: withKey).conflicts == ["other_record"])
    #expect(bench.merge(base, base, changed, at: .record(.random()), withKey: withKey).conflicts == ["other_record"])
    #expect(bench.merge(base, base, changed, at: .header, withKey: withKey).conflicts == ["other_record"])
  }

  @Test("a side that is older than the base is refused: that is how git reverts", arguments: [true, false])
  func older(_ withKey: Bool) throws {
    let (later, before) = (try edited(4, ["title": "B"]), try edited(2, ["title": "Z"]))
    #expect(bench.merge(base, later, before, withKey: withKey).conflicts == ["older"])
    #expect(bench.merge(base, base, before, withKey: withKey).conflicts == ["older"])
  }

  @Test("a side that was changed without a key is refused, with a key and without")
  func unauthenticated() throws {
    let forged = try bench.changing(base) { envelope, fields in
      (envelope["revision"], fields["title"]) = (9, "B")
    }
    let good = try edited(4, ["username": "eve"])
    #expect(bench.merge(base, forged, good).conflicts == ["unauthenticated"])
    #expect(bench.merge(base, forged, good, withKey: false).conflicts == ["unauthenticated"])
    let rebuilt = try bench.changing(forged) { envelope, _ in
      envelope["mac"] = .string(Base64.encode([UInt8](repeating: 7, count: 32)))
    }
    #expect(bench.merge(base, rebuilt, good).conflicts == ["unverified"])
    #expect(bench.merge(base, rebuilt, base).conflicts == ["unverified"])
  }

  @Test("a rewrap beside an edit: the edit under the new root, which verifies", arguments: [true, false])
  func rewrap(_ withKey: Bool) throws {
    let (wrapped, changed) = (try bench.rewrapped(base), try edited(4, ["title": "B"]))
    let merged = bench.merge(base, wrapped, changed, withKey: withKey)
    #expect(merged["title"] == "B")
    #expect(merged.envelope?.revision == 4)
    #expect(merged.envelope?.wrappedKey.text == RecordFile(parsing: wrapped)?.envelope.wrappedKey.text)
    let file = try #require(RecordFile(parsing: merged.bytes ?? []))
    #expect(bench.key.verdict(on: file) == .authentic)
    // And where both changed fields, too.
    let both = bench.merge(base, try bench.rewrapped(try edited(5, ["username": "eve"])), changed)
    #expect(both["title"] == "B")
    #expect(both["username"] == "eve")
    #expect(both.envelope?.revision == 6)
  }

  @Test("another data key, another form of the kind, and what is no record are conflicts")
  func others() throws {
    let changed = try edited(4, ["title": "B"])
    let other = try bench.root.makeDataKey(for: bench.id)
    let token = try bench.sealed("x", other.keys, at: bench.time(0))
    var draft = EnvelopeDraft(
      id: bench.id, kind: "login", schema: 1, now: try bench.time(0), wrappedKey: other.wrapped)
    draft.revision = 4
    let resealed = try RecordSeal.seal(JSONObject([("password", .string(token))]), draft, keys: other.keys)
    #expect(bench.merge(base, changed, try resealed.document.prettyBytes()).conflicts == ["resealed"])
    #expect(bench.merge(base, changed, try edited(4, [:], schema: 2)).conflicts == ["schema"])
    let broken = bench.merge(base, changed, Array("{".utf8))
    #expect(broken.conflicts == ["unreadable"])
    #expect(broken.text.hasPrefix("<<<<<<< ours\n"))
    #expect(bench.merge(Array("{".utf8), changed, changed).bytes == changed)
  }

  @Test("added on both sides: joined from nothing, and what differs is a conflict")
  func added() throws {
    let (one, other) = (try edited(1, ["x": "1"]), try edited(1, ["y": "2"]))
    let merged = bench.merge([], one, other)
    #expect(merged["x"] == "1")
    #expect(merged["y"] == "2")
    #expect(merged.envelope?.revision == 2)
    #expect(bench.merge([], one, try edited(1, ["title": "B"])).conflicts == ["value title"])
  }

  @Test("of two texts for one moment the greater stays, and what this machine has seen above both is not replaced")
  func momentsAndMemory() throws {
    let later = "2027-01-15T08:00:04+00:00"
    let one = try edited(4, ["title": "B"])
    var draft = EnvelopeDraft(
      id: bench.id, kind: "login", schema: 1, now: try bench.time(0), wrappedKey: bench.wrapped)
    (draft.revision, draft.updatedAt, draft.updatedAtText) = (4, try Timestamp(parsing: later), later)
    let fields = try JSONObject([("title", "A"), ("username", "eve"), ("password", password), ("pin", pin)])
    let other = try RecordSeal.seal(fields, draft, keys: bench.keys).document.prettyBytes()
    let texts = [one, other].compactMap { try? JSONParser.parse($0)["$vault"]?["updated_at"]?.string }
    let merged = bench.merge(base, one, other)
    #expect(merged["$vault"]?["updated_at"]?.string == texts.max(), "\(texts)")
    var known = bench
    known.seen = (5, [UInt8](repeating: 1, count: 32))
    #expect(known.merge(base, one, other).conflicts == ["seen"])
    known.seen = (4, [UInt8](repeating: 1, count: 32))
    #expect(known.merge(base, one, other).conflicts == ["seen"])
    let result = try #require(merged.envelope)
    known.seen = (result.revision, result.mac)
    #expect(known.merge(base, one, other).bytes == merged.bytes, "a merge that was given up is made again")
    known.seen = (4, try #require(RecordFile(parsing: one)).envelope.mac)
    #expect(known.merge(base, one, other).bytes == merged.bytes)
  }

  @Test("somebody who prefers a side gets its member where both changed it, and all that only the other changed")
  func preferred() throws {
    let (one, other) = (
      try edited(4, ["title": "B", "username": "eve"]), try edited(6, ["title": "C", "pin": .null], at: 6)
    )
    for (side, title) in [(MergeSide.ours, "B"), (.theirs, "C")] {
      let merged = Merged(
        RecordMerge.merge(
          base: base, ours: one, theirs: other, at: bench.place, key: bench.key, preferring: MergePreference(side)))
      #expect(merged["title"]?.string == title)
      #expect(merged["username"] == "eve")
      #expect(merged["pin"] == nil)
      #expect(merged.envelope?.revision == 7)
    }
  }

  @Test("a side can win in one member and the other in another; what nobody has decided stays a conflict")
  func preferredMembers() throws {
    let (one, other) = (
      try edited(4, ["title": "B", "username": "eve"]), try edited(6, ["title": "C", "username": "li"], at: 6)
    )
    func merged(_ members: [MemberPath: MergeSide]) -> Merged {
      Merged(
        RecordMerge.merge(
          base: base, ours: one, theirs: other, at: bench.place, key: bench.key,
          preferring: MergePreference(members: members)))
    }
    let (title, username) = (MemberPath.root.appending("title"), MemberPath.root.appending("username"))
    let both = merged([title: .theirs, username: .ours])
    #expect(both["title"] == "C")
    #expect(both["username"] == "eve")
    #expect(both.envelope?.revision == 7)
    #expect(merged([title: .theirs]).conflicts == ["value username"])
  }

  @Test("what cannot follow a version is told without a key")
  func versionFaults() throws {
    func file(_ bytes: [UInt8]) throws -> RecordFile { try #require(RecordFile(parsing: bytes)) }
    let old = try file(base)
    #expect(try file(edited(4, ["title": "B"])).fault(after: old) == nil)
    #expect(try file(bench.rewrapped(base)).fault(after: old) == nil)
    #expect(try file(edited(3, ["title": "B"])).fault(after: old) == .notLater(revision: 3, than: 3))
    let forged = try file(bench.changing(base) { envelope, _ in envelope["revision"] = 9 })
    #expect(forged.fault(after: old) == .unauthenticated)
    let other = try file(bench.version(4, ["title": "A"], id: .random()))
    #expect(other.fault(after: old) == .otherRecord)
  }

  @Test("of a removal and a change, who prefers the removal gets both")
  func preferredRemoval() throws {
    let (gone, changed) = (try edited(4, [:], removed: true), try edited(6, ["title": "B"]))
    for (side, place) in [(MergeSide.ours, StoreLocation.trash(bench.id)), (.theirs, bench.place)] {
      let merged = Merged(
        RecordMerge.merge(
          base: base, ours: gone, theirs: changed, at: place, key: bench.key, preferring: MergePreference(side)))
      #expect(merged["title"] == "B")
      #expect((merged.envelope?.deletedAt != nil) == (side == .ours))
      #expect((merged.envelope?.revision ?? 0) >= 6)
    }
  }

  @Test("a side that was chosen whole follows both; one that does not verify cannot be chosen")
  func chosen() throws {
    let (gone, changed) = (try edited(4, [:], removed: true), try edited(6, ["title": "B"]))
    let kept = Merged(RecordMerge.taking(changed, after: gone, of: bench.id, key: bench.key))
    #expect(kept.envelope?.revision == 7)
    #expect(kept["title"] == "B")
    #expect(kept.envelope?.deletedAt == nil)
    let removed = Merged(RecordMerge.taking(gone, after: changed, of: bench.id, key: bench.key))
    #expect(removed.envelope?.revision == 7)
    #expect(removed.envelope?.deletedAt != nil)
    let forged = try bench.changing(changed) { envelope, _ in envelope["revision"] = 90 }
    #expect(Merged(RecordMerge.taking(forged, after: gone, of: bench.id, key: bench.key)).conflicts == ["unverified"])
    #expect(Merged(RecordMerge.taking(changed, after: forged, of: bench.id, key: bench.key)).bytes == changed)
    #expect(
      Merged(RecordMerge.taking(changed, after: nil, of: .random(), key: bench.key)).conflicts == ["other_record"])
  }

  @Test("one value at two places cannot be joined from two moves")
  func moved() throws {
    let (one, other) = (
      try edited(4, ["pin": .null, "a": pin]), try edited(4, ["pin": .null, "b": pin])
    )
    #expect(bench.merge(base, one, other).conflicts == ["moved"])
  }

  @Test("equal content under two MACs of one revision: with a key a later version follows both")
  func forks() throws {
    let (one, other) = (try edited(4, ["title": "B"], at: 4), try edited(4, ["title": "B"], at: 5))
    #expect(bench.merge(base, one, other, withKey: false).bytes == other)
    #expect(bench.merge(base, one, other).envelope?.revision == 5)
  }
}
