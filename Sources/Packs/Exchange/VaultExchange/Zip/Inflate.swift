internal import CDynamicLibraries
internal import DynamicLibraries

/// Decompresses deflate (RFC 1951) with zlib, which is loaded on first use.
enum Inflate {
  /// A gzip stream (RFC 1952). Bytes after its end are ignored, because some writers pad it.
  static func gzip(_ bytes: [UInt8], limit: Int) throws(ExchangeError) -> [UInt8] {
    try Zlib.required().inflate(bytes, windowBits: 31, limit: limit, isPadded: true)
  }

  /// A stream without a header, as in zip files.
  static func raw(_ bytes: [UInt8], limit: Int) throws(ExchangeError) -> [UInt8] {
    try Zlib.required().inflate(bytes, windowBits: -15, limit: limit)
  }

  /// The checksum of zip files.
  static func crc32(_ bytes: [UInt8]) throws(ExchangeError) -> UInt32 {
    let zlib = try Zlib.required()
    return UInt32(
      truncatingIfNeeded: unsafe bytes.withUnsafeBufferPointer { buffer in
        unsafe zlib.crc32(0, buffer.baseAddress, UInt32(buffer.count))
      })
  }
}

@safe private struct Zlib: @unchecked Sendable {
  // @unchecked: functions of a library that is never closed.
  typealias Stream = UnsafeMutablePointer<late_zlib_stream>
  typealias Begin = @convention(c) (Stream?, Int32, UnsafePointer<CChar>?, Int32) -> Int32
  typealias Step = @convention(c) (Stream?, Int32) -> Int32
  typealias End = @convention(c) (Stream?) -> Int32
  typealias Checksum = @convention(c) (UInt, UnsafePointer<UInt8>?, UInt32) -> UInt

  private let begin: Begin
  private let step: Step
  private let end: End
  let crc32: Checksum

  private static let shared = DynamicLibrary(["libz.so.1", "libz.1.dylib"]).flatMap(Zlib.init)
  /// `Z_STREAM_END`.
  private static let streamEnd: Int32 = 1

  static func required() throws(ExchangeError) -> Zlib {
    guard let shared else {
      throw ExchangeError(.unsupported, "needs the library zlib (Debian: zlib1g), which is not installed")
    }
    return shared
  }

  private init?(_ library: DynamicLibrary) {
    guard let begin = unsafe library.function("inflateInit2_", as: Begin.self),
      let step = unsafe library.function("inflate", as: Step.self),
      let end = unsafe library.function("inflateEnd", as: End.self),
      let crc32 = unsafe library.function("crc32", as: Checksum.self)
    else { return nil }
    unsafe (self.begin, self.step, self.end, self.crc32) = (begin, step, end, crc32)
  }

  func inflate(
    _ bytes: [UInt8], windowBits: Int32, limit: Int, isPadded: Bool = false
  ) throws(ExchangeError) -> [UInt8] {
    var output: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    var isWhole = false
    var isTooLarge = false
    unsafe bytes.withUnsafeBufferPointer { input in
      var stream = unsafe late_zlib_stream()
      let size = unsafe Int32(MemoryLayout<late_zlib_stream>.size)
      unsafe stream.next_in = input.baseAddress
      unsafe stream.avail_in = UInt32(input.count)
      guard unsafe begin(&stream, windowBits, "1", size) == 0 else { return }
      defer { _ = unsafe end(&stream) }
      var status: Int32 = 0
      while status == 0, !isTooLarge {
        let room = UInt32(piece.count)
        unsafe piece.withUnsafeMutableBufferPointer { buffer in
          unsafe stream.next_out = buffer.baseAddress
          unsafe stream.avail_out = room
          status = unsafe step(&stream, 0)
        }
        let count = Int(room - (unsafe stream.avail_out))
        output += piece[..<count]
        isTooLarge = output.count > limit
        // No progress: the input ends before the stream does.
        if status == 0, count == 0 { break }
      }
      isWhole = status == Self.streamEnd && (isPadded || (unsafe stream.avail_in) == 0)
    }
    guard !isTooLarge else { throw ExchangeError(.tooLarge, "is too large when it is unpacked") }
    guard isWhole else { throw ExchangeError(.malformed, "has compressed data that is damaged") }
    return output
  }
}
