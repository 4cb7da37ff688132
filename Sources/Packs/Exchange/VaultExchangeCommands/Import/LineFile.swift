import VaultDocument
import VaultKit
import VaultSystem
import VaultTerminal

/// The lines of a text that are not blank.
struct Lines: Sequence, IteratorProtocol {
  struct Line {
    let bytes: [UInt8]
    /// From 1, with blank lines counted.
    let number: Int
  }

  /// The limit of a line in memory. A longer line ends the sequence.
  static let byteLimit = JSONLimits.record.byteCount

  private let nextPiece: () -> [UInt8]
  private var piece: [UInt8]
  private var position = 0
  private var number = 0
  /// Nil for text that is already in memory.
  private let limit: Int?
  private(set) var hasTooLong = false

  /// The lines of text in memory.
  init(of bytes: [UInt8]) {
    (nextPiece, limit) = ({ [] }, nil)
    piece = bytes
  }

  /// - Parameters:
  ///   - next: returns the next piece of the text; empty at its end.
  ///   - limit: the maximum length of a line.
  init(from next: @escaping () -> [UInt8], limit: Int = Self.byteLimit) {
    (nextPiece, self.limit) = (next, limit)
    piece = []
  }

  mutating func next() -> Line? {
    while let line = nextOrBlank() {
      number += 1
      if !line.allSatisfy(Self.isBlank) { return Line(bytes: line, number: number) }
    }
    return nil
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
  }

  /// The next line, without its line feed; nil at the end.
  private mutating func nextOrBlank() -> [UInt8]? {
    var line: [UInt8] = []
    while true {
      if position == piece.count {
        (piece, position) = (nextPiece(), 0)
        if piece.isEmpty { return line.isEmpty ? nil : line }
      }
      guard let end = System.firstLineFeed(in: piece, from: position) else {
        line += piece[position...]
        position = piece.count
        hasTooLong = limit.map { line.count > $0 } ?? false
        if hasTooLong { return nil }
        continue
      }
      defer { position = end + 1 }
      return line.isEmpty ? Array(piece[position..<end]) : line + piece[position..<end]
    }
  }
}

/// The lines of a file. Each iteration reads the file again, so a file of any size needs no memory.
final class LineFile: Sequence {
  /// How many lines are not blank.
  let count: Int
  private let file: NamedFile
  private let state: FileStatus

  /// - Parameter state: the status of the file, which must be a regular one, because others can be read only once.
  init(_ file: consuming NamedFile, _ state: FileStatus) throws {
    self.file = file
    self.state = state
    let path = self.file.path
    let reading = Reading(self.file.descriptor, path)
    var (lines, count) = (Lines(from: reading.next), 0)
    while lines.next() != nil { count += 1 }
    if let failure = reading.failure { throw failure }
    guard !lines.hasTooLong else {
      throw CommandError(
        .inputRefused, "input_refused", subject: path,
        "has a line of more than \(Lines.byteLimit >> 20) MiB, and no record is that long",
        hints: ["if the line is an array of records, use `vault import json`"])
    }
    self.count = count
  }

  /// Returns as many elements as were counted. A missing or changed element reports that.
  func makeIterator() -> some IteratorProtocol<ImportElement> {
    let reading = Reading(file.descriptor, file.path)
    var lines = Lines(from: reading.next)
    var rest = count
    return AnyIterator { [self] in
      guard rest > 0 else { return nil }
      rest -= 1
      let line = lines.next()
      if let line, rest > 0 || isUnchanged {
        return ImportElement(line.bytes, line: line.number)
      }
      let isRead = reading.failure == nil
      let reason = isRead ? "the file was changed while it was read" : "the rest of the file cannot be read"
      return ImportElement(gone: VaultError(isRead ? .changedUnderneath : .ioFailed, reason, file: file.path))
    }
  }

  private var isUnchanged: Bool {
    guard let now = System.state(of: file.descriptor) else { return false }
    return (now.byteCount, now.modified) == (state.byteCount, state.modified)
  }

  /// One pass through the file.
  private final class Reading {
    private(set) var failure: SystemError?
    private let descriptor: Int32
    private let path: String
    private var offset = 0

    init(_ descriptor: Int32, _ path: String) { (self.descriptor, self.path) = (descriptor, path) }

    func next() -> [UInt8] {
      do throws(SystemError) {
        var piece = [UInt8](repeating: 0, count: 1 << 18)
        let count = try System.files.readPiece(of: descriptor, from: offset, into: &piece, at: path)
        piece.removeLast(piece.count - count)
        offset += count
        return piece
      } catch {
        failure = error
        return []
      }
    }
  }
}
