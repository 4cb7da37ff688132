#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import VaultDocument

extension JSONEncoder {
  /// An encoder for records and sealed values: pretty-printed, sorted by names, slashes not escaped, ISO 8601 dates as
  /// in format 1, and this context.
  ///
  /// `outputFormatting` has the first three, and `remove(_:)` removes one:
  ///
  /// ```swift
  /// let encoder = JSONEncoder.sealing(with: context)
  /// encoder.outputFormatting.remove(.prettyPrinted)
  /// ```
  public static func sealing(with context: SealingContext) -> JSONEncoder {
    let encoder = plain(userInfo: context)
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return encoder
  }

  /// Like `sealing(with:)`, with an optional context.
  static func plain(userInfo context: SealingContext?) -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    encoder.dateEncodingStrategy = .custom { date, encoder in
      guard let timestamp = Timestamp(date) else { throw EncodingError.invalidDate(encoder.codingPath) }
      var container = encoder.singleValueContainer()
      try container.encode(timestamp.text)
    }
    encoder.userInfo[SealingContext.userInfoKey] = context
    return encoder
  }
}

extension JSONDecoder {
  /// A decoder for records and sealed values: ISO 8601 dates as in format 1, and this context.
  public static func opening(with context: SealingContext) -> JSONDecoder { plain(userInfo: context) }

  /// Like `opening(with:)`, with an optional context.
  static func plain(userInfo context: SealingContext?) -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let text = try decoder.singleValueContainer().decode(String.self)
      guard let time = try? Timestamp(parsing: text) else {
        throw DecodingError.invalidDate(decoder.codingPath, "is not a date in ISO 8601")
      }
      return Date(time)
    }
    decoder.userInfo[SealingContext.userInfoKey] = context
    return decoder
  }
}

extension Timestamp {
  /// The moment of a `Date`, to the millisecond. Smaller fractions are dropped toward the past, so `Date()` does not
  /// come back equal.
  ///
  /// A `Date` is a floating-point count of seconds since 2001, mostly made from one since 1970, which is less precise.
  /// If it lies within either precision of a whole millisecond, that millisecond is used. Nil outside the years 1 to
  /// 9999.
  public init?(_ date: Date) {
    let interval = date.timeIntervalSinceReferenceDate
    // Far outside the years 1 to 9999, the conversion to an integer would trap.
    guard interval.magnitude < 1e12 else { return nil }
    let exact = interval * 1000
    let nearest = exact.rounded()
    // Half a unit of each count and half a unit of the product; one whole unit is not always enough.
    let precision = 2 * max(interval.ulp, date.timeIntervalSince1970.ulp)
    let milliseconds = abs(exact - nearest) <= precision * 1000 ? nearest : exact.rounded(.down)
    let seconds = (milliseconds / 1000).rounded(.down)
    let referenceDate: Int64 = 978_307_200  // 2001-01-01T00:00:00Z
    guard
      let timestamp = try? Timestamp(
        secondsSinceEpoch: Int64(seconds) + referenceDate,
        nanoseconds: Int32(milliseconds - seconds * 1000) * 1_000_000)
    else { return nil }
    self = timestamp
  }
}

extension Date {
  /// The `Date` with the same number of seconds since 1970, so that most dates with milliseconds come back equal.
  public init(_ timestamp: Timestamp) {
    self.init(
      timeIntervalSince1970: Double(timestamp.secondsSinceEpoch) + Double(timestamp.nanoseconds) / 1_000_000_000)
  }
}

extension EncodingError {
  /// For a date that has no written form; its value is not in it.
  package static func invalidDate(_ path: [any CodingKey]) -> EncodingError {
    .invalidValue("<date>", .init(codingPath: path, debugDescription: "is outside the years 1 to 9999"))
  }
}

extension DecodingError {
  /// For a text that is not a date; the text is not in it.
  package static func invalidDate(_ path: [any CodingKey], _ reason: String) -> DecodingError {
    let underlying = DocumentError(code: .invalidDate, reason: reason)
    return .dataCorrupted(.init(codingPath: path, debugDescription: reason, underlyingError: underlying))
  }
}

extension Error {
  /// The sealing error inside an error of Codable, at any depth: property lists wrap errors twice.
  public var sealingError: SealingError? {
    switch self as any Error {
    case let error as SealingError: error
    case DecodingError.dataCorrupted(let context): context.underlyingError?.sealingError
    case EncodingError.invalidValue(_, let context): context.underlyingError?.sealingError
    default: nil
    }
  }

  /// This error of an encoder without the value that could not be written. For property lists that is the whole
  /// document.
  var withoutValue: any Error {
    guard case EncodingError.invalidValue(_, let context) = self as any Error else { return self }
    if let inner = context.underlyingError as? EncodingError { return inner.withoutValue }
    return EncodingError.invalidValue(
      "<value>",
      .init(codingPath: [], debugDescription: "cannot be written", underlyingError: context.underlyingError))
  }
}
