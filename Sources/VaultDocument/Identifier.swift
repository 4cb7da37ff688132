/// Sixteen bytes that name a vault, a record or a slot; written as a lower-case UUID.
///
/// Version and variant bits are neither set nor checked. Compared and sorted as bytes.
public struct Identifier: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// How many bytes an identifier has.
  public static let byteCount = 16

  private let high: UInt64
  private let low: UInt64

  private init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Takes exactly 16 bytes.
  public init(bytes: [UInt8]) {
    // Bytes of another count come from code of ours that did not check them first.
    precondition(bytes.count == Self.byteCount, "an identifier has 16 bytes")
    self.init(high: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }, low: bytes[8...].reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// Takes the 16 bytes at the start of a buffer that has them.
  @unsafe package init(unaligned bytes: UnsafeRawBufferPointer) {
    self.init(
      high: UInt64(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
      low: UInt64(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }

  /// Reads a lower-case UUID, nil for any other text.
  public init?(parsing text: String) { self.init(parsing: text.utf8Span.span) }

  /// The same of a text's bytes.
  package init?(parsing digits: Span<UInt8>) {
    guard digits.count == 36 else { return nil }
    var words: (high: UInt64, low: UInt64) = (0, 0)
    for index in digits.indices {
      if Self.isHyphen(index) {
        guard digits[index] == UInt8(ascii: "-") else { return nil }
      } else {
        guard let value = Hex.lowerCaseValue(digits[index]) else { return nil }
        words = (words.high << 4 | words.low >> 60, words.low << 4 | UInt64(value))
      }
    }
    self.init(high: words.high, low: words.low)
  }

  /// Sixteen bytes from the system's generator.
  public static func random() -> Identifier {
    var generator = SystemRandomNumberGenerator()
    return Identifier(high: generator.next(), low: generator.next())
  }

  /// The 16 raw bytes.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(addingCapacity: Self.byteCount) { output in
      for index in 0..<Self.byteCount { output.append(byte(at: index)) }
    }
    return bytes
  }

  /// The same as two numbers, the first byte being the highest of the first.
  package var halves: (UInt64, UInt64) { (high, low) }

  /// Takes ``halves``.
  package init(halves: (UInt64, UInt64)) { (high, low) = halves }

  /// The lower-case UUID, 36 characters.
  public var text: String { text(followedBy: "") }

  /// The text, and `suffix` after it: long lists of names are made of it.
  package func text(followedBy suffix: StaticString) -> String {
    let byteCount = 36 + suffix.utf8CodeUnitCount
    return unsafe String(unsafeUninitializedCapacity: byteCount) { output in
      var count = 0
      for index in 0..<Self.byteCount {
        if Self.isHyphen(count) {
          unsafe output[count] = UInt8(ascii: "-")
          count += 1
        }
        let byte = byte(at: index)
        unsafe output[count] = Hex.digit(byte >> 4)
        unsafe output[count + 1] = Hex.digit(byte & 15)
        count += 2
      }
      // Safe: all suffixes are literals of ASCII, and the buffer has room for one.
      for index in 0..<suffix.utf8CodeUnitCount { unsafe output[count + index] = suffix.utf8Start[index] }
      return byteCount
    }
  }

  /// Appends the bytes of ``text``.
  package func appendText(to bytes: inout [UInt8]) {
    let digits = (Hex.digits(of: word(0)), Hex.digits(of: word(1)), Hex.digits(of: word(2)), Hex.digits(of: word(3)))
    bytes.append(addingCapacity: 36) { output in
      output.append(highest: 8, of: digits.0)
      output.append(UInt8(ascii: "-"))
      output.append(highest: 4, of: digits.1)
      output.append(UInt8(ascii: "-"))
      output.append(highest: 4, of: digits.1 << 32)
      output.append(UInt8(ascii: "-"))
      output.append(highest: 4, of: digits.2)
      output.append(UInt8(ascii: "-"))
      output.append(highest: 4, of: digits.2 << 32)
      output.append(highest: 8, of: digits.3)
    }
  }

  /// The first byte, which chooses the record's folder.
  public var folder: UInt8 { byte(at: 0) }

  /// The first two digits of the text, the name of the record's folder.
  public var folderName: String { Hex.encode([folder]) }

  /// The same as `text`.
  public var description: String { text }

  /// Order by bytes.
  public static func < (left: Identifier, right: Identifier) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }

  private static func isHyphen(_ index: Int) -> Bool { index == 8 || index == 13 || index == 18 || index == 23 }

  /// Four bytes, the first being the highest.
  private func word(_ index: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: (index < 2 ? high : low) >> (index & 1 == 0 ? 32 : 0))
  }

  private func byte(at index: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: (index < 8 ? high : low) >> (56 - 8 * (index & 7)))
  }
}

extension OutputSpan<UInt8> {
  /// Appends the highest bytes of a number, 1…8.
  package mutating func append(highest count: Int, of bytes: UInt64) {
    guard freeCapacity >= 8 else {
      for index in 0..<count { append(UInt8(truncatingIfNeeded: bytes >> (56 - 8 * UInt64(index)))) }
      return
    }
    precondition((0...8).contains(count), "a number of 64 bits has eight bytes")
    // Safe: there is room for eight bytes, of which only `count` are said to be there.
    unsafe withUnsafeMutableBufferPointer { buffer, initializedCount in
      let rest = UnsafeMutableRawBufferPointer(buffer)
      unsafe rest.storeBytes(of: bytes.bigEndian, toByteOffset: initializedCount, as: UInt64.self)
      initializedCount += count
    }
  }
}

/// Names a record.
public typealias RecordID = Identifier
/// Names a vault.
public typealias VaultID = Identifier
/// Names a slot.
public typealias SlotID = Identifier
