internal import VaultDocument

/// Reads a list from its bytes, line by line (format 1, section 2.3, Lists). At most one line and one piece of input
/// are in memory.
package struct ListReader: ~Copyable {
  private let file: String
  private var hasher: ItemHasher
  /// The beginning of a line whose end has not come yet.
  private var line: [UInt8] = []
  /// The first line, once it was read.
  package private(set) var head: ListHead?

  private static let itemByteLimit = 4 << 10

  package init(file: String) throws(VaultError) {
    self.file = file
    hasher = try ItemHasher()
  }

  /// Adds the next bytes. Only ``finish()`` compares the items with the hash in the first line.
  ///
  /// - Parameter item: gets each line after the first, without its end.
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

  /// Removes a line with its end from the text; nil if the end is missing, and then the part is kept.
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
    return VaultError(.damaged, "has a line that does not have the expected form", file: file)
  }

  /// The head, after all bytes were added and the items match its hash.
  package consuming func finish() throws(VaultError) -> ListHead {
    guard let head, line.isEmpty else { throw VaultError(.damaged, "does not end with a whole line", file: file) }
    guard try hasher.finish() == head.itemHash() else {
      throw VaultError(.damaged, "has lines that do not match its first line", file: file)
    }
    return head
  }
}
