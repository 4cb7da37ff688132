internal import VaultDocument

/// The MAC of a record, 32 bytes, held in place: of a large vault there are as many as records.
struct RecordMAC: Hashable, Sendable {
  static let byteCount = 32

  private let words: InlineArray<4, UInt64>

  init(_ bytes: [UInt8]) {
    // Readers check the size of what they read.
    precondition(bytes.count == Self.byteCount, "a MAC has 32 bytes")
    words = InlineArray { word in
      bytes[word * 8..<word * 8 + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  init(words: InlineArray<4, UInt64>) { self.words = words }

  /// One of four numbers, the highest byte being the first.
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

  static func == (left: RecordMAC, right: RecordMAC) -> Bool {
    left.words.indices.allSatisfy { left.words[$0] == right.words[$0] }
  }

  func hash(into hasher: inout Hasher) { hasher.combine(words[0]) }
}

extension RecordMAC {
  /// Reads base64; nil for anything but 32 bytes of it.
  init?(base64 text: String) {
    guard let bytes = try? Base64.decode(text), bytes.count == Self.byteCount else { return nil }
    self.init(bytes)
  }
}

extension JSONValue {
  /// The version of a record as lists have it, `[revision, "<mac>"]`; nil for any other value.
  var version: (revision: Int, mac: RecordMAC)? {
    guard case .array(let pair) = self, pair.count == 2 else { return nil }
    return Self.version(pair[0], pair[1])
  }

  /// The same from its two parts.
  static func version(_ revision: JSONValue, _ mac: JSONValue) -> (revision: Int, mac: RecordMAC)? {
    guard let revision = revision.int, revision >= 1, let mac = mac.string.flatMap(RecordMAC.init(base64:)) else {
      return nil
    }
    return (revision, mac)
  }
}
