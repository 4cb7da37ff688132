import Testing
import VaultDocument
import VaultFileStore
import VaultStorage
import VaultTestSupport
import VaultSystem
import VaultKit

/// Random vaults, random changes, random questions: asked with an index and without.
@Suite("An index beside the files") struct IndexPropertyTests {
  private static let words = [
    "Ada", "ada", "ADA", "Zoë", "Zoe\u{308}", "ZOË", "İstanbul", "istanbul", "東京", "東", "Straße", "STRASSE", "Kelvin",
    "\u{212A}elvin", "ſoft", "a\u{301}\u{316}", "a\u{316}\u{301}", "e\u{301}", "é", "x\r\ny", "\r", "\n", "a b", "",
    "true",
    "1.50", "1e5", "1E5", "12", "es1:abc", "es", "\u{0}nul", "\u{301}", "가", "\u{1100}\u{1161}", "🇫🇷🇩🇪", "🇷🇩", "👨‍👩‍👧", "s",
    "k", ";",
    "\u{37E}", "ﬁ", "Å", "\u{212B}", "ẞ", "Σας", "ΣΑΣ",
  ]

  private struct World {
    var random: SeededGenerator
    let vault: IndexedVault
    var ids: [RecordID] = []
    /// The lock file, while another reader seems to hold it: nobody can finish a batch then.
    var lock: Int32?

    mutating func pick<Element>(_ elements: [Element]) -> Element {
      elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    mutating func word() -> String {
      (0..<Int.random(in: 1...3, using: &random)).map { _ in pick(IndexPropertyTests.words) }
        .joined(separator: Bool.random(using: &random) ? " " : "")
    }

    mutating func value(_ depth: Int = 0) -> JSONValue {
      switch Int.random(in: 0..<(depth > 2 ? 6 : 9), using: &random) {
      case 0...3: return .string(word())
      case 4:
        return .number(JSONNumber(literal: pick(["1.50", "1E5", "12", "-0.10", "9007199254740993"])) ?? JSONNumber(1))
      case 5: return pick([.bool(true), .bool(false), .null, .string("es1:k1:20200101T000000Z:AAAA")])
      case 6: return .array((0..<3).map { _ in value(depth + 1) })
      default:
        return (try? .object(JSONObject([("a", value(depth + 1)), ("city", value(depth + 1))]))) ?? .null
      }
    }

    /// A new id, often in a folder that is in use.
    mutating func newID() -> RecordID {
      var bytes = RecordID.random().bytes
      bytes[0] = UInt8.random(in: 0..<6, using: &random)
      return RecordID(bytes: bytes)
    }

    mutating func record(_ id: RecordID) throws -> [UInt8] {
      let kind = pick(["custom", "login", "customer", "widget", "widget"])
      let titles = kind == "customer" || kind == "widget" ? "name" : "title"
      var members: [(String, JSONValue)] = [(titles, .string(word())), ("note", value()), ("address", value())]
      // Clear text where the kind seals is not indexed, and found all the same.
      if kind == "login", Int.random(in: 0..<4, using: &random) == 0 { members.append(("password", .string(word()))) }
      let second = Int.random(in: 10..<60, using: &random)
      return try vault.bytes(
        id, kind: kind, revision: Int.random(in: 1..<9, using: &random), at: "2026-01-01T00:00:\(second)Z", members)
    }

    mutating func change() throws {
      switch Int.random(in: 0..<16, using: &random) {
      case 0...5:
        let id = newID()
        ids.append(id)
        vault.put(try record(id), at: id)
      case 6...8 where !ids.isEmpty:
        let id = pick(ids)
        vault.put(try record(id), at: id)
      case 9 where !ids.isEmpty: FileTree.remove(vault.file(pick(ids)))
      case 10 where !ids.isEmpty: vault.put(Array("{ not JSON Ada".utf8), at: pick(ids))
      case 11 where !ids.isEmpty:
        let (id, other) = (pick(ids), pick(ids))
        vault.put(try record(other), at: id)
      case 12 where !ids.isEmpty:
        let file = vault.file(pick(ids))
        FileTree.remove(file)
        if FileTree.kind(of: String(file.dropLast(42))) == .directory { FileTree.link(file, to: "/etc/hostname") }
      case 13: try exchange()
      case 14 where !ids.isEmpty && lock == nil: try commitWithoutPlacing()
      case 15:
        // The next to open the vault puts the batch in place.
        if let lock { LiveFileOperations().close(lock) }
        lock = nil
      default: break
      }
    }

    /// A whole new `records/` in place of the old one, as a reseal does it.
    private mutating func exchange() throws {
      let (old, new) = (vault.path + "/records", vault.path + "/records.new")
      FileTree.makeFolder(new)
      FileTree.copy(old, to: new)
      if let id = ids.last {
        FileTree.writeWithFolder(try record(id), to: new + "/" + id.folderName + "/" + id.text + ".json")
      }
      if FileTree.kind(of: old) == .directory { vault.rename(old, to: vault.path + "/records.old") }
      vault.rename(new, to: old)
      FileTree.remove(vault.path + "/records.old")
    }

    /// A batch whose writer died right after the commit.
    private mutating func commitWithoutPlacing() throws {
      let (gone, new) = (pick(ids), newID())
      ids.append(new)
      let staged = RecordID.random().text
      FileTree.writeWithFolder(try record(new), to: vault.path + "/.staging/" + staged)
      let journal = """
        {"entries":[{"path":"\(StoreLocation.record(new).relativePath)","staged":"\(staged)"},\
        {"path":"\(StoreLocation.record(gone).relativePath)","staged":"remove"}]}
        """
      FileTree.write(Array(journal.utf8), to: vault.path + "/.journal.json")
      let system = LiveFileOperations()
      let file = try system.open(vault.path + "/.lock", in: OpenPurpose.noDirectory, as: .locking)
      try #require(try system.tryLock(file, isShared: true))
      lock = file
    }

    mutating func query() throws -> RecordQuery {
      var query = RecordQuery()
      query.order = pick(RecordQuery.Order.allCases)
      if Int.random(in: 0..<3, using: &random) == 0 { query.limit = Int.random(in: 1..<12, using: &random) }
      if Int.random(in: 0..<4, using: &random) == 0 { query.kind = pick(["custom", "widget", "login", "none"]) }
      if Bool.random(using: &random) {
        query.texts = (0..<Int.random(in: 1...2, using: &random)).map { _ in word() }
      }
      if Int.random(in: 0..<3, using: &random) == 0 {
        let path = try MemberPath(
          parsing: pick(["note", "address.city", "note[1]", "name", "address.a.a", "password"]))
        query.conditions = [(path, pick(IndexPropertyTests.words))]
      }
      return query
    }
  }

  @Test("lists, searches and look-ups answer alike with and without it, whatever was written in between")
  func equality() async throws {
    var world = World(random: .announced(for: "index"), vault: try await IndexedVault())
    for step in 0..<120 {
      for _ in 0..<Int.random(in: 0...4, using: &world.random) { try world.change() }
      // Two processes: opened anew, so that nothing is known from before.
      let (plain, indexed) = (try world.vault.plain(), try world.vault.indexed())
      for _ in 0..<3 {
        let query = try world.query()
        let (expected, found) = (await IndexedVault.answer(plain, query), await IndexedVault.answer(indexed, query))
        #expect(found == expected, "step \(step): \(query)")
      }
      let words = [world.word(), world.ids.last.map { String($0.text.prefix(6)) } ?? "0000", "00", "0000-"]
      for word in words {
        let (expected, found) = (await IndexedVault.meaning(plain, word), await IndexedVault.meaning(indexed, word))
        #expect(found == expected, "step \(step): \(word)")
      }
      guard step.isMultiple(of: 10) else { continue }
      let (isMixed, isFoundMixed) = (try await plain.hasSeveralKinds(), try await indexed.hasSeveralKinds())
      #expect(isFoundMixed == isMixed, "step \(step)")
    }
    #expect(try world.vault.indexed().indexState?.byteCount ?? 0 > 0, "there was an index to ask")
  }

  @Test("one record of another kind is found among those of one kind, with and without it")
  func kinds() async throws {
    let vault = try await IndexedVault()
    for (kind, isMixed) in [("custom", false), ("custom", false), ("custom", false), ("login", true)] {
      let id = RecordID.random()
      vault.put(try vault.bytes(id, kind: kind, [("title", .string("t"))]), at: id)
      for locked in [try vault.plain(), try vault.indexed(), try vault.indexed()] {
        let found = try await locked.hasSeveralKinds()
        #expect(found == isMixed, "with \(kind)")
      }
      let only = try await vault.indexed().hasSeveralKinds(among: [id])
      #expect(!only)
    }
  }
}
