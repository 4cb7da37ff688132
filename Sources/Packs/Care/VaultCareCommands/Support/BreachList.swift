import VaultCrypto
import VaultDocument
import VaultSystem
import VaultTerminal

/// Passwords known from breaches, by SHA-1: a sorted file or a folder of ranges, in the format of Have I Been Pwned.
enum BreachList {
  /// Lines of `HASH:COUNT`.
  case file(String)
  /// Files named after the first five digits, with lines of the other 35.
  case folder(String)

  private static let prefixCount = 5

  init(_ path: String, _ messages: Messages) throws {
    guard System.kind(of: path) != .directory else {
      self = .folder(path)
      return
    }
    self = .file(path)
    let (first, last) = try HashFile(path, digitCount: 40).checkedOrder()
    if !first.starts(with: Array("00".utf8)) || !last.starts(with: Array("FF".utf8)) {
      let ends = [first, last].map { String(decoding: $0.prefix(Self.prefixCount), as: UTF8.self) }
      messages.note("\(path) covers \(ends[0])… to \(ends[1])…: passwords outside this range are not found")
    }
  }

  /// How often a password was seen; nil for never.
  func count(of password: RawSpan) throws -> Int? {
    let digits = Array(Hex.encode(try SHA1.hash(password)).uppercased().utf8)
    switch self {
    case .file(let path): return try HashFile(path, digitCount: digits.count).count(of: digits)
    case .folder(let path):
      let range = String(decoding: digits.prefix(Self.prefixCount), as: UTF8.self)
      let names = [range, range + ".txt", range.lowercased(), range.lowercased() + ".txt"].map { path + "/" + $0 }
      guard let name = names.first(where: { System.kind(of: $0) == .regular }) else {
        throw HashFile.refused(
          path, "does not have all range files, such as 00000.txt", hint: "download all ranges")
      }
      let rest = Array(digits.dropFirst(Self.prefixCount))
      return try HashFile(name, digitCount: rest.count).count(of: rest)
    }
  }
}

/// A text file whose lines begin with ascending hexadecimal digits. Only the needed parts are read.
struct HashFile: ~Copyable {
  private struct Line {
    let digits: [UInt8]
    let count: Int
    let start: Int
    let end: Int
  }

  private static let sampleCount = 256
  private static let longestLine = 128
  private let file: NamedFile
  private let digitCount: Int
  private let byteCount: Int

  init(_ path: String, digitCount: Int) throws {
    guard let file = try NamedFile.plain(path), let byteCount = System.byteCount(of: file.descriptor) else {
      throw Self.refused(path, "is not a regular file")
    }
    guard byteCount > 0 else { throw Self.refused(path, "is empty") }
    self.file = file
    self.digitCount = digitCount
    self.byteCount = byteCount
  }

  static func refused(
    _ path: String, _ reason: String, hint: String = "use the list of SHA-1 hashes that is sorted by hash"
  ) -> CommandError {
    CommandError(.inputRefused, "input_refused", subject: path, reason, hints: [hint])
  }

  private var unsorted: CommandError { Self.refused(file.path, "is not sorted by hash") }

  /// Checks the order of samples from the whole file. Returns the first and the last hash.
  func checkedOrder() throws -> (first: [UInt8], last: [UInt8]) {
    guard let first = try line(from: 0) else { throw Self.refused(file.path, "is empty") }
    var last = first
    let places = (1...Self.sampleCount).map { byteCount / Self.sampleCount * $0 }
    for place in places + [max(0, byteCount - digitCount - 16)] where place >= last.end {
      guard let line = try line(from: place) else { continue }
      guard last.digits.lexicographicallyPrecedes(line.digits) else { throw unsorted }
      last = line
    }
    while let line = try line(from: last.end) {
      guard last.digits.lexicographicallyPrecedes(line.digits) else { throw unsorted }
      last = line
    }
    return (first.digits, last.digits)
  }

  /// The count of a hash; nil if the hash is not in the file.
  func count(of digits: [UInt8]) throws -> Int? {
    var (low, high): (Int, Int) = (0, byteCount)
    var (below, above): ([UInt8]?, [UInt8]?) = (nil, nil)
    while low < high {
      let middle = low + (high - low) / 2
      guard let line = try line(from: middle), line.start < high else {
        high = middle
        continue
      }
      if let below, !below.lexicographicallyPrecedes(line.digits) { throw unsorted }
      if let above, !line.digits.lexicographicallyPrecedes(above) { throw unsorted }
      if line.digits == digits { return line.count }
      if line.digits.lexicographicallyPrecedes(digits) {
        (low, below) = (line.end, line.digits)
      } else {
        (high, above) = (middle, line.digits)
      }
    }
    return nil
  }

  /// The first line that begins at or after a position; nil after the last line.
  private func line(from place: Int) throws -> Line? {
    // Start at the byte before, because a line may begin at the position.
    var start = max(0, place - 1)
    var bytes = try read(from: start)
    if place > 0 {
      guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
        guard start + bytes.count >= byteCount else { throw noHash }
        return nil
      }
      start += end + 1
      bytes = try read(from: start)
    }
    guard !bytes.isEmpty else { return nil }
    let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
    guard end != nil || start + bytes.count >= byteCount else { throw noHash }
    let text = bytes[..<(end ?? bytes.count)]
    let next = start + text.count + (end == nil ? 0 : 1)
    return Line(
      digits: try digits(of: text), count: Self.number(in: text.dropFirst(digitCount)), start: start, end: next)
  }

  private func digits(of line: ArraySlice<UInt8>) throws -> [UInt8] {
    let digits = line.prefix(digitCount).map { $0 >= UInt8(ascii: "a") ? $0 & 0xDF : $0 }
    let next = line.dropFirst(digitCount).first
    guard digits.count == digitCount, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
      next == nil || next == UInt8(ascii: ":") || next == UInt8(ascii: "\r")
    else { throw noHash }
    return digits
  }

  private var noHash: CommandError {
    Self.refused(file.path, "has a line that does not begin with \(digitCount) hexadecimal digits")
  }

  /// The number after the colon; 1 without a number.
  private static func number(in rest: ArraySlice<UInt8>) -> Int {
    let digits = rest.dropFirst().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return Int(String(decoding: digits, as: UTF8.self)) ?? 1
  }

  private func read(from place: Int) throws(SystemError) -> [UInt8] {
    var (bytes, count) = ([UInt8](repeating: 0, count: Self.longestLine), 0)
    let descriptor = file.descriptor
    while count < bytes.count {
      let more = try System.files.call(at: file.path) { (system) throws(Errno) in
        try system.read(descriptor, from: place + count, into: &bytes, at: count)
      }
      if more == 0 { break }
      count += more
    }
    return Array(bytes[..<count])
  }
}
