import Testing
import VaultDocument
import VaultStorage
import VaultTestSupport

@testable import VaultIndex

@Suite("The index file") struct RecordIndexTests {
  private let folder = TemporaryFolder()
  private var place: IndexPlace { IndexPlace(directory: folder.path + "/cache/cvault", name: "ab") }

  private func open(_ identity: [UInt8] = [1]) throws(IndexFailure) -> RecordIndex {
    try RecordIndex.open(at: place, identity: identity)
  }

  private func record(_ number: UInt8, _ name: String, kind: String = "login", at seconds: Int64 = 0) throws
    -> IndexedRecord
  {
    let stamp = StoreStamp(inode: UInt64(number) + 1, byteCount: 1, modified: 1, changed: 1)
    let time = try Timestamp(secondsSinceEpoch: seconds, nanoseconds: Int32(number))
    var text = RecordText()
    text.add(name)
    let row = IndexRow(
      id: RecordID(bytes: [3, number] + [UInt8](repeating: 0, count: 14)), kind: kind, name: name, revision: 2,
      createdAt: time, updatedAt: time)
    return .record(row, IndexMark(stamp, readAt: .now()), text)
  }

  private func fill(_ index: RecordIndex, _ records: [IndexedRecord]) throws {
    let stamp = StoreStamp(inode: 1, byteCount: 1, modified: 1, changed: 1)
    try index.begin()
    try index.update(folder: 3, mark: IndexMark(stamp, readAt: .now()), changed: records, removed: [])
    try index.commit()
  }

  private func names(_ index: RecordIndex, _ order: IndexQuery.Order = .name, kind: String? = nil, limit: Int? = nil)
    throws -> [String]
  {
    try rows(index, .some(index.ids(IndexQuery(kind: kind, order: order, limit: limit)))).map(\.name)
  }

  private func rows(_ index: RecordIndex, _ selection: RowSelection) throws(IndexFailure) -> [IndexRow] {
    var rows = IndexRows()
    for piece in try index.pieces(selection) { rows.append(try piece.get().decoded().rows) }
    return try index.positions(selection, of: rows).map { rows[Int($0)] }
  }

  /// What is asked of an index that may be damaged: the right answer, or a failure.
  private func answers(_ index: RecordIndex) throws(IndexFailure) -> [[String]] {
    let known = try index.folderMarks().compactMap { $0 }.count
    let found = try rows(index, .some(index.search([IndexProbe("ad", fallback: []) { $0.contains("ad") }])))
    let all = try rows(index, .all(.name))
    return [["\(known)"], all.map(\.name), found.map(\.name), try index.watched().map(\.text)]
  }

  @Test("rows come in the order, of the kind and of the number that is asked for")
  func rows() throws {
    let index = try open()
    try fill(
      index,
      [
        record(1, "beta", at: 5), record(2, "Alpha", at: 9), record(3, "gamma", kind: "wifi", at: 1),
        record(4, "alpha", at: 7),
      ])
    #expect(try names(index) == ["Alpha", "alpha", "beta", "gamma"])
    #expect(try names(index, limit: 2) == ["Alpha", "alpha"])
    #expect(try names(index, .created) == ["Alpha", "alpha", "beta", "gamma"])
    #expect(try names(index, .updated, kind: "login", limit: 2) == ["Alpha", "alpha"])
    #expect(try rows(index, .some(index.ids(named: "ALPHA") ?? [])).map(\.name) == ["Alpha", "alpha"])
    #expect(try index.isSortedByName())
  }

  @Test("all rows at once come in every order, as they do one by one, and none of a watched record")
  func allRows() throws {
    let index = try open()
    let records = try (0..<250).map { number in
      try record(UInt8(number), "name \(number * 37 % 250)", kind: "kind \(number % 3)", at: Int64(number * 91 % 250))
    }
    let mark = IndexMark(StoreStamp(inode: 1, byteCount: 1, modified: 1, changed: 1), readAt: .now())
    try fill(index, records + [.watched(record(255, "").id, mark)])
    for order in [IndexQuery.Order.name, .created, .updated] {
      let all = try rows(index, .all(order))
      #expect(try all.map(\.name) == names(index, order))
      #expect(all.count == 250 && all.allSatisfy { $0.revision == 2 && $0.createdAt == $0.updatedAt })
      let few = try index.ids(IndexQuery(kind: nil, order: order, limit: 7))
      #expect(few == all.prefix(7).map(\.id))
    }
    #expect(Set(try rows(index, .all(.name)).map(\.kind)) == ["kind 0", "kind 1", "kind 2"])
  }

  @Test("more rows than are read at once come in the order of their ids, and those that there are not are left out")
  func manyRows() throws {
    let index = try open()
    let ids = (0..<3000).map { number in
      RecordID(bytes: [UInt8(number % 256), UInt8(number / 256)] + [UInt8](repeating: 7, count: 14))
    }
    let stamp = StoreStamp(inode: 1, byteCount: 1, modified: 1, changed: 1)
    try index.begin()
    for id in ids {
      let row = IndexRow(
        id: id, kind: "login", name: id.text, revision: 1, createdAt: .now(), updatedAt: .now())
      try index.update(
        folder: id.folder, mark: nil, changed: [.record(row, IndexMark(stamp, readAt: .now()), RecordText())],
        removed: [])
    }
    try index.commit()
    #expect(try rows(index, .all(.name)).map(\.id) == ids.sorted())
    let other = RecordID(bytes: [UInt8](repeating: 9, count: 16))
    let some = [ids[2999], other, ids[1], ids[2000]] + ids[3..<1500]
    #expect(try rows(index, .some(some)).map(\.id) == some.filter { $0 != other })
  }

  @Test("names that may not be in normal form C are found by every name, and spoil the order")
  func irregularNames() throws {
    let index = try open()
    try fill(index, [record(1, "Zo\u{EB}"), record(2, "Zoe\u{308}"), record(3, "Ada")])
    #expect(try index.ids(named: "zo\u{EB}")?.count == 2)
    #expect(try index.ids(named: "ada")?.count == 2)
    #expect(try index.ids(named: "zoe\u{308}") == nil)
    #expect(try !index.isSortedByName())
  }

  @Test("a changed record replaces itself, a removed one goes, and the others stay")
  func updates() throws {
    let index = try open()
    try fill(index, [record(1, "Ada"), record(2, "Bea"), record(3, "Cid")])
    let gone = try record(2, "").id
    try index.begin()
    try index.update(folder: 3, mark: nil, changed: [record(3, "Adam")], removed: [gone])
    try index.commit()
    #expect(try answers(index) == [["1"], ["Ada", "Adam"], ["Ada", "Adam"], []])
    try index.begin()
    let mark = IndexMark(StoreStamp(inode: 1, byteCount: 1, modified: 1, changed: 1), readAt: .now())
    try index.update(folder: 3, mark: nil, changed: [.watched(record(1, "").id, mark)], removed: [])
    try index.commit()
    #expect(try names(index) == ["Adam"] && index.watched() == [record(1, "").id])
  }

  @Test("what was not committed is not there")
  func abandoning() throws {
    let index = try open()
    try index.begin()
    try index.update(folder: 3, mark: nil, changed: [record(1, "Ada")], removed: [])
    index.abandon()
    #expect(try names(index).isEmpty)
  }

  @Test("the folder is its owner's alone, and so is the file")
  func modes() throws {
    _ = try open()
    #expect(FileTree.mode(of: place.directory) == 0o700 && FileTree.mode(of: place.path) == 0o600)
    #expect(FileTree.names(in: place.directory) == ["ab.sqlite3"])
  }

  @Test("the index of another vault or version is made anew")
  func identity() throws {
    try fill(open(), [record(1, "Ada")])
    #expect(try names(open()) == ["Ada"])
    #expect(try names(open([2])).isEmpty)
    try fill(open([2]), [record(1, "Bea")])
    #expect(try names(open([2])) == ["Bea"])
  }

  @Test("a link, a hard link, a folder, or a file that others may read is put away or not used")
  func foreignFiles() throws {
    try fill(open(), [record(1, "Ada")])
    let other = folder.path + "/other"
    let bytes = FileTree.contents(of: place.path) ?? []
    FileTree.write(bytes, to: other)
    FileTree.remove(place.path)
    FileTree.link(place.path, to: other)
    #expect(try names(open()).isEmpty && !FileTree.isLink(place.path))
    #expect(FileTree.contents(of: other) == bytes, "what the link led to was left alone")
    FileTree.setMode(0o640, of: place.path)
    #expect(try names(open()).isEmpty && FileTree.mode(of: place.path) == 0o600)
    FileTree.remove(place.path)
    FileTree.makeFolder(place.path)
    #expect(throws: IndexFailure.self) { try open() }
    FileTree.remove(place.path)
    FileTree.setMode(0o755, of: place.directory)
    #expect(throws: IndexFailure.self) { try open() }
  }

  @Test("a file that is no database, of another program, or cut off is made anew")
  func foreignContent() throws {
    try fill(open(), (0..<60).map { try record($0, "Ada \($0)") })
    let good = FileTree.contents(of: place.path) ?? []
    let contents: [[UInt8]] =
      [Array("hello".utf8), [UInt8](repeating: 0xA5, count: 9000), Array(good.prefix(100)), Array(good.prefix(5000))]
    for content in contents {
      FileTree.write(content, to: place.path)
      // A page that is cut off is noticed when it is asked for.
      _ = try? answers(open())
      #expect(try answers(open()) == [["0"], [], [], []])
    }
  }

  @Test("damage anywhere is a failure, never another answer, as far as what is shown or searched goes")
  func damage() throws {
    let records = try (0..<60).map { try record($0, "Ada \($0)") }
    try fill(open(), records)
    let good = FileTree.contents(of: place.path) ?? []
    let expected = try answers(open())
    var random = SeededGenerator.announced(for: "index damage")
    var failures = 0
    for _ in 0..<300 {
      var damaged = good
      damaged[Int.random(in: 0..<good.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      FileTree.write(damaged, to: place.path)
      do {
        let found = try answers(open())
        // The tree of keys is SQLite's: a key that is another there may only change the order, or hide a row.
        #expect(found == expected || found == [["0"], [], [], []] || Set(found[1]).isSubset(of: expected[1]))
      } catch {
        failures += 1
      }
    }
    #expect(failures > 0)
  }
}
