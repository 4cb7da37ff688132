import Testing
import VaultCrypto
import VaultDocument
import VaultMerge
import VaultSealing
import VaultStorage
import VaultTestSupport

/// Merges that were made by the implementation in `Tests/Reference`, from the description of the rules.
@Suite("Merges of the reference implementation")
struct ReferenceMergeTests {
  private static let count = 400

  @Test("come to the same bytes here, or to the same conflicts, with a key and without")
  func agree() throws {
    guard let python = ReferencePython.path else {
      return Need.notRun("reference merges", count: Self.count, ReferencePython.need)
    }
    let seed = TestSeed.current
    let outcome = ReferencePython.run(python, "merging.py", ["\(seed)", "\(Self.count)"])
    try #require(outcome.code == 0, "\(outcome.errors)")
    let lines = outcome.stdout.split(separator: UInt8(ascii: "\n"))
    #expect(lines.count == Self.count)
    var merged = 0
    for (number, line) in lines.enumerated() {
      let item = try MergeCase(JSONParser.parse(Array(line)))
      for (name, key) in [("keyed", item.key), ("keyless", nil)] {
        let (ours, mirrored) = (item.merge(key), item.mirrored(key))
        #expect(ours.isMirror(of: mirrored), "seed \(seed), case \(number), \(name): \(line.text)")
        let isAsThere = ours.bytes == item.text(name) && ours.conflicts == item.conflicts(name)
        #expect(isAsThere, "seed \(seed), case \(number), \(name): \(ours.conflicts) \(line.text)")
        if ours.bytes != nil { merged += 1 }
      }
    }
    #expect(merged > Self.count / 2, "both are tried")
    #expect(merged < Self.count * 2, "both are tried")
    print("reference: \(lines.count) merges made alike, each with keys and without")
  }
}

private struct MergeCase {
  private let members: JSONObject
  private let id: RecordID
  private let roots: [RootKey]

  init(_ value: JSONValue) throws {
    members = try #require(value.object)
    let vault = try #require(VaultID(parsing: members["vault"]?.string ?? ""))
    id = try #require(RecordID(parsing: members["record"]?.string ?? ""))
    roots = try (members["roots"]?.array ?? []).map { key in
      let bytes = try Hex.decode(key.string ?? "")
      return try RootKey(SecretBytes(copying: RawSpan(_elements: bytes.span)), vaultID: vault)
    }
    try #require(roots.count == 2)
  }

  /// The one of somebody who has both roots.
  var key: RecordMergeKey? {
    RecordMergeKey(root: { [roots] hint throws(SealingError) in
      guard let found = roots.first(where: { $0.id.bytes.starts(with: hint) }) else {
        throw SealingError(.unknownRoot, "is unknown")
      }
      return found
    })
  }

  func text(_ name: String) -> [UInt8]? { members[name]?.string.map { Array($0.utf8) } }

  func conflicts(_ name: String) -> [String] { (members[name + "_conflicts"]?.array ?? []).compactMap(\.string) }

  func merge(_ key: RecordMergeKey?) -> Merged { merge("ours", "theirs", key) }

  func mirrored(_ key: RecordMergeKey?) -> Merged { merge("theirs", "ours", key) }

  private func merge(_ ours: String, _ theirs: String, _ key: RecordMergeKey?) -> Merged {
    let isRemoved = members["trashed"]?.bool == true
    return Merged(
      RecordMerge.merge(
        base: text("base") ?? [], ours: text(ours) ?? [], theirs: text(theirs) ?? [],
        at: isRemoved ? .trash(id) : .record(id), currentRoot: roots[1].id, key: key))
  }
}

extension ArraySlice<UInt8> {
  fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
