/// A moment, in whole nanoseconds since 1970-01-01T00:00:00Z without leap seconds, in the years 0001 to 9999.
public struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Whole seconds, rounded toward the past; negative before 1970.
  public let secondsSinceEpoch: Int64
  /// The remaining nanoseconds, 0 to 999,999,999.
  public let nanoseconds: Int32

  /// 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z.
  package static let secondsRange: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

  /// Takes seconds and 0 to 999,999,999 nanoseconds after them.
  /// - Throws: `.invalidDate` outside the years 0001 to 9999, or for any other number of nanoseconds.
  public init(secondsSinceEpoch: Int64, nanoseconds: Int32 = 0) throws(DocumentError) {
    guard Self.secondsRange.contains(secondsSinceEpoch), (0..<1_000_000_000).contains(nanoseconds) else {
      throw DocumentError(code: .invalidDate)
    }
    self.secondsSinceEpoch = secondsSinceEpoch
    self.nanoseconds = nanoseconds
  }

  /// The time now, by the system's clock.
  public static func now() -> Timestamp { SystemClock.now() }

  /// Reads `2026-11-21T01:40:28Z`, also with 1 to 9 fraction digits and with `±hh:mm` in place of `Z` (ISO 8601).
  /// - Throws: `.invalidDate` for any other text, a date or time that does not exist, and leap seconds.
  public init(parsing text: String) throws(DocumentError) {
    let bytes = text.utf8Span.span
    var reader = TimestampReader(bytes.count)
    let date = try reader.date(in: bytes, separator: UInt8(ascii: "-"))
    let second = try reader.time(in: bytes, separator: UInt8(ascii: ":"))
    let nanoseconds = try reader.fraction(in: bytes)
    let offset = try reader.zone(in: bytes)
    let seconds = Int64(date.daysSinceEpoch * 86_400 + second - offset)
    try self.init(secondsSinceEpoch: seconds, nanoseconds: nanoseconds)
  }

  /// Reads `20261121T014028Z`, the form inside tokens.
  /// - Throws: `.invalidDate` for any other text, and for a date or time that does not exist.
  public init(parsingCompact text: String) throws(DocumentError) {
    let bytes = text.utf8Span.span
    var reader = TimestampReader(bytes.count)
    guard bytes.count == 16, bytes[15] == UInt8(ascii: "Z") else { throw DocumentError(code: .invalidDate) }
    let date = try reader.date(in: bytes, separator: nil)
    let second = try reader.time(in: bytes, separator: nil)
    try self.init(secondsSinceEpoch: Int64(date.daysSinceEpoch * 86_400 + second))
  }

  /// The day in UTC: `2026-11-21`.
  package var day: String { String(text.prefix(10)) }

  /// `2026-11-21T01:40:28Z`; with three digits of milliseconds, truncated toward the past, where these are not 0.
  public var text: String {
    String(decoding: [UInt8](capacity: Self.textCapacity) { append(to: &$0) }, as: UTF8.self)
  }

  package func appendText(to bytes: inout [UInt8]) {
    bytes.append(addingCapacity: Self.textCapacity) { append(to: &$0) }
  }

  /// `20261121T014028Z`, 16 characters; fractions of a second are dropped toward the past.
  public var compactText: String {
    String(decoding: [UInt8](capacity: Self.textCapacity) { append(to: &$0, isCompact: true) }, as: UTF8.self)
  }

  /// The same as `text`.
  public var description: String { text }

  /// Order in time.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    (left.secondsSinceEpoch, left.nanoseconds) < (right.secondsSinceEpoch, right.nanoseconds)
  }

  private static let textCapacity = 24

  private func append(to output: inout OutputSpan<UInt8>, isCompact: Bool = false) {
    // Counted from the first second that can be written, nothing is negative.
    let elapsed = Int(secondsSinceEpoch - Self.secondsRange.lowerBound)
    let date = CivilDate(daysSinceEpoch: elapsed / 86_400 + Int(Self.secondsRange.lowerBound) / 86_400)
    let second = elapsed % 86_400
    output.append(twoDigits: date.year / 100)
    output.append(twoDigits: date.year % 100)
    if !isCompact { output.append(UInt8(ascii: "-")) }
    output.append(twoDigits: date.month)
    if !isCompact { output.append(UInt8(ascii: "-")) }
    output.append(twoDigits: date.day)
    output.append(UInt8(ascii: "T"))
    output.append(twoDigits: second / 3_600)
    if !isCompact { output.append(UInt8(ascii: ":")) }
    output.append(twoDigits: second / 60 % 60)
    if !isCompact { output.append(UInt8(ascii: ":")) }
    output.append(twoDigits: second % 60)
    let milliseconds = Int(nanoseconds) / 1_000_000
    if !isCompact, milliseconds != 0 {
      output.append(UInt8(ascii: "."))
      output.append(twoDigits: milliseconds / 10)
      output.append(UInt8(ascii: "0") + UInt8(milliseconds % 10))
    }
    output.append(UInt8(ascii: "Z"))
  }
}

extension OutputSpan<UInt8> {
  fileprivate mutating func append(twoDigits number: Int) {
    append(UInt8(ascii: "0") + UInt8(number / 10))
    append(UInt8(ascii: "0") + UInt8(number % 10))
  }
}

/// Reads the parts of a date and time one after the other.
private struct TimestampReader {
  private var position = 0
  private let count: Int

  init(_ count: Int) { self.count = count }

  /// Reads a real date and the `T` after it. With a nil separator, the numbers follow each other directly.
  mutating func date(in bytes: Span<UInt8>, separator: UInt8?) throws(DocumentError) -> CivilDate {
    let year = try number(4, in: bytes)
    try take(separator, in: bytes)
    let month = try number(2, in: bytes)
    try take(separator, in: bytes)
    let date = CivilDate(year: year, month: month, day: try number(2, in: bytes))
    guard date.isReal else { throw DocumentError(code: .invalidDate) }
    try take(UInt8(ascii: "T"), in: bytes)
    return date
  }

  /// Seconds since midnight.
  mutating func time(in bytes: Span<UInt8>, separator: UInt8?) throws(DocumentError) -> Int {
    let minutes = try hoursAndMinutes(in: bytes, separator: separator)
    try take(separator, in: bytes)
    let second = try number(2, in: bytes)
    guard second < 60 else { throw DocumentError(code: .invalidDate) }
    return minutes * 60 + second
  }

  /// Nanoseconds; 0 if there is no fraction.
  mutating func fraction(in bytes: Span<UInt8>) throws(DocumentError) -> Int32 {
    guard position < count, bytes[position] == UInt8(ascii: ".") else { return 0 }
    position += 1
    var nanoseconds: Int32 = 0
    var weight: Int32 = 100_000_000
    let start = position
    while position < count, bytes[position] &- UInt8(ascii: "0") < 10 {
      nanoseconds += Int32(bytes[position] - UInt8(ascii: "0")) * weight
      weight /= 10
      position += 1
      guard position - start <= 9 else { throw DocumentError(code: .invalidDate) }
    }
    guard position > start else { throw DocumentError(code: .invalidDate) }
    return nanoseconds
  }

  /// How many seconds local time is ahead of UTC; the text must end here.
  mutating func zone(in bytes: Span<UInt8>) throws(DocumentError) -> Int {
    guard position < count else { throw DocumentError(code: .invalidDate) }
    let sign = bytes[position]
    position += 1
    var offset = 0
    switch sign {
    case UInt8(ascii: "Z"): break
    case UInt8(ascii: "+"): offset = try hoursAndMinutes(in: bytes, separator: UInt8(ascii: ":"))
    case UInt8(ascii: "-"): offset = -(try hoursAndMinutes(in: bytes, separator: UInt8(ascii: ":")))
    default: throw DocumentError(code: .invalidDate)
    }
    guard position == count else { throw DocumentError(code: .invalidDate) }
    return offset * 60
  }

  private mutating func hoursAndMinutes(in bytes: Span<UInt8>, separator: UInt8?) throws(DocumentError) -> Int {
    let hour = try number(2, in: bytes)
    try take(separator, in: bytes)
    let minute = try number(2, in: bytes)
    guard hour < 24, minute < 60 else { throw DocumentError(code: .invalidDate) }
    return hour * 60 + minute
  }

  private mutating func number(_ digitCount: Int, in bytes: Span<UInt8>) throws(DocumentError) -> Int {
    var result = 0
    for _ in 0..<digitCount {
      guard position < count, bytes[position] &- UInt8(ascii: "0") < 10 else { throw DocumentError(code: .invalidDate) }
      result = result * 10 + Int(bytes[position] - UInt8(ascii: "0"))
      position += 1
    }
    return result
  }

  private mutating func take(_ separator: UInt8?, in bytes: Span<UInt8>) throws(DocumentError) {
    guard let separator else { return }
    guard position < count, bytes[position] == separator else { throw DocumentError(code: .invalidDate) }
    position += 1
  }
}
