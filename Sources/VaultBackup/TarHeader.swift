/// The block before a file in an archive: POSIX ustar (IEEE Std 1003.1, pax, "ustar Interchange Format"), in the one spelling
/// that format 1 allows (section 14.1).
struct TarHeader: Equatable {
  static let byteCount = 512

  let name: String
  let fileByteCount: Int
  /// When the backup was made, in seconds since 1970.
  let modified: Int

  private static let nameRange = 0..<100
  private static let sizeRange = 124..<136
  private static let timeRange = 136..<148
  private static let sumRange = 148..<156
  private static let typeOffset = 156
  /// What eleven octal digits can say.
  static let maximumNumber = 1 << 33 - 1

  init(name: String, fileByteCount: Int, modified: Int) {
    // Names are the format's own, sizes within its limits, and the time is clamped.
    precondition(name.utf8.count <= Self.nameRange.count && (0...Self.maximumNumber).contains(fileByteCount))
    precondition((0...Self.maximumNumber).contains(modified))
    (self.name, self.fileByteCount, self.modified) = (name, fileByteCount, modified)
  }

  /// The block, 512 bytes.
  var block: [UInt8] {
    var block = Self.template
    var sum = Self.templateSum
    func put(_ bytes: some Sequence<UInt8>, at offset: Int) {
      var offset = offset
      for byte in bytes {
        sum += Int(byte) - Int(block[offset])
        block[offset] = byte
        offset += 1
      }
    }
    put(name.utf8, at: Self.nameRange.lowerBound)
    put(Self.octal(fileByteCount, digits: 11), at: Self.sizeRange.lowerBound)
    put(Self.octal(modified, digits: 11), at: Self.timeRange.lowerBound)
    // The sum counts its own field as blanks.
    let digits = Self.octal(sum, digits: 6)
    put(digits + [0, UInt8(ascii: " ")], at: Self.sumRange.lowerBound)
    return block
  }

  /// What is the same in all blocks.
  private static let template: [UInt8] = {
    var block = [UInt8](repeating: 0, count: byteCount)
    func put(_ text: String, at offset: Int) {
      for (index, byte) in text.utf8.enumerated() { block[offset + index] = byte }
    }
    put("0000600", at: 100)
    put("0000000", at: 108)
    put("0000000", at: 116)
    put("        ", at: sumRange.lowerBound)
    put("0", at: typeOffset)
    put("ustar\u{0}00", at: 257)
    put("0000000", at: 329)
    put("0000000", at: 337)
    return block
  }()
  private static let templateSum = template.reduce(0) { $0 + Int($1) }

  /// Reads a block strictly; the reason why it is none of this format, as an error.
  init(parsing block: [UInt8]) throws(TarFault) {
    precondition(block.count == Self.byteCount, "a block has 512 bytes")
    guard block[257..<265].elementsEqual("ustar\u{0}00".utf8) else { throw .notUstar }
    guard block[Self.typeOffset] == UInt8(ascii: "0") else { throw .notAFile }
    let bytes = block[Self.nameRange].prefix { $0 != 0 }
    guard let name = String(validating: bytes, as: UTF8.self), let size = Self.number(block[Self.sizeRange]),
      let modified = Self.number(block[Self.timeRange])
    else { throw .malformed }
    self.init(name: name, fileByteCount: size, modified: modified)
    // One spelling alone: another owner, mode, prefix or sum is no archive of this program.
    guard self.block == block else { throw .malformed }
  }

  private static func octal(_ number: Int, digits: Int) -> [UInt8] {
    (0..<digits).map { UInt8(ascii: "0") + UInt8(number >> (3 * (digits - 1 - $0)) & 7) }
  }

  /// Eleven octal digits and a NUL.
  private static func number(_ field: ArraySlice<UInt8>) -> Int? {
    guard field.last == 0 else { return nil }
    var number = 0
    for byte in field.dropLast() {
      guard (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(byte) else { return nil }
      number = number << 3 | Int(byte - UInt8(ascii: "0"))
    }
    return number
  }
}

/// Why a block is no header of this format.
enum TarFault: Error {
  case notUstar, notAFile, malformed
}
