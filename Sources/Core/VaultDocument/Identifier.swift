/// Sixteen bytes that name a vault, a record or a slot; written as a lower-case UUID.
///
/// Version and variant bits are neither set nor checked. Identifiers are compared and sorted by their bytes.
public struct Identifier: BitwiseCopyable, Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The size in bytes.
  public static let byteCount = 16

  private let high: UInt64
  private let low: UInt64

  private init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Takes exactly 16 bytes.
  public init(bytes: [UInt8]) {
    // Another count is a mistake of our own code.
    precondition(bytes.count == Self.byteCount, "an identifier has 16 bytes")
    self.init(high: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }, low: bytes[8...].reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// Takes the first 16 bytes of a buffer.
  @unsafe package init(unaligned bytes: UnsafeRawBufferPointer) {
    self.init(
      high: UInt64(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
      low: UInt64(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }

  /// Reads a lower-case UUID; nil for any other text.
  public init?(parsing text: String) { self.init(parsing: text.utf8Span.span) }

  /// Reads a lower-case UUID from the bytes of a text.
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

  /// Sixteen random bytes from the system's generator.
  public static func random() -> Identifier {
    var generator = SystemRandomNumberGenerator()
    return Identifier(high: generator.next(), low: generator.next())
  }

  /// The 16 raw bytes.
  public var bytes: [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
      let target = UnsafeMutableRawBufferPointer(buffer)
      unsafe target.storeBytes(of: high.bigEndian, as: UInt64.self)
      unsafe target.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
      count = Self.byteCount
    }
  }

  func appendBytes(to bytes: inout [UInt8]) {
    bytes.append(addingCapacity: Self.byteCount) { output in
      output.append(highest: 8, of: high)
      output.append(highest: 8, of: low)
    }
  }

  /// The bytes as two big-endian numbers.
  package var halves: (UInt64, UInt64) { (high, low) }

  package init(halves: (UInt64, UInt64)) { (high, low) = halves }

  /// The lower-case UUID, 36 characters.
  public var text: String { text(followedBy: "") }

  /// The text followed by `suffix`, made in one step because long lists of names use it.
  package func text(followedBy suffix: StaticString) -> String {
    let byteCount = Self.textByteCount + suffix.utf8CodeUnitCount
    return unsafe String(unsafeUninitializedCapacity: byteCount) { output in
      unsafe write(to: UnsafeMutableRawBufferPointer(output))
      // Safe: all suffixes are ASCII literals, and the buffer has room for them.
      for index in 0..<suffix.utf8CodeUnitCount {
        unsafe output[Self.textByteCount + index] = suffix.utf8Start[index]
      }
      return byteCount
    }
  }

  /// The path `<folder>/<two digits>/<text><suffix>`; folder and suffix are ASCII.
  package func path(below folder: StaticString, followedBy suffix: StaticString) -> String {
    let count = folder.utf8CodeUnitCount + 4 + Self.textByteCount + suffix.utf8CodeUnitCount
    let bytes = [UInt8](capacity: count) { path in
      for index in 0..<folder.utf8CodeUnitCount { unsafe path.append(folder.utf8Start[index]) }
      path.append(UInt8(ascii: "/"))
      path.append(Hex.digit(self.folder >> 4))
      path.append(Hex.digit(self.folder & 15))
      path.append(UInt8(ascii: "/"))
      unsafe path.withUnsafeMutableBufferPointer { buffer, count in
        unsafe write(to: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...]))
        count += Self.textByteCount
      }
      for index in 0..<suffix.utf8CodeUnitCount { unsafe path.append(suffix.utf8Start[index]) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  package func appendText(to bytes: inout [UInt8]) {
    bytes.append(addingCapacity: Self.textByteCount) { output in
      unsafe output.withUnsafeMutableBufferPointer { buffer, count in
        unsafe write(to: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...]))
        count += Self.textByteCount
      }
    }
  }

  private static let textByteCount = 36

  /// Writes the text to the start of a buffer that has room for it.
  private func write(to text: UnsafeMutableRawBufferPointer) {
    precondition(text.count >= Self.textByteCount, "an identifier has 36 digits and hyphens")
    let (second, third) = (Hex.digits(of: UInt32(truncatingIfNeeded: high)), Hex.digits(of: UInt32(low >> 32)))
    unsafe text.storeBytes(of: Hex.digits(of: UInt32(high >> 32)).bigEndian, as: UInt64.self)
    unsafe text.storeBytes(of: UInt32(second >> 32).bigEndian, toByteOffset: 9, as: UInt32.self)
    unsafe text.storeBytes(of: UInt32(truncatingIfNeeded: second).bigEndian, toByteOffset: 14, as: UInt32.self)
    unsafe text.storeBytes(of: UInt32(third >> 32).bigEndian, toByteOffset: 19, as: UInt32.self)
    unsafe text.storeBytes(of: UInt32(truncatingIfNeeded: third).bigEndian, toByteOffset: 24, as: UInt32.self)
    unsafe text.storeBytes(
      of: Hex.digits(of: UInt32(truncatingIfNeeded: low)).bigEndian, toByteOffset: 28, as: UInt64.self)
    let hyphen = UInt8(ascii: "-")
    unsafe (text[8], text[13], text[18], text[23]) = (hyphen, hyphen, hyphen, hyphen)
  }

  /// The first byte, which selects the record's folder.
  public var folder: UInt8 { byte(at: 0) }

  /// The first two digits of the text, which name the record's folder.
  public var folderName: String { Hex.encode([folder]) }

  /// The same as `text`.
  public var description: String { text }

  /// Order by bytes.
  public static func < (left: Identifier, right: Identifier) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }

  private static func isHyphen(_ index: Int) -> Bool { index == 8 || index == 13 || index == 18 || index == 23 }

  private func byte(at index: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: (index < 8 ? high : low) >> (56 - 8 * (index & 7)))
  }
}

extension OutputSpan<UInt8> {
  /// Appends the highest 1 to 8 bytes of a number.
  package mutating func append(highest count: Int, of bytes: UInt64) {
    guard freeCapacity >= 8 else {
      for index in 0..<count { append(UInt8(truncatingIfNeeded: bytes >> (56 - 8 * UInt64(index)))) }
      return
    }
    precondition((0...8).contains(count), "a number of 64 bits has eight bytes")
    // Safe: there is room for eight bytes, and `count` of them become initialised.
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
/// Names one written version of an attachment.
public typealias AttachmentID = Identifier
/// Names a deposit, and the record that it becomes.
public typealias DepositID = Identifier
