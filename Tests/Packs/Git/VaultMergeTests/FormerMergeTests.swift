import Testing
import VaultDocument
import VaultMerge
import VaultSealing
import VaultStorage
import VaultTestSupport

@Suite("Former values in a merge")
struct FormerMergeTests {
  private let bench: MergeBench
  private let old: JSONValue
  private let first: JSONValue
  private let ours: JSONValue
  private let theirs: JSONValue
  private let password = MemberPath.root.appending("password")

  init() throws {
    bench = try MergeBench()
    old = try bench.token("old", at: 0)
    first = try bench.token("first", at: 1)
    ours = try bench.token("ours", at: 5)
    theirs = try bench.token("theirs", at: 7)
  }

  /// A version with a password and former ones, the newest first.
  private func version(
    _ revision: Int, _ present: JSONValue?, former: [JSONValue] = [], title: String = "A"
  ) throws -> [UInt8] {
    var fields = JSONObject()
    fields["title"] = .string(title)
    fields["password"] = present
    var draft = EnvelopeDraft(id: bench.id, kind: "login", schema: 1, now: try bench.time(0), wrappedKey: bench.wrapped)
    draft.revision = revision
    draft.updatedAt = try bench.time(Int64(revision))
    draft.former.append(former.compactMap(\.string), at: password)
    return try RecordSeal.seal(fields, draft, keys: bench.keys).document.prettyBytes()
  }

  private func texts(_ bytes: [UInt8]?) throws -> [String] {
    let file = try #require(RecordFile(parsing: bytes ?? []))
    #expect(bench.key.verdict(on: file) == .authentic)
    return try file.envelope.former.tokens(at: password).map { try bench.keys.reveal($0) }
  }

  private func merged(
    _ base: [UInt8]?, _ one: [UInt8], _ other: [UInt8], preferring side: MergeSide? = nil
  ) throws -> [UInt8] {
    let outcome = RecordMerge.merge(
      base: base.map { StoredVersion($0) }, ours: StoredVersion(one), theirs: StoredVersion(other),
      at: .record(bench.id), key: bench.key, preferring: MergePreference(side))
    guard case .merged(let bytes) = outcome else {
      Issue.record("\(outcome)")
      return []
    }
    return bytes
  }

  @Test("the value that loses a conflict is the newest former one", arguments: [true, false])
  func loser(_ isOurs: Bool) throws {
    let base = try version(1, first)
    let (one, other) = (try version(2, ours, former: [first]), try version(3, theirs, former: [first]))
    let bytes = try merged(base, one, other, preferring: isOurs ? .ours : .theirs)
    #expect(try texts(bytes) == [isOurs ? "theirs" : "ours", "first"])
    // The other machine, which prefers the same version, writes the same bytes.
    #expect(try merged(base, other, one, preferring: isOurs ? .theirs : .ours) == bytes)
  }

  @Test("a change of one side and a readable change of the other keep the former value")
  func oneSide() throws {
    let base = try version(1, first)
    let bytes = try merged(base, version(2, ours, former: [first]), version(2, first, title: "B"))
    #expect(try texts(bytes) == ["first"])
  }

  @Test("a value that one side has forgotten stays forgotten, if the base had it")
  func forgotten() throws {
    let base = try version(1, first, former: [old])
    let bytes = try merged(base, version(2, first), version(2, first, former: [old], title: "B"))
    #expect(try texts(bytes) == [])
    let withoutBase = try merged(nil, version(2, first), version(2, first, former: [old]))
    #expect(try texts(withoutBase) == ["old"])
  }

  @Test("both sides set the same value: nothing of it becomes a former one")
  func sameValue() throws {
    let base = try version(1, first)
    let (one, other) = (try bench.token("same", at: 5), try bench.token("same", at: 6))
    let bytes = try merged(base, version(2, one, former: [first]), version(2, other, former: [first]))
    #expect(try texts(bytes) == ["first"])
  }

  @Test("a side that brought a former value back does not lose the value that it replaced")
  func broughtBack() throws {
    let base = try version(1, first, former: [old])
    let bytes = try merged(base, version(2, old, former: [first]), version(2, first, former: [old], title: "B"))
    #expect(try texts(bytes) == ["first"])
    let conflict = try merged(
      base, version(2, old, former: [first]), version(2, theirs, former: [first, old]), preferring: .theirs)
    #expect(try Set(texts(conflict)) == ["first", "old"])
  }

  @Test("the whole side that a person takes gets the values of the other", arguments: [true, false])
  func wholeSide(_ isOurs: Bool) throws {
    let (one, other) = (try version(2, ours, former: [first]), try version(3, theirs, former: [old]))
    let outcome = RecordMerge.taking(isOurs ? one : other, after: isOurs ? other : one, of: bench.id, key: bench.key)
    guard case .merged(let bytes) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(try Set(texts(bytes)) == [isOurs ? "theirs" : "ours", "first", "old"])
  }

  @Test("equal members with different former values are joined, without a conflict")
  func onlyFormer() throws {
    let base = try version(1, first)
    let (one, other) = (try version(2, first, former: [old]), try version(3, first, former: [ours]))
    let bytes = try merged(base, one, other)
    #expect(try texts(bytes) == ["ours", "old"])
    #expect(try merged(base, other, one) == bytes)
  }

  @Test("histories of two machines join to the same list whichever side is ours", arguments: 0..<40)
  func commutes(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    func history() throws -> [JSONValue] {
      try (0..<Int.random(in: 0...4, using: &random)).map { index in
        try bench.token("value \(index) \(seed)", at: Int64.random(in: 0...9, using: &random))
      }
    }
    let shared = try history()
    let base = try version(1, first, former: shared)
    let one = try version(2, Bool.random(using: &random) ? ours : first, former: history() + shared)
    let other = try version(2, first, former: history() + shared.dropLast(), title: "B")
    #expect(try merged(base, one, other) == merged(base, other, one))
  }
}
