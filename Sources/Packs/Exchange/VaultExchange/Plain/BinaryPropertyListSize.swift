/// Counts the values of a binary property list after all references are expanded.
///
/// A list of some hundred bytes can stand for more values than fit in memory, and a decoder notices too late.
struct BinaryPropertyListSize {
  static let maximumDepth = 128

  private let bytes: [UInt8]
  private let offsetByteCount: Int
  private let referenceByteCount: Int
  private let objectCount: Int
  private let table: Int
  private var sizes: [Int: Size] = [:]

  /// How many values an object stands for, and how deeply they are nested.
  private struct Size {
    var count = 1
    var height = 1
  }

  /// The number of values and member names; nil if there are more than the limit, if they are too deep, or if the list
  /// is damaged.
  static func count(_ bytes: [UInt8], limit: Int) -> Int? {
    guard bytes.count >= 40, var list = BinaryPropertyListSize(bytes), let top = list.integer(bytes.count - 16, 8),
      let size = list.size(of: top, depth: 0, limit: limit)
    else { return nil }
    return size.count <= limit ? size.count : nil
  }

  private init?(_ bytes: [UInt8]) {
    self.bytes = bytes
    let trailer = bytes.count - 32
    offsetByteCount = Int(bytes[trailer + 6])
    referenceByteCount = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetByteCount), (1...8).contains(referenceByteCount),
      let count = Self.integer(bytes, offset: trailer + 8, count: 8),
      let table = Self.integer(bytes, offset: trailer + 24, count: 8)
    else { return nil }
    objectCount = count
    self.table = table
  }

  /// The size of an object; nil if the object is too deep, too large or damaged. An object that contains itself is
  /// damaged.
  private mutating func size(of object: Int, depth: Int, limit: Int) -> Size? {
    if let known = sizes[object] { return depth + known.height <= Self.maximumDepth ? known : nil }
    guard depth < Self.maximumDepth, object < objectCount,
      let offset = integer(table + object * offsetByteCount, offsetByteCount), offset < bytes.count
    else { return nil }
    var total = Size()
    let references = references(at: offset)
    for index in 0..<references.count {
      guard let child = integer(references.start + index * referenceByteCount, referenceByteCount),
        let size = size(of: child, depth: depth + 1, limit: limit)
      else { return nil }
      total.count += size.count
      total.height = max(total.height, size.height + 1)
      guard total.count <= limit else { return nil }
    }
    sizes[object] = total
    return total
  }

  /// The number of references of an object and their start, which is beyond the end if the object is damaged.
  private func references(at offset: Int) -> (count: Int, start: Int) {
    let kind = bytes[offset] >> 4
    guard kind == 0xA || kind == 0xC || kind == 0xD else { return (0, 0) }
    var count = Int(bytes[offset] & 0xF)
    var start = offset + 1
    if count == 0xF {
      let damaged = (1, bytes.count)
      guard start < bytes.count, bytes[start] >> 4 == 1, bytes[start] & 0xF <= 3 else { return damaged }
      let byteCount = 1 << Int(bytes[start] & 0xF)
      guard let long = integer(start + 1, byteCount), long <= bytes.count else { return damaged }
      count = long
      start += 1 + byteCount
    }
    return (kind == 0xD ? count * 2 : count, start)
  }

  private func integer(_ offset: Int, _ count: Int) -> Int? { Self.integer(bytes, offset: offset, count: count) }

  /// A big-endian integer; nil outside the bytes, or if it is too large for an offset.
  private static func integer(_ bytes: [UInt8], offset: Int, count: Int) -> Int? {
    guard offset >= 0, offset <= bytes.count - count else { return nil }
    let value = bytes[offset..<offset + count].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return value < UInt64(1) << 40 ? Int(value) : nil
  }
}
