/// A written form of a moment: ISO 8601, Unix seconds, or a pattern of one's own.
public struct DateFormat: Sendable, Hashable {
  fileprivate enum Form: Hashable {
    case iso8601
    case unixSeconds
    case pattern([Piece])
  }
  fileprivate enum Piece: Hashable {
    case number(Field, digitCount: Int)
    case literal(UInt8)
  }
  fileprivate enum Field: Hashable { case year, month, day, hour, minute, second, millisecond }

  private let form: Form
  private init(_ form: Form) { self.form = form }

  /// `2026-11-21T01:40:28Z`; read with or without a fraction of a second, with `Z` or an offset.
  public static let iso8601 = DateFormat(.iso8601)
  /// Seconds since 1970-01-01T00:00:00Z as a decimal, with a fraction of up to nine digits where there is one.
  public static let unixSeconds = DateFormat(.unixSeconds)
  /// `2026-11-21`.
  public static let day = DateFormat(
    .pattern([
      .number(.year, digitCount: 4), .literal(UInt8(ascii: "-")), .number(.month, digitCount: 2),
      .literal(UInt8(ascii: "-")), .number(.day, digitCount: 2),
    ]))

  /// A pattern of `yyyy`, `MM`, `dd`, `HH`, `mm`, `ss`, `SSS` and text between them, letters in `'…'`; always UTC.
  ///
  /// What the pattern does not have is dropped when a moment is written, and 0 when one is read.
  ///
  /// - Throws: ``DocumentError`` `.invalidDate` for other letters, a missing quote, a field that is there twice, and
  ///   where year, month or day is missing.
  public init(pattern: String) throws(DocumentError) { form = .pattern(try Self.pieces(of: Array(pattern.utf8))) }

  /// Whether numbers are dates in this format.
  public var isNumber: Bool { form == .unixSeconds }

  /// Reads a moment strictly: the whole text, and a date and time that exist.
  ///
  /// - Throws: ``DocumentError`` `.invalidDate`.
  public func timestamp(from text: String) throws(DocumentError) -> Timestamp {
    switch form {
    case .iso8601: try Timestamp(parsing: text)
    case .unixSeconds: try Self.unixTime(Array(text.utf8))
    case .pattern(let pieces): try Self.read(Array(text.utf8), pieces)
    }
  }

  /// Writes a moment; what the format cannot show is dropped toward the past.
  public func text(of time: Timestamp) -> String {
    switch form {
    case .iso8601: time.text
    case .unixSeconds: Self.unixText(time)
    case .pattern(let pieces): Self.write(time, pieces)
    }
  }
}

extension DateFormat {
  private static let letters: [(letter: UInt8, Field, digitCount: Int)] = [
    (UInt8(ascii: "y"), .year, 4), (UInt8(ascii: "M"), .month, 2), (UInt8(ascii: "d"), .day, 2),
    (UInt8(ascii: "H"), .hour, 2), (UInt8(ascii: "m"), .minute, 2), (UInt8(ascii: "s"), .second, 2),
    (UInt8(ascii: "S"), .millisecond, 3),
  ]

  private static func pieces(of pattern: [UInt8]) throws(DocumentError) -> [Piece] {
    let malformed = DocumentError(code: .invalidDate, reason: "not a date pattern such as yyyy-MM-dd HH:mm:ss")
    var pieces: [Piece] = []
    var isQuoted = false
    var rest = pattern[...]
    while let byte = rest.first {
      if byte == UInt8(ascii: "'") {
        isQuoted.toggle()
        rest.removeFirst()
      } else if !isQuoted, byte | 0x20 >= UInt8(ascii: "a"), byte | 0x20 <= UInt8(ascii: "z") {
        let count = rest.prefix { $0 == byte }.count
        guard let (_, field, digitCount) = letters.first(where: { $0.letter == byte }), count == digitCount,
          !pieces.contains(.number(field, digitCount: digitCount))
        else { throw malformed }
        pieces.append(.number(field, digitCount: digitCount))
        rest.removeFirst(count)
      } else {
        pieces.append(.literal(byte))
        rest.removeFirst()
      }
    }
    let isDate = [(Field.year, 4), (.month, 2), (.day, 2)].allSatisfy { pieces.contains(.number($0, digitCount: $1)) }
    guard !isQuoted, isDate else { throw malformed }
    return pieces
  }

  private static func read(_ text: [UInt8], _ pieces: [Piece]) throws(DocumentError) -> Timestamp {
    var fields: [Field: Int] = [:]
    var rest = text[...]
    for piece in pieces {
      switch piece {
      case .literal(let byte): guard rest.popFirst() == byte else { throw DocumentError(code: .invalidDate) }
      case .number(let field, let digitCount):
        let digits = rest.prefix(digitCount)
        guard digits.count == digitCount, let number = decimal(digits) else { throw DocumentError(code: .invalidDate) }
        fields[field] = number
        rest = rest.dropFirst(digitCount)
      }
    }
    func field(_ field: Field) -> Int { fields[field, default: 0] }
    let date = CivilDate(year: field(.year), month: field(.month), day: field(.day))
    guard rest.isEmpty, date.isReal, field(.hour) < 24, field(.minute) < 60, field(.second) < 60 else {
      throw DocumentError(code: .invalidDate)
    }
    let second = field(.hour) * 3_600 + field(.minute) * 60 + field(.second)
    return try Timestamp(
      secondsSinceEpoch: Int64(date.daysSinceEpoch * 86_400 + second),
      nanoseconds: Int32(field(.millisecond)) * 1_000_000)
  }

  private static func write(_ time: Timestamp, _ pieces: [Piece]) -> String {
    // Counted from the first day that can be written, nothing is negative.
    let firstDay = Int(Timestamp.secondsRange.lowerBound) / 86_400
    let elapsed = Int(time.secondsSinceEpoch) - firstDay * 86_400
    let date = CivilDate(daysSinceEpoch: elapsed / 86_400 + firstDay)
    let second = elapsed % 86_400
    var bytes: [UInt8] = []
    for piece in pieces {
      switch piece {
      case .literal(let byte): bytes.append(byte)
      case .number(let field, let digitCount):
        let number =
          switch field {
          case .year: date.year
          case .month: date.month
          case .day: date.day
          case .hour: second / 3_600
          case .minute: second / 60 % 60
          case .second: second % 60
          case .millisecond: Int(time.nanoseconds) / 1_000_000
          }
        bytes += padded(number, to: digitCount)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func unixTime(_ text: [UInt8]) throws(DocumentError) -> Timestamp {
    let isNegative = text.first == UInt8(ascii: "-")
    let parts = text.dropFirst(isNegative ? 1 : 0)
      .split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    let fraction = parts.count == 2 ? parts[1] : [UInt8(ascii: "0")]
    guard let seconds = parts.first.flatMap(decimal), fraction.count <= 9,
      let nanoseconds = decimal(fraction + [UInt8](repeating: UInt8(ascii: "0"), count: 9 - min(9, fraction.count))),
      !fraction.isEmpty
    else { throw DocumentError(code: .invalidDate) }
    // A fraction counts from the second before when the time is before 1970.
    let isBorrowed = isNegative && nanoseconds > 0
    return try Timestamp(
      secondsSinceEpoch: Int64(isNegative ? -seconds - (isBorrowed ? 1 : 0) : seconds),
      nanoseconds: Int32(isBorrowed ? 1_000_000_000 - nanoseconds : nanoseconds))
  }

  private static func unixText(_ time: Timestamp) -> String {
    guard time.nanoseconds > 0 else { return String(time.secondsSinceEpoch) }
    let isNegative = time.secondsSinceEpoch < 0
    let seconds = isNegative ? -(time.secondsSinceEpoch + 1) : time.secondsSinceEpoch
    var fraction = padded(Int(isNegative ? 1_000_000_000 - time.nanoseconds : time.nanoseconds), to: 9)
    while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
    return "\(isNegative ? "-" : "")\(seconds).\(String(decoding: fraction, as: UTF8.self))"
  }

  /// Nil for anything but 1 to 18 digits.
  private static func decimal(_ digits: some Collection<UInt8>) -> Int? {
    guard (1...18).contains(digits.count), digits.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  private static func padded(_ number: Int, to digitCount: Int) -> [UInt8] {
    let digits = Array(String(number).utf8)
    return [UInt8](repeating: UInt8(ascii: "0"), count: max(0, digitCount - digits.count)) + digits
  }
}
