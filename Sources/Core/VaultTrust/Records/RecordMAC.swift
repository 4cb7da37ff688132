internal import VaultDocument

/// The MAC of a record, 32 bytes, stored in place, because a large vault has one for each record.
package struct RecordMAC: Hashable, Sendable {
  static let byteCount = 32

  private let words: InlineArray<4, UInt64>

  init(_ bytes: [UInt8]) {
    // Readers check the size of their input.
    precondition(bytes.count == Self.byteCount, "a MAC has 32 bytes")
    words = InlineArray { word in
      bytes[word * 8..<word * 8 + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  init(words: InlineArray<4, UInt64>) { self.words = words }

  /// One of four numbers; the first byte is the highest.
  subscript(word index: Int) -> UInt64 { words[index] }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(addingCapacity: Self.byteCount) { output in
      for index in 0..<Self.byteCount {
        output.append(UInt8(truncatingIfNeeded: words[index >> 3] >> (56 - UInt64(index & 7) * 8)))
      }
    }
    return bytes
  }

  package static func == (left: RecordMAC, right: RecordMAC) -> Bool {
    left.words.indices.allSatisfy { left.words[$0] == right.words[$0] }
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(words[0]) }
}
