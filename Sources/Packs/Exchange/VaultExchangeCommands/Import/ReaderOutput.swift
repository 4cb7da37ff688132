import VaultDocument
import VaultExchange
import VaultTerminal

/// Writes the lines of a reader to standard output.
///
/// Only one thread uses it at a time: an importer asks for the passphrase while it reads.
final class ReaderOutput: @unchecked Sendable {
  /// The maximum number of leaves without a record on one line. Long paths reduce it.
  private static let leafCount = 1000
  private static let pathByteCount = 1 << 20

  private var buffer = OutputBuffer { try Output.write($0) }
  private(set) var counts = ReaderCounts()
  /// Whether the file could not be read to its end.
  private(set) var isStopped = false
  private var percents = 0

  func begin(_ format: String) throws { try writeNow(.begin(format: format)) }

  func asks() throws { try writeNow(.asks) }

  /// Reports the part of the file that was read, from 0 to 1. A fault of the pipe also fails the next line.
  func read(_ share: Double) {
    let percents = Int(share * 100)
    guard percents > self.percents, percents < 100 else { return }
    self.percents = percents
    try? write(.read(percents))
  }

  func write(_ item: ImportedItem) throws {
    switch item {
    case .record(let record): try write(record)
    case .leaves(let lines): try write(leaves: lines[...])
    case .refused(let place, let reason, let lines):
      var rest = lines[...]
      try take(.refused(place, reason: reason, lines: Self.some(of: &rest)))
      try write(leaves: rest)
    }
  }

  func stop(_ fault: SourceFault) throws {
    isStopped = true
    try write(.stopped(fault))
  }

  func fail(_ error: CommandError) throws { try writeNow(.failed(error)) }

  func end() throws { try writeNow(.end(counts)) }

  private func write(_ record: ImportedRecord) throws {
    if let bytes = try? ReaderLine.item(.record(record)).bytes(), bytes.count <= ReaderLimits.lineByteCount {
      counts.add(.record(record))
      return try buffer.append(bytes)
    }
    let reason = "the entry is larger or deeper than a record can be"
    let lines = record.lines.map { $0.refused(reason) }
    try write(.refused(record.place, reason: reason, lines: lines))
  }

  private func write(leaves: ArraySlice<LedgerLine>) throws {
    var rest = leaves
    while !rest.isEmpty { try take(.leaves(Self.some(of: &rest))) }
  }

  /// Removes as many leaves as fit into a line, and returns them.
  private static func some(of rest: inout ArraySlice<LedgerLine>) -> [LedgerLine] {
    var some: [LedgerLine] = []
    var byteCount = 0
    while some.count < leafCount, byteCount < pathByteCount, let line = rest.popFirst() {
      byteCount += line.place.path.utf8.count
      some.append(line)
    }
    return some
  }

  private func take(_ item: ImportedItem) throws {
    counts.add(item)
    try write(.item(item))
  }

  private func write(_ line: ReaderLine) throws { try buffer.append(try line.bytes()) }

  private func writeNow(_ line: ReaderLine) throws {
    try write(line)
    try buffer.flush()
  }
}
