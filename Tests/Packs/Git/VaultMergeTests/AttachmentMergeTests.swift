import Testing
import VaultDocument
import VaultMerge
import VaultSealing

private typealias Attached = VaultSealing.Attachment

@Suite("Attachments of a record that both sides have changed")
struct AttachmentMergeTests {
  private let bench: MergeBench
  private let kept = Self.attachment("kept", 10, 1)
  private let gone = Self.attachment("gone", 20, 2)
  private let mine = Self.attachment("mine", 30, 3)
  private let yours = Self.attachment("yours", 40, 4)

  init() throws { bench = try MergeBench() }

  private static func attachment(
    _ name: String, _ byteCount: Int, _ hash: UInt8, id: AttachmentID = .random()
  ) -> Attached {
    Attached(id: id, name: name, byteCount: byteCount, sha256: [UInt8](repeating: hash, count: 32))
  }

  private func version(
    _ revision: Int, _ title: String, _ attached: [Attached], removed: Bool = false
  ) throws -> [UInt8] {
    try bench.version(revision, ["title": .string(title)], removed: removed, attached: attached)
  }

  private func expect(_ merged: Merged, _ attached: [Attached], _ note: Comment) throws {
    let bytes = try #require(merged.bytes, "\(note): \(merged.conflicts)")
    #expect(merged.envelope?.attachments == attached.sorted { $0.id < $1.id }, note)
    #expect(merged.envelope?.requirements == (attached.isEmpty ? [] : ["attachments"]), note)
    #expect(bench.key.verdict(on: try #require(RecordFile(parsing: bytes))) == .authentic, note)
  }

  @Test("what either has added is there and what either has taken away is not, each whole as its side names it")
  func joined() throws {
    let base = try version(3, "A", [kept, gone])
    for title in ["A", "B"] {
      let ours = try version(4, title, [kept, gone, mine])
      try expect(
        bench.merge(base, ours, version(5, "A", [kept, yours])), [kept, mine, yours], "added, and taken away")
      try expect(bench.merge(base, ours, version(5, "A", [])), [mine], "all taken away")
    }
    try expect(bench.merge(base, version(4, "B", [kept]), version(4, "A", [kept])), [kept], "taken away by both")
    try expect(bench.merge(base, version(4, "B", []), version(5, "A", [])), [], "none is left")
    try expect(bench.merge(version(3, "A", []), version(4, "A", [mine]), version(4, "B", [])), [mine], "the first")
  }

  @Test("one that both have replaced under its name is there twice, each with its own size and hash")
  func replaced() throws {
    let base = try version(3, "A", [kept])
    let (one, other) = (Self.attachment("kept", 11, 5), Self.attachment("kept", 12, 6))
    try expect(bench.merge(base, version(4, "A", [one]), version(4, "A", [other])), [one, other], "both")
    try expect(bench.merge(base, version(4, "A", [one]), version(5, "B", [kept])), [one], "one side")
  }

  @Test("a side that names another content by an id that is there is a conflict; another name is a change like any")
  func exchanged() throws {
    let base = try version(3, "A", [kept])
    let ours = try version(4, "B", [kept, mine])
    for other in [Self.attachment("kept", 11, 1, id: kept.id), Self.attachment("kept", 10, 9, id: kept.id)] {
      #expect(bench.merge(base, ours, try version(4, "A", [other])).conflicts == ["envelope"])
      #expect(bench.merge(base, ours, try version(4, "A", [other]), withKey: false).bytes == nil)
    }
    let renamed = Self.attachment("renamed", 10, 1, id: kept.id)
    try expect(bench.merge(base, ours, version(4, "A", [renamed])), [renamed, mine], "one has renamed it")
    let other = Self.attachment("other", 10, 1, id: kept.id)
    #expect(bench.merge(base, try version(4, "B", [other]), try version(4, "A", [renamed])).conflicts == ["envelope"])
  }

  @Test("without a key no attachments are joined, and a side is taken whole or not at all")
  func withoutKey() throws {
    let base = try version(3, "A", [kept])
    let (ours, theirs) = (try version(4, "A", [kept, mine]), try version(4, "A", [kept, yours]))
    #expect(bench.merge(base, ours, theirs, withKey: false).conflicts == ["needs_key"])
    #expect(bench.merge(base, base, theirs, withKey: false).bytes == theirs)
    let edited = try bench.changing(ours) { envelope, _ in
      let id = mine.id.text
      var all = envelope["attachments"]?.object ?? JSONObject()
      var one = all[id]?.object ?? JSONObject()
      one["size"] = .number(JSONNumber(31))
      all[id] = .object(one)
      envelope["attachments"] = .object(all)
    }
    #expect(bench.merge(base, edited, theirs).bytes == nil)
  }

  @Test("more than a record may have are no record")
  func tooMany() throws {
    func many(_ hash: UInt8) -> [Attached] { (0..<2100).map { Self.attachment("\(hash)-\($0)", 1, hash) } }
    let merged = bench.merge(
      try version(3, "A", []), try version(4, "A", many(1)), try version(4, "A", many(2)))
    #expect(merged.bytes == nil, "\(merged.conflicts)")
    #expect(!merged.conflicts.isEmpty, "\(merged.conflicts)")
  }
}
