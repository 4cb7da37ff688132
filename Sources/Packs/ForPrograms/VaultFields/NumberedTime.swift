internal import VaultDocument

/// Moments that are written as a number of seconds or milliseconds since another.
struct NumberedTime: Hashable, Sendable {
  /// The zero moment in seconds since 1970.
  private let zero: Int64
  /// The number of units in a second: 1 or 1000.
  private let perSecond: Int64

  static let unixSeconds = NumberedTime(zero: 0, perSecond: 1)
  static let referenceSeconds = NumberedTime(zero: 978_307_200, perSecond: 1)
  static let unixMilliseconds = NumberedTime(zero: 0, perSecond: 1000)

  /// Seconds since 1970 of a number that was read with binary rounding.
  func secondsSince1970(_ number: Double) -> Double { number / Double(perSecond) + Double(zero) }

  func number(ofSecondsSince1970 seconds: Double) -> Double { (seconds - Double(zero)) * Double(perSecond) }

  /// The number of a moment; nil if it has a fraction.
  func whole(_ time: Timestamp) -> Int64? {
    let part = 1_000_000_000 / perSecond
    guard Int64(time.nanoseconds) % part == 0 || perSecond > 1 else { return nil }
    return (time.secondsSinceEpoch - zero) * perSecond + Int64(time.nanoseconds) / part
  }

  /// Reads a decimal.
  func timestamp(from text: [UInt8]) throws(DocumentError) -> Timestamp {
    let isNegative = text.first == UInt8(ascii: "-")
    let parts = text.dropFirst(isNegative ? 1 : 0)
      .split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    let fraction = parts.count == 2 ? parts[1] : [UInt8(ascii: "0")]
    guard let whole = parts.first.flatMap(Self.decimal), !fraction.isEmpty, fraction.count <= 9,
      let billionths = Self.decimal(fraction + [UInt8](repeating: UInt8(ascii: "0"), count: 9 - fraction.count))
    else { throw DocumentError(code: .invalidDate) }
    let (seconds, rest) = Int64(whole).quotientAndRemainder(dividingBy: perSecond)
    let nanoseconds = (rest * 1_000_000_000 + Int64(billionths)) / perSecond
    // Before zero, a fraction counts from the previous second.
    let isBorrowed = isNegative && nanoseconds > 0
    return try Timestamp(
      secondsSinceEpoch: (isNegative ? -seconds - (isBorrowed ? 1 : 0) : seconds) + zero,
      nanoseconds: Int32(isBorrowed ? 1_000_000_000 - nanoseconds : nanoseconds))
  }

  /// Writes a moment; milliseconds are whole, rounded toward the past.
  func text(of time: Timestamp) -> String {
    if let whole = whole(time) { return String(whole) }
    let seconds = time.secondsSinceEpoch - zero
    let isNegative = seconds < 0
    var fraction = Self.padded(Int(isNegative ? 1_000_000_000 - time.nanoseconds : time.nanoseconds), to: 9)
    while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
    let whole = isNegative ? -(seconds + 1) : seconds
    return "\(isNegative ? "-" : "")\(whole).\(String(decoding: fraction, as: UTF8.self))"
  }

  /// Nil for anything but 1 to 18 digits.
  static func decimal(_ digits: some Collection<UInt8>) -> Int? {
    guard (1...18).contains(digits.count), digits.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  static func padded(_ number: Int, to digitCount: Int) -> [UInt8] {
    let digits = Array(String(number).utf8)
    return [UInt8](repeating: UInt8(ascii: "0"), count: max(0, digitCount - digits.count)) + digits
  }
}
