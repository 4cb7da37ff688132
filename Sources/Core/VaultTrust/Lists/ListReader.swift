internal import VaultDocument

/// Reads a list as its bytes come, line by line (format 1, section 2.3, Lists): of a long one no more is in memory than
/// a line, and the piece that it came in.
package struct ListReader: ~Copyable {
  private let file: String
  private var hasher: ItemHasher
  /// The beginning of a line whose end has not come.
  private var line: [UInt8] = []
  /// The first line, once it was there.
  package private(set) var head: ListHead?

  /// An item has at most so many bytes.
  private static let itemByteLimit = 4 << 10

  package init(file: String) throws(VaultError) {
    self.file = file
    hasher = try ItemHasher()
  }

  /// Takes the next bytes.
  ///
  /// - Parameter item: is given each line behind the first, without its end.
  package mutating func take(
    _ bytes: [UInt8], item: (ArraySlice<UInt8>) throws(VaultError) -> Void = { _ in }
  ) throws(VaultError) {
    var rest = bytes[...]
    if head == nil {
      guard let whole = try nextLine(of: &rest, limit: ListHead.byteLimit) else { return }
      head = try ListHead(parsing: Array(whole), file: file)
    }
    try hasher.take(Array(rest))
    while let whole = try nextLine(of: &rest, limit: Self.itemByteLimit) {
      guard whole.first == UInt8(ascii: "[") else { throw try refused(whole) }
      try item(whole)
    }
  }

  /// Takes a line and its end off the text; nil where its end is not there, and what is there is kept.
  private mutating func nextLine(of text: inout ArraySlice<UInt8>, limit: Int) throws(VaultError) -> ArraySlice<UInt8>?
  {
    let end = text.firstIndex(of: UInt8(ascii: "\n"))
    let part = text[..<(end ?? text.endIndex)]
    guard line.count + part.count <= limit else { throw try refused(line[...] + part) }
    text = end.map { text[($0 + 1)...] } ?? []
    if line.isEmpty, end != nil { return part }
    line += part
    guard end != nil else { return nil }
    defer { line = [] }
    return line[...]
  }

  private func refused(_ line: ArraySlice<UInt8>) throws(VaultError) -> VaultError {
    try VaultError.requireNoConflict(Array(line), file: file)
    return VaultError(.damaged, "has a line of another form", file: file)
  }

  /// The head, once all bytes were taken, and the items are those that it names.
  package consuming func finish() throws(VaultError) -> ListHead {
    guard let head, line.isEmpty else { throw VaultError(.damaged, "does not end with a whole line", file: file) }
    guard try hasher.finish() == head.itemHash() else {
      throw VaultError(.damaged, "has other lines than its first one says", file: file)
    }
    return head
  }
}
