import Testing
import VaultDocument
import VaultStorage
import VaultTestSupport
import VaultIndex

@Suite("Rows in an order") struct IndexRowsTests {
  private let mark = IndexMark(nil, readAt: .now())

  /// Records in two folders, the numbers of which are those of their names.
  private func folders(_ names: [String], at seconds: [Int64] = []) throws -> [IndexedFolder] {
    try [UInt8(0), 1].map { number in
      var folder = IndexedFolder(mark)
      for index in names.indices where index % 2 == Int(number) {
        let id = RecordID(bytes: [number, UInt8(index / 256), UInt8(index % 256)] + [UInt8](repeating: 0, count: 13))
        let created = try Timestamp(
          secondsSinceEpoch: seconds.isEmpty ? 0 : seconds[index / 2], nanoseconds: Int32(index % 3))
        folder.append(
          IndexRow(
            id: id, kind: "login", name: names[index], revision: index, createdAt: created,
            updatedAt: .now()), mark: mark, text: RecordText())
      }
      return folder
    }
  }

  @Test("names are in the order of their bytes in lower case, then of ids, whatever the limit is")
  func names() throws {
    var random = SeededGenerator.announced(for: "index rows")
    let pieces = ["a", "A", "b", "", "\0", "customer ", "1234567", "é", "東", "\u{7F}"]
    for _ in 0..<20 {
      let names = (0..<300).map { _ in
        (0..<Int.random(in: 0...4, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      }
      let folders = try folders(names)
      let ids = folders.flatMap { folder in folder.indices.map(folder.row) }
      let expected = ids.sorted { left, right in
        let (own, other) = (Array(left.name.lowercased().utf8), Array(right.name.lowercased().utf8))
        return own == other ? left.id < right.id : own.lexicographicallyPrecedes(other)
      }.map(\.revision)
      #expect(IndexRows(folders, by: .name).map(\.revision) == expected)
      let limit = Int.random(in: 0...310, using: &random)
      #expect(IndexRows(folders, by: .name, limit: limit).map(\.revision) == Array(expected.prefix(limit)))
      let first = folders.map { $0.keepingFirst(limit, by: .name) }
      #expect(IndexRows(first, by: .name, limit: limit).map(\.revision) == Array(expected.prefix(limit)))
    }
  }

  @Test("times are in order from the newest, before 1970 as well, to the nanosecond")
  func times() throws {
    let seconds: [Int64] = [5, -5, 0, 253_402_300_799, -62_135_596_800, 5, 1]
    let folders = try folders((0..<14).map { "\($0)" }, at: seconds)
    let rows = folders.flatMap { folder in folder.indices.map(folder.row) }
    let expected = rows.sorted { left, right in
      left.createdAt == right.createdAt ? left.id < right.id : left.createdAt > right.createdAt
    }
    #expect(IndexRows(folders, by: .created).map(\.revision) == expected.map(\.revision))
  }

  @Test("the first of many rows are those of all of them, however long their names are alike")
  func manyRows() throws {
    var random = SeededGenerator.announced(for: "many index rows")
    let names = (0..<5000).map { _ in "Customer 0000\(Int.random(in: 0..<2500, using: &random))" }
    let folders = try folders(names)
    let all = IndexRows(folders, by: .name).map(\.revision)
    #expect(all.count == 5000)
    for limit in [1, 20, 700, 4999, 5000, .max] {
      #expect(IndexRows(folders, by: .name, limit: limit).map(\.revision) == Array(all.prefix(limit)))
    }
    let long = String(repeating: "x", count: 1_000_000)
    #expect(IndexRows(try self.folders([long + "b", long, long + "a"]), by: .name).map(\.revision) == [1, 2, 0])
  }
}
