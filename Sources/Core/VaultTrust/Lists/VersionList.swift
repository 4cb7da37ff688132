package import VaultDocument

/// Versions of records, in the order of their ids, each id once.
package final class VersionList: Sendable {
  package let count: Int
  private let rows: SpilledBytes
  /// The first entry of each folder, and the end of the last.
  private let starts: [Int]

  fileprivate init(_ rows: SpilledBytes, countsByFolder: [Int]) {
    self.rows = rows
    starts = countsByFolder.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }
    count = rows.count / RecordVersion.rowByteCount
  }

  /// A list of entries in any order; of equal ids, the one with the highest revision counts.
  package convenience init(_ entries: [RecordVersion]) {
    var builder = Builder()
    for entry in Self.newest(of: entries) { builder.append(entry) }
    self.init(builder.rows.finish(), countsByFolder: builder.counts)
  }

  private static func newest(of entries: [RecordVersion]) -> [RecordVersion] {
    var list: [RecordVersion] = []
    list.reserveCapacity(entries.count)
    for entry in entries.sorted(by: { $0.id != $1.id ? $0.id < $1.id : $0.revision < $1.revision }) {
      if list.last?.id == entry.id { list.removeLast() }
      list.append(entry)
    }
    return list
  }

  package var isEmpty: Bool { count == 0 }

  package var folders: [UInt8] { (UInt8.min...UInt8.max).filter { !range(of: $0).isEmpty } }

  private func range(of folder: UInt8) -> Range<Int> { starts[Int(folder)]..<starts[Int(folder) + 1] }

  /// The entries of one folder of records, by the first byte of their ids.
  package func entries(inFolder folder: UInt8) throws(VaultError) -> [RecordVersion] {
    try entries(range(of: folder))
  }

  package func all() throws(VaultError) -> [RecordVersion] { try entries(0..<count) }

  private func entries(_ range: Range<Int>) throws(VaultError) -> [RecordVersion] {
    let size = RecordVersion.rowByteCount
    let bytes = try rows.read(range.lowerBound * size..<range.upperBound * size)
    return range.indices.map { RecordVersion(bytes, at: ($0 - range.lowerBound) * size) }
  }

  package func forEachPiece(_ body: ([RecordVersion]) throws(VaultError) -> Void) throws(VaultError) {
    let pieceCount = 1 << 10
    for start in stride(from: 0, to: count, by: pieceCount) {
      try body(entries(start..<min(start + pieceCount, count)))
    }
  }

  /// The entry of a record; nil if there is no entry.
  package func entry(of id: RecordID) throws(VaultError) -> RecordVersion? {
    var range = range(of: id.folder)
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      let entry = try entries(middle..<middle + 1)[0]
      if entry.id == id { return entry }
      range = entry.id < id ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }

  /// The list with more entries, in any order; of equal ids, the one with the highest revision counts.
  package func merged(with others: [RecordVersion]) throws(VaultError) -> VersionList {
    guard !others.isEmpty else { return self }
    let others = VersionList(others)
    var builder = Builder()
    for folder in UInt8.min...UInt8.max {
      let (own, new) = (try entries(inFolder: folder), try others.entries(inFolder: folder))
      for entry in new.isEmpty ? own : Self.newest(of: own + new) { builder.append(entry) }
    }
    return builder.finish()
  }
}

extension VersionList {
  /// Makes a list of entries that come in the order of their ids.
  package struct Builder {
    fileprivate var counts = [Int](repeating: 0, count: 256)
    fileprivate var rows = SpilledBytes.Builder()
    private(set) var last: RecordID?

    package init() {}

    /// - Precondition: its id comes after all earlier ones.
    package mutating func append(_ entry: RecordVersion) {
      precondition(last.map { $0 < entry.id } ?? true, "entries come in the order of their ids")
      last = entry.id
      counts[Int(entry.id.folder)] += 1
      rows.append(entry.row)
    }

    package consuming func finish() -> VersionList { VersionList(rows.finish(), countsByFolder: counts) }
  }
}

extension RecordVersion {
  /// The size of an entry in memory: seven numbers, the highest byte first. Only this process reads it.
  fileprivate static let rowByteCount = 56

  fileprivate var row: [UInt8] {
    [UInt8](capacity: Self.rowByteCount) { output in
      output.append(highest: 8, of: id.halves.0)
      output.append(highest: 8, of: id.halves.1)
      output.append(highest: 8, of: UInt64(revision))
      for index in 0..<4 { output.append(highest: 8, of: recordMAC[word: index]) }
    }
  }

  fileprivate init(_ bytes: [UInt8], at start: Int) {
    func word(_ index: Int) -> UInt64 {
      let first = start + 8 * index
      return (first..<first + 8).reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
    }
    self.init(
      id: RecordID(halves: (word(0), word(1))), revision: Int(word(2)),
      mac: RecordMAC(words: [word(3), word(4), word(5), word(6)]))
  }
}
