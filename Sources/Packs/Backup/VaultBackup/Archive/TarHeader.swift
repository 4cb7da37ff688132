internal import VaultDocument

/// The header block of a file: POSIX ustar (IEEE Std 1003.1, pax, "ustar Interchange Format"), in the only spelling
/// that format 1 allows (section 14.1, Archive).
struct TarHeader: Equatable {
  static let byteCount = 512

  /// The path in the archive, ASCII.
  let name: [UInt8]
  let fileByteCount: Int
  /// The time of the backup, in seconds since 1970.
  let modified: Int

  private static let nameRange = 0..<100
  private static let sizeRange = 124..<136
  private static let timeRange = 136..<148
  private static let sumRange = 148..<156
  private static let typeOffset = 156
  /// The largest number in eleven octal digits.
  static let maximumNumber = 1 << 33 - 1

  init(name: [UInt8], fileByteCount: Int, modified: Int) {
    // Names belong to the format, sizes are within its limits, and the time is clamped.
    precondition(name.count <= Self.nameRange.count && (0...Self.maximumNumber).contains(fileByteCount))
    precondition((0...Self.maximumNumber).contains(modified))
    (self.name, self.fileByteCount, self.modified) = (name, fileByteCount, modified)
  }

  /// Appends the block, 512 bytes.
  func append(to archive: inout [UInt8]) {
    Self.append(fileByteCount: fileByteCount, modified: modified, to: &archive) { $0 += name }
  }

  /// Appends the block without making a string; `appendName` appends the name.
  static func append(
    fileByteCount: Int, modified: Int, to archive: inout [UInt8], name appendName: (inout [UInt8]) -> Void
  ) {
    let start = archive.count
    appendName(&archive)
    // The checksum counts its own field as spaces, as in the template.
    var sum = templateSum
    for index in start..<archive.count { sum += Int(archive[index]) }
    archive += template[(archive.count - start)...]
    sum += putOctal(fileByteCount, digits: 11, at: start + sizeRange.lowerBound, of: &archive)
    sum += putOctal(modified, digits: 11, at: start + timeRange.lowerBound, of: &archive)
    putOctal(sum, digits: 6, at: start + sumRange.lowerBound, of: &archive)
    archive[start + sumRange.lowerBound + 6] = 0
  }

  /// The constant part of every block, with spaces for the checksum.
  private static let template: [UInt8] = {
    var block = [UInt8](repeating: 0, count: Self.byteCount)
    func put(_ text: StaticString, at offset: Int) {
      for (index, byte) in "\(text)".utf8.enumerated() { block[offset + index] = byte }
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

  /// Reads a block strictly. Throws the reason if the block does not have this format.
  init(parsing block: [UInt8]) throws(TextFault) {
    precondition(block.count == Self.byteCount, "a block has 512 bytes")
    guard block[257..<265].elementsEqual("ustar\u{0}00".utf8) else {
      throw TextFault("does not contain an archive of this program")
    }
    guard block[Self.typeOffset] == UInt8(ascii: "0") else {
      throw TextFault("has an entry that is not a regular file")
    }
    guard let size = Self.number(block[Self.sizeRange]), let modified = Self.number(block[Self.timeRange]) else {
      throw TextFault("has a file header of an unknown form")
    }
    self.init(name: Array(block[Self.nameRange].prefix { $0 != 0 }), fileByteCount: size, modified: modified)
    // Only one spelling is valid. Another owner, mode, prefix or checksum means another program.
    var own: [UInt8] = []
    own.reserveCapacity(Self.byteCount)
    append(to: &own)
    guard own.has(block, at: 0) else { throw TextFault("has a file header of an unknown form") }
  }

  /// Replaces zeros by octal digits, and returns the sum of the digits' bytes.
  @discardableResult
  private static func putOctal(_ number: Int, digits: Int, at offset: Int, of archive: inout [UInt8]) -> Int {
    var sum = 0
    for index in 0..<digits {
      let digit = UInt8(ascii: "0") + UInt8(number >> (3 * (digits - 1 - index)) & 7)
      archive[offset + index] = digit
      sum += Int(digit)
    }
    return sum
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
