/// The encoding of an age file.
public enum AgeEncoding: Sendable {
  /// Raw bytes.
  case binary
  /// The text form of `AgeArmor`.
  case armored
  /// Binary or armored, detected from the start of the input.
  case detected
}

/// The bytes of an age file from a stream, binary or armored, in constant memory.
struct AgeInput {
  private(set) var queue = ByteQueue()
  private var armor: ArmorDecoder?

  init() {}

  /// Reads the beginning if the encoding must be detected, else nothing yet.
  init(_ encoding: AgeEncoding, from read: AgeRead) throws(AgeError) {
    var raw = ByteQueue()
    switch encoding {
    case .binary: queue = raw
    case .armored: armor = ArmorDecoder()
    case .detected:
      try raw.fill(AgeArmor.maximumWhiteSpaceCount + AgeArmor.begin.utf8CodeUnitCount, from: read)
      let bytes = RawSpan(_elements: raw.storage.span).extracting(raw.range)
      if AgeArmor.isBegun(in: bytes) { armor = ArmorDecoder(queue: raw) } else { queue = raw }
    }
  }

  /// Reads until the queue has `count` bytes or the input ends.
  mutating func fill(_ count: Int, from read: AgeRead) throws(AgeError) {
    guard var decoder = armor else { return try queue.fill(count, from: read) }
    // The queue's array is handed out once for many lines; moving it per line would cost more than decoding.
    let missing = count - queue.count
    guard missing > 0 else { return }
    try queue.append { (file) throws(AgeError) in
      let target = file.count + missing
      while file.count < target, try decoder.decodeLine(to: &file, from: read) {}
    }
    armor = decoder
  }

  mutating func consume(_ count: Int) { queue.consume(count) }
}
