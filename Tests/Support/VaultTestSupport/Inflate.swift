/// Decompression of zlib data (RFC 1950, RFC 1951) for vectors that are stored compressed. Small, not fast.
public enum Inflate {
  /// The data is damaged or uses what this reader does not know.
  public struct Failure: Error {}

  /// The bytes in `data`, a zlib stream without a preset dictionary; the checksum is verified.
  public static func zlib(_ data: [UInt8]) throws -> [UInt8] {
    guard data.count >= 6, data[0] & 15 == 8, (Int(data[0]) << 8 | Int(data[1])) % 31 == 0, data[1] & 32 == 0 else {
      throw Failure()
    }
    var decoder = Decoder(input: Array(data[2..<data.count - 4]))
    try decoder.run()
    let expected = data.suffix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard adler32(decoder.output) == expected else { throw Failure() }
    return decoder.output
  }

  private static func adler32(_ bytes: [UInt8]) -> UInt32 {
    var low: UInt32 = 1
    var high: UInt32 = 0
    for byte in bytes {
      low = (low + UInt32(byte)) % 65521
      high = (high + low) % 65521
    }
    return high << 16 | low
  }
}

extension Inflate {
  /// A canonical Huffman code: how many codes each length has, and the symbols in code order.
  private struct Huffman {
    private var counts = [Int](repeating: 0, count: 16)
    private var symbols: [Int] = []

    init(lengths: [Int]) {
      for length in lengths where length > 0 { counts[length] += 1 }
      for length in 1...15 { symbols += lengths.indices.filter { lengths[$0] == length } }
    }

    func symbol(_ input: inout Bits) throws -> Int {
      var code = 0
      var first = 0
      var index = 0
      for length in 1...15 {
        code |= try input.take(1)
        if code - counts[length] < first { return symbols[index + code - first] }
        index += counts[length]
        first = (first + counts[length]) << 1
        code <<= 1
      }
      throw Failure()
    }
  }

  /// Bits of the input, lowest first.
  private struct Bits {
    let input: [UInt8]
    private var offset = 0
    private var held = 0
    private var heldCount = 0

    init(_ input: [UInt8]) { self.input = input }

    mutating func take(_ count: Int) throws -> Int {
      while heldCount < count {
        guard offset < input.count else { throw Failure() }
        held |= Int(input[offset]) << heldCount
        heldCount += 8
        offset += 1
      }
      defer {
        held >>= count
        heldCount -= count
      }
      return held & ((1 << count) - 1)
    }

    mutating func dropToByte() {
      held = 0
      heldCount = 0
    }
  }

  private struct Decoder {
    private var bits: Bits
    private(set) var output: [UInt8] = []

    private static let lengthBases = [
      3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
    ]
    private static let lengthBits = [
      0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    private static let distanceBases = [
      1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
      8193, 12289, 16385, 24577,
    ]
    private static let codeLengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    init(input: [UInt8]) { bits = Bits(input) }

    mutating func run() throws {
      var isLast = false
      while !isLast {
        isLast = try bits.take(1) == 1
        switch try bits.take(2) {
        case 0: try copyStored()
        case 1: try inflate(Self.fixedLiterals, Huffman(lengths: Array(repeating: 5, count: 30)))
        case 2:
          let (literals, distances) = try readCodes()
          try inflate(literals, distances)
        default: throw Failure()
        }
      }
    }

    private static let fixedLiterals = Huffman(
      lengths: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })

    private mutating func copyStored() throws {
      bits.dropToByte()
      let count = try bits.take(16)
      guard try bits.take(16) == ~count & 0xFFFF else { throw Failure() }
      for _ in 0..<count { output.append(UInt8(try bits.take(8))) }
    }

    private mutating func readCodes() throws -> (Huffman, Huffman) {
      let literalCount = try bits.take(5) + 257
      let distanceCount = try bits.take(5) + 1
      let codeCount = try bits.take(4) + 4
      var codeLengths = [Int](repeating: 0, count: 19)
      for index in 0..<codeCount { codeLengths[Self.codeLengthOrder[index]] = try bits.take(3) }
      let code = Huffman(lengths: codeLengths)
      var lengths: [Int] = []
      while lengths.count < literalCount + distanceCount {
        switch try code.symbol(&bits) {
        case let length where length < 16: lengths.append(length)
        case 16:
          guard let last = lengths.last else { throw Failure() }
          lengths += Array(repeating: last, count: try bits.take(2) + 3)
        case 17: lengths += Array(repeating: 0, count: try bits.take(3) + 3)
        default: lengths += Array(repeating: 0, count: try bits.take(7) + 11)
        }
      }
      guard lengths.count == literalCount + distanceCount else { throw Failure() }
      return (Huffman(lengths: Array(lengths[..<literalCount])), Huffman(lengths: Array(lengths[literalCount...])))
    }

    private mutating func inflate(_ literals: Huffman, _ distances: Huffman) throws {
      while true {
        let symbol = try literals.symbol(&bits)
        if symbol == 256 { return }
        guard symbol > 256 else {
          output.append(UInt8(symbol))
          continue
        }
        guard symbol < 286 else { throw Failure() }
        let length = Self.lengthBases[symbol - 257] + (try bits.take(Self.lengthBits[symbol - 257]))
        let code = try distances.symbol(&bits)
        guard code < 30 else { throw Failure() }
        let distance = Self.distanceBases[code] + (try bits.take(max(0, code / 2 - 1)))
        guard distance <= output.count else { throw Failure() }
        for _ in 0..<length { output.append(output[output.count - distance]) }
      }
    }
  }
}
