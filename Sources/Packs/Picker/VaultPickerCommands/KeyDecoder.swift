package enum Key: Equatable {
  case text(Character)
  /// With Ctrl; the letter in lower case.
  case control(Character)
  case up, down, pageUp, pageDown, home, end, enter, tab, backspace, escape
}

/// Decodes keys from the bytes of a terminal, which may arrive in pieces.
package struct KeyDecoder {
  private static let escapeByte: UInt8 = 0x1B
  /// No key has a longer sequence.
  private static let maximumByteCount = 32

  private var bytes: [UInt8] = []
  /// Whether the input is pasted text, in which no key is a command.
  private var isPasting = false

  package init() {}

  /// Whether the bytes are either Esc or the beginning of a longer sequence.
  package var isUndecided: Bool { bytes.first == Self.escapeByte }

  /// The keys that end within these bytes.
  package mutating func keys(in more: some Sequence<UInt8>) -> [Key] {
    bytes += more
    var keys: [Key] = []
    while let (key, count) = next() {
      bytes.removeFirst(count)
      if let key, !isPasting || key.isText { keys.append(key) }
    }
    return keys
  }

  /// The pending key, after a pause without input.
  package mutating func keysAtRest() -> [Key] {
    guard isUndecided else { return [] }
    defer { bytes.removeAll() }
    return bytes.count == 1 && !isPasting ? [.escape] : []
  }

  /// The next key and its length; the key is nil for meaningless bytes. The result is nil if more bytes must come.
  private mutating func next() -> (key: Key?, count: Int)? {
    guard let first = bytes.first else { return nil }
    switch first {
    case Self.escapeByte: return sequence()
    case 0x0D, 0x0A: return (.enter, 1)
    case 0x09: return (.tab, 1)
    case 0x7F, 0x08: return (.backspace, 1)
    case 0x01...0x1A: return (.control(Character(Unicode.Scalar(first + 0x60))), 1)
    case 0x00..<0x20: return (nil, 1)
    default: return character()
    }
  }

  private func character() -> (key: Key?, count: Int)? {
    let count: Int
    switch bytes[0] {
    case 0x00..<0x80: count = 1
    case 0xC2..<0xE0: count = 2
    case 0xE0..<0xF0: count = 3
    case 0xF0..<0xF5: count = 4
    default: return (nil, 1)
    }
    let rest = bytes[1...].prefix(count - 1)
    if let wrong = rest.firstIndex(where: { $0 & 0xC0 != 0x80 }) { return (nil, wrong) }
    guard bytes.count >= count else { return nil }
    guard let text = String(validating: bytes[..<count], as: UTF8.self), let character = text.first else {
      return (nil, count)
    }
    // C1 control characters have two bytes and are not text.
    return (text.unicodeScalars.allSatisfy { $0.value < 0x80 || $0.value > 0x9F } ? .text(character) : nil, count)
  }

  /// A sequence after Esc: `Esc [ … letter` and `Esc O letter`. Esc with any other key has no meaning here.
  private mutating func sequence() -> (key: Key?, count: Int)? {
    guard bytes.count > 1 else { return nil }
    switch bytes[1] {
    case Self.escapeByte: return (.escape, 1)
    case UInt8(ascii: "O"):
      guard bytes.count > 2 else { return nil }
      // A key of the numeric keypad.
      return (bytes[2] == UInt8(ascii: "M") ? .enter : Self.key(of: bytes[2], []), 3)
    case UInt8(ascii: "["):
      guard let end = bytes[2...].firstIndex(where: { !(0x20...0x3F).contains($0) }) else {
        return bytes.count > Self.maximumByteCount ? (nil, bytes.count) : nil
      }
      // A byte that cannot end the sequence belongs to the next key.
      guard (0x40...0x7E).contains(bytes[end]) else { return (nil, end) }
      let parameters = bytes[2..<end]
      if bytes[end] == UInt8(ascii: "~") {
        if parameters.elementsEqual("200".utf8) { isPasting = true }
        if parameters.elementsEqual("201".utf8) { isPasting = false }
      }
      return (Self.key(of: bytes[end], parameters), end + 1)
    default: return (nil, bytes[1] < 0x80 ? 2 : 1)
    }
  }

  private static func key(of final: UInt8, _ parameters: ArraySlice<UInt8>) -> Key? {
    switch final {
    case UInt8(ascii: "A"): .up
    case UInt8(ascii: "B"): .down
    case UInt8(ascii: "H"): .home
    case UInt8(ascii: "F"): .end
    case UInt8(ascii: "~"):
      switch String(decoding: parameters.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self) {
      case "1", "7": .home
      case "4", "8": .end
      case "5": .pageUp
      case "6": .pageDown
      default: nil
      }
    default: nil
    }
  }
}

extension Key {
  var isText: Bool { if case .text = self { true } else { false } }
}
