import Testing
import VaultDocument
import VaultMerge
import VaultSealing

@Suite("Two versions of a record, compared")
struct RecordComparisonTests {
  private let bench: MergeBench
  private let password: JSONValue

  init() throws {
    bench = try MergeBench()
    password = try bench.token("tigerlily")
  }

  private func compare(_ old: [String: JSONValue]?, _ new: [String: JSONValue]?) throws -> RecordComparison {
    func file(_ members: [String: JSONValue]?, _ revision: Int) throws -> RecordFile? {
      try members.flatMap { RecordFile(parsing: try bench.version(revision, $0)) }
    }
    return RecordComparison(from: try file(old, 3), to: try file(new, 4)) { $0.description == "pin" }
  }

  private func words(_ comparison: RecordComparison) -> [String] {
    comparison.changes.map { change in
      let values = [change.before, change.after].map { $0.map { $0.string ?? "?" } ?? "-" }.joined(separator: " ")
      let origin = change.origin.map { " from \($0)" } ?? ""
      return "\(change.kind.rawValue) \(change.path) \(values)\(change.isSecret ? " secret" : "")\(origin)"
    }
  }

  @Test("readable members come, go and change with what they say")
  func readable() throws {
    let found = try compare(["a": "1", "b": "2", "password": password], ["a": "x", "c": "3", "password": password])
    #expect(words(found) == ["changed a 1 x", "removed b 2 -", "added c - 3"])
    #expect(found.event == .changed)
    #expect(found.schemas == nil)
  }

  @Test("of sealed members it is told what became of them, and nothing else")
  func sealed() throws {
    let later = try bench.token("rose", at: 9)
    #expect(words(try compare(["password": password], ["password": later])) == ["replaced password - - secret"])
    let again = try bench.token("rose")
    #expect(words(try compare(["password": password], ["password": again])) == ["resealed password - - secret"])
    #expect(words(try compare([:], ["password": password])) == ["added password - - secret"])
    #expect(words(try compare(["password": password], [:])) == ["removed password - - secret"])
    #expect(
      words(try compare(["password": password], ["other": password])) == ["moved other - - secret from password"])
    let swapped = try compare(["a": password, "b": later], ["a": later, "b": password])
    #expect(words(swapped) == ["moved a - - secret from b", "moved b - - secret from a"])
  }

  @Test("clear text is not told where something is sealed on the other side, or the kind seals it")
  func clear() throws {
    #expect(words(try compare(["x": "rose"], ["x": password])) == ["sealed x - - secret"])
    #expect(words(try compare(["x": password], ["x": "rose"])) == ["unsealed x - - secret"])
    #expect(words(try compare(["pin": "1"], ["pin": "2"])) == ["changed pin - - secret"])
    #expect(words(try compare([:], ["pin": "2"])) == ["added pin - - secret"])
  }

  @Test("what became of the record as a whole")
  func events() throws {
    let members: [String: JSONValue] = ["a": "1"]
    func event(_ old: [UInt8]?, _ new: [UInt8]?) -> RecordComparison.Event {
      let (one, other) = (old.flatMap { RecordFile(parsing: $0) }, new.flatMap { RecordFile(parsing: $0) })
      return RecordComparison(from: one, to: other) { _ in false }.event
    }
    let live = try bench.version(3, members)
    let removed = try bench.version(4, members, removed: true)
    #expect(event(nil, live) == .added)
    #expect(event(live, nil) == .deleted)
    #expect(event(nil, nil) == .unchanged)
    #expect(event(live, removed) == .removed)
    #expect(event(removed, live) == .restored)
    #expect(event(live, live) == .unchanged)
    #expect(try event(live, bench.rewrapped(live)) == .rewrapped)
    #expect(try event(live, bench.version(4, members)) == .changed)
    let migrated = try bench.version(4, members, schema: 2)
    let comparison = RecordComparison(from: RecordFile(parsing: live), to: RecordFile(parsing: migrated)) { _ in false }
    #expect(comparison.schemas?.old == 1)
    #expect(comparison.schemas?.new == 2)
    #expect(comparison.changes.isEmpty)
  }

  @Test("attachments come, go and are replaced by name, also where only the hash is another")
  func attachments() throws {
    func attachment(_ name: String, _ byteCount: Int = 5, id: AttachmentID = .random(), hash: UInt8 = 1) -> JSONValue {
      var (members, all) = (JSONObject(), JSONObject())
      members["name"] = .string(name)
      members["sha256"] = .string(Hex.encode([UInt8](repeating: hash, count: 32)))
      members["size"] = .number(JSONNumber(byteCount))
      all[id.text] = .object(members)
      return .object(all)
    }
    func file(_ revision: Int, _ attached: [JSONValue]) throws -> RecordFile? {
      let bytes = try bench.changing(try bench.version(revision, ["a": "1"])) { envelope, _ in
        guard !attached.isEmpty else { return }
        var all = JSONObject()
        for object in attached.compactMap(\.object) {
          for name in object.names { all[name] = object[name] }
        }
        (envelope["attachments"], envelope["requires"]) = (.object(all), .array(["attachments"]))
      }
      return RecordFile(parsing: bytes)
    }
    func words(_ old: [JSONValue], _ new: [JSONValue]) throws -> [String] {
      let (one, other) = (try #require(try file(3, old)), try #require(try file(4, new)))
      return RecordComparison(from: one, to: other) { _ in false }.attachments.map { change in
        let sizes = [change.before, change.after].map { $0.map { String($0.byteCount) } ?? "-" }
        return "\(change.name) \(sizes.joined(separator: " "))"
      }
    }
    let (one, other) = (AttachmentID.random(), AttachmentID.random())
    let (a, b) = (attachment("a", id: one), attachment("b", 6, id: other))
    #expect(try words([], []).isEmpty)
    #expect(try words([a, b], [b, a]).isEmpty)
    #expect(try words([], [b, a]) == ["a - 5", "b - 6"])
    #expect(try words([a, b], [b]) == ["a 5 -"])
    #expect(try words([a], [attachment("a", 7)]) == ["a 5 7"])
    #expect(try words([a], [attachment("a", id: one, hash: 2)]) == ["a 5 5"])
    #expect(try words([a, b], [attachment("b", id: one), attachment("a", 6, id: other)]) == ["a 5 6", "b 6 5"])
    #expect(try words([a], [attachment("z", id: one)]) == ["a 5 -", "z - 5"])
  }
}
