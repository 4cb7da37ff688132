public import VaultDocument

/// A written form of a moment: ISO 8601, a number of seconds or milliseconds, or a pattern of one's own.
public struct DateFormat: Sendable, Hashable {
  fileprivate enum Form: Hashable {
    case iso8601
    case number(NumberedTime)
    case pattern([Piece])
  }
  fileprivate enum Piece: Hashable {
    /// A number with this many digits; 0 stands for one or two.
    case number(Field, digitCount: Int)
    /// The English name, whole or its first three letters; read in any case.
    case monthName(isShort: Bool)
    /// The English name, whole or its first three letters; read in any case, and checked against the date.
    case weekday(isShort: Bool)
    /// One or two digits of the day with `st`, `nd`, `rd` or `th`.
    case ordinalDay
    /// `AM` or `PM`, read in any case.
    case halfOfDay
    /// The difference from UTC: `+0200`, or `+02:00` with a colon. `Z` is read as UTC, and written by the form with a
    /// colon.
    case offset(hasColon: Bool)
    case literal(UInt8)
  }
  fileprivate enum Field: Hashable {
    case year, month, day, weekday, hour, halfDayHour, halfOfDay, minute, second, millisecond, offset
  }

  private let form: Form
  private init(_ form: Form) { self.form = form }

  /// `2026-11-21T01:40:28Z`; read with or without a fraction of a second, with `Z` or an offset.
  public static let iso8601 = DateFormat(.iso8601)
  /// Seconds since 1970-01-01T00:00:00Z as a decimal, with a fraction of up to nine digits if needed.
  public static let unixSeconds = DateFormat(.number(.unixSeconds))
  /// Seconds since 2001-01-01T00:00:00Z in the same form, the default of `JSONEncoder`.
  public static let referenceSeconds = DateFormat(.number(.referenceSeconds))
  /// Milliseconds since 1970-01-01T00:00:00Z as a whole number; a fraction is read, too.
  public static let unixMilliseconds = DateFormat(.number(.unixMilliseconds))
  /// `October 4th, 1987`.
  public static let englishDay = DateFormat(
    .pattern([
      .monthName(isShort: false), .literal(UInt8(ascii: " ")), .ordinalDay, .literal(UInt8(ascii: ",")),
      .literal(UInt8(ascii: " ")), .number(.year, digitCount: 4),
    ]))
  /// `2026-11-21`.
  public static let day = DateFormat(
    .pattern([
      .number(.year, digitCount: 4), .literal(UInt8(ascii: "-")), .number(.month, digitCount: 2),
      .literal(UInt8(ascii: "-")), .number(.day, digitCount: 2),
    ]))

  /// A pattern of `yyyy`, `MM`, `dd`, `HH`, `mm`, `ss`, `SSS` and text between them, letters in `'…'` (Unicode TR 35).
  ///
  /// A single letter is one or two digits. `MMM` and `MMMM` are the English name of the month, `EEE` and `EEEE` that of
  /// the weekday, which must fit the date. `h` or `hh` with `a` are the hours of half a day. `Z` (`+0200`) and `XXX`
  /// (`+02:00`) are the difference from UTC; a moment is written in UTC.
  ///
  /// Fields that the pattern lacks are dropped when a moment is written, and are 0 when one is read. Years of two
  /// digits and times without a date are refused.
  ///
  /// - Throws: ``DocumentError`` `.invalidDate` for other letters, a missing quote, a repeated field, or a missing
  ///   year, month or day.
  public init(pattern: String) throws(DocumentError) { form = .pattern(try Self.pieces(of: Array(pattern.utf8))) }

  /// Whether numbers are dates in this format.
  public var isNumber: Bool { numbered != nil }

  /// The unit and zero of the numbers, if numbers are dates in this format.
  var numbered: NumberedTime? { if case .number(let numbered) = form { numbered } else { nil } }

  /// Reads a moment strictly: the whole text, and a date and time that exist.
  ///
  /// - Throws: ``DocumentError`` `.invalidDate`.
  public func timestamp(from text: String) throws(DocumentError) -> Timestamp {
    switch form {
    case .iso8601: try Timestamp(parsing: text)
    case .number(let numbered): try numbered.timestamp(from: Array(text.utf8))
    case .pattern(let pieces): try Self.read(Array(text.utf8), pieces)
    }
  }

  /// Writes a moment; parts that the format cannot show are dropped toward the past.
  public func text(of time: Timestamp) -> String {
    switch form {
    case .iso8601: time.text
    case .number(let numbered): numbered.text(of: time)
    case .pattern(let pieces): Self.write(time, pieces)
    }
  }
}

extension DateFormat {
  private static let letters: [(letter: UInt8, Field, digitCount: Int)] = [
    (UInt8(ascii: "y"), .year, 4), (UInt8(ascii: "M"), .month, 2), (UInt8(ascii: "d"), .day, 2),
    (UInt8(ascii: "H"), .hour, 2), (UInt8(ascii: "m"), .minute, 2), (UInt8(ascii: "s"), .second, 2),
    (UInt8(ascii: "h"), .halfDayHour, 2), (UInt8(ascii: "S"), .millisecond, 3),
  ]

  private static func pieces(of pattern: [UInt8]) throws(DocumentError) -> [Piece] {
    let malformed = DocumentError(
      code: .invalidDate, reason: "the pattern is not a date pattern such as yyyy-MM-dd HH:mm:ss")
    var pieces: [Piece] = []
    var isQuoted = false
    var rest = pattern[...]
    while let byte = rest.first {
      if byte == UInt8(ascii: "'") {
        isQuoted.toggle()
        rest.removeFirst()
      } else if !isQuoted, byte | 0x20 >= UInt8(ascii: "a"), byte | 0x20 <= UInt8(ascii: "z") {
        let count = rest.prefix { $0 == byte }.count
        guard let piece = piece(of: byte, count), !pieces.contains(where: { $0.field == piece.field }) else {
          throw malformed
        }
        pieces.append(piece)
        rest.removeFirst(count)
      } else {
        pieces.append(.literal(byte))
        rest.removeFirst()
      }
    }
    let fields = Set(pieces.compactMap(\.field))
    let hasHalf = fields.contains(.halfOfDay)
    guard !isQuoted, fields.isSuperset(of: [.year, .month, .day]), fields.contains(.halfDayHour) == hasHalf,
      !(hasHalf && fields.contains(.hour))
    else { throw malformed }
    return pieces
  }

  private static func piece(of letter: UInt8, _ count: Int) -> Piece? {
    switch (letter, count) {
    case (UInt8(ascii: "M"), 3...4): return .monthName(isShort: count == 3)
    case (UInt8(ascii: "E"), 3...4): return .weekday(isShort: count == 3)
    case (UInt8(ascii: "a"), 1): return .halfOfDay
    case (UInt8(ascii: "Z"), 1): return .offset(hasColon: false)
    case (UInt8(ascii: "X"), 3): return .offset(hasColon: true)
    default:
      guard let known = letters.first(where: { $0.letter == letter }) else { return nil }
      guard count == known.digitCount || count == 1 && known.digitCount == 2 else { return nil }
      return .number(known.1, digitCount: count == 1 ? 0 : count)
    }
  }

  private static func read(_ text: [UInt8], _ pieces: [Piece]) throws(DocumentError) -> Timestamp {
    var fields: [Field: Int] = [:]
    var rest = text[...]
    for piece in pieces {
      switch piece {
      case .literal(let byte): guard rest.popFirst() == byte else { throw DocumentError(code: .invalidDate) }
      case .number(let field, let digitCount): fields[field] = try number(digitCount, from: &rest)
      case .monthName(let isShort): fields[.month] = try index(in: monthNames, isShort, of: &rest) + 1
      case .weekday(let isShort): fields[.weekday] = try index(in: weekdays, isShort, of: &rest)
      case .halfOfDay: fields[.halfOfDay] = try index(in: halves, false, of: &rest)
      case .offset(let hasColon): fields[.offset] = try offset(hasColon, from: &rest)
      case .ordinalDay:
        let day = try number(0, from: &rest)
        guard rest.starts(with: ordinal(day).utf8) else { throw DocumentError(code: .invalidDate) }
        rest.removeFirst(2)
        fields[.day] = day
      }
    }
    guard rest.isEmpty else { throw DocumentError(code: .invalidDate) }
    return try timestamp(of: fields)
  }

  private static func timestamp(of fields: [Field: Int]) throws(DocumentError) -> Timestamp {
    func field(_ field: Field) -> Int { fields[field, default: 0] }
    let date = CivilDate(year: field(.year), month: field(.month), day: field(.day))
    let halfDayHour = fields[.halfDayHour]
    let hour = halfDayHour.map { $0 % 12 + field(.halfOfDay) * 12 } ?? field(.hour)
    guard date.isReal, fields[.weekday] ?? weekday(of: date) == weekday(of: date), (1...12).contains(halfDayHour ?? 1),
      hour < 24, field(.minute) < 60, field(.second) < 60
    else { throw DocumentError(code: .invalidDate) }
    let second = hour * 3_600 + field(.minute) * 60 + field(.second) - field(.offset) * 60
    return try Timestamp(
      secondsSinceEpoch: Int64(date.daysSinceEpoch * 86_400 + second),
      nanoseconds: Int32(field(.millisecond)) * 1_000_000)
  }

  /// From 0, a Sunday. 1 January 1970 was a Thursday.
  private static func weekday(of date: CivilDate) -> Int { ((date.daysSinceEpoch + 4) % 7 + 7) % 7 }

  /// In minutes.
  private static func offset(_ hasColon: Bool, from rest: inout ArraySlice<UInt8>) throws(DocumentError) -> Int {
    guard let sign = rest.popFirst() else { throw DocumentError(code: .invalidDate) }
    if sign == UInt8(ascii: "Z") { return 0 }
    let hours = try number(2, from: &rest)
    if hasColon, rest.popFirst() != UInt8(ascii: ":") { throw DocumentError(code: .invalidDate) }
    let minutes = try number(2, from: &rest)
    guard "+-".utf8.contains(sign), hours < 24, minutes < 60 else { throw DocumentError(code: .invalidDate) }
    return (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -1 : 1)
  }

  /// - Parameter digitCount: 0 takes one or two.
  private static func number(_ digitCount: Int, from rest: inout ArraySlice<UInt8>) throws(DocumentError) -> Int {
    let digits = digitCount == 0 ? rest.prefix(2).prefix { $0 &- UInt8(ascii: "0") < 10 } : rest.prefix(digitCount)
    guard digitCount == 0 || digits.count == digitCount, let number = NumberedTime.decimal(digits) else {
      throw DocumentError(code: .invalidDate)
    }
    rest = rest.dropFirst(digits.count)
    return number
  }

  /// The index of the name with which the text continues.
  private static func index(
    in names: [String], _ isShort: Bool, of rest: inout ArraySlice<UInt8>
  ) throws(DocumentError) -> Int {
    for (index, name) in names.enumerated() {
      let name = isShort ? Array(name.utf8.prefix(3)) : Array(name.utf8)
      // Names contain only letters, whose cases differ by one bit.
      guard rest.prefix(name.count).map({ $0 | 0x20 }) == name.map({ $0 | 0x20 }) else { continue }
      rest = rest.dropFirst(name.count)
      return index
    }
    throw DocumentError(code: .invalidDate)
  }

  private static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
  private static let halves = ["AM", "PM"]
  private static let monthNames = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]

  private static func ordinal(_ day: Int) -> String {
    switch (day % 10, day / 10 % 10) {
    case (_, 1): "th"
    case (1, _): "st"
    case (2, _): "nd"
    case (3, _): "rd"
    default: "th"
    }
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
      case .monthName(let isShort): bytes += monthNames[date.month - 1].utf8.prefix(isShort ? 3 : .max)
      case .weekday(let isShort): bytes += weekdays[weekday(of: date)].utf8.prefix(isShort ? 3 : .max)
      case .halfOfDay: bytes += halves[second / 43_200].utf8
      case .offset(let hasColon): bytes += (hasColon ? "Z" : "+0000").utf8
      case .ordinalDay: bytes += Array("\(date.day)\(ordinal(date.day))".utf8)
      case .number(let field, let digitCount):
        bytes += NumberedTime.padded(number(field, date: date, second: second, time: time), to: digitCount)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension DateFormat {
  private static func number(_ field: Field, date: CivilDate, second: Int, time: Timestamp) -> Int {
    switch field {
    case .year: date.year
    case .month: date.month
    case .day: date.day
    case .hour: second / 3_600
    case .halfDayHour: (second / 3_600 + 11) % 12 + 1
    case .minute: second / 60 % 60
    case .second: second % 60
    case .millisecond: Int(time.nanoseconds) / 1_000_000
    // These fields are not digits.
    case .weekday, .halfOfDay, .offset: 0
    }
  }
}

extension DateFormat.Piece {
  /// The field of this piece; nil for text between fields.
  fileprivate var field: DateFormat.Field? {
    switch self {
    case .number(let field, _): field
    case .monthName: .month
    case .weekday: .weekday
    case .ordinalDay: .day
    case .halfOfDay: .halfOfDay
    case .offset: .offset
    case .literal: nil
    }
  }
}
