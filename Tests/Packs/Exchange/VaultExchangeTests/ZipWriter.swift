/// Writes zip files, also such as no tool would write.
struct ZipWriter {
  private(set) var bytes: [UInt8] = []
  private var directory: [UInt8] = []
  private var count = 0

  /// Appends a file; missing arguments get the values of an honest writer.
  mutating func add(
    _ name: String, _ data: [UInt8], method: Int = 0, flags: Int = 0, count: Int? = nil, mode: Int = 0o100644,
    of original: [UInt8]? = nil, offset: Int? = nil
  ) {
    let checksum = Self.crc32(original ?? data)
    let offset = offset ?? bytes.count
    let sizes = le(checksum, 4) + le(data.count, 4) + le(count ?? data.count, 4)
    bytes += le(0x0403_4B50, 4) + le(20, 2) + le(flags, 2) + le(method, 2) + le(0, 4) + sizes
    bytes += le(name.utf8.count, 2) + le(0, 2) + Array(name.utf8) + data
    directory += le(0x0201_4B50, 4) + le(20, 2) + le(20, 2) + le(flags, 2) + le(method, 2) + le(0, 4) + sizes
    directory += le(name.utf8.count, 2) + le(0, 2) + le(0, 2) + le(0, 2) + le(0, 2) + le(mode << 16, 4) + le(offset, 4)
    directory += Array(name.utf8)
    self.count += 1
  }

  /// The whole file.
  func finished() -> [UInt8] {
    let end = le(0x0605_4B50, 4) + le(0, 4) + le(count, 2) + le(count, 2) + le(directory.count, 4)
    return bytes + directory + end + le(bytes.count, 4) + le(0, 2)
  }

  private func le(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> ($0 * 8) & 0xFF) } }

  private static func crc32(_ data: [UInt8]) -> Int {
    var crc: UInt32 = ~0
    for byte in data {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return Int(~crc)
  }
}
