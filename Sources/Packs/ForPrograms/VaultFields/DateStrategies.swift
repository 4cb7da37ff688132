#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
internal import VaultDocument
internal import VaultSealing

extension JSONEncoder.DateEncodingStrategy {
  /// Writes dates in one format; formats of numbers are written as numbers.
  ///
  /// The encoder throws `EncodingError` for a date outside the years 1 to 9999, without its value.
  public static func format(_ format: DateFormat) -> JSONEncoder.DateEncodingStrategy {
    .custom { date, encoder in
      guard let timestamp = Timestamp(date) else {
        throw EncodingError.invalidDate(encoder.codingPath)
      }
      var container = encoder.singleValueContainer()
      guard let numbered = format.numbered else { return try container.encode(format.text(of: timestamp)) }
      if let whole = numbered.whole(timestamp) {
        try container.encode(whole)
      } else {
        try container.encode(numbered.number(ofSecondsSince1970: date.timeIntervalSince1970))
      }
    }
  }
}

extension JSONDecoder.DateDecodingStrategy {
  /// Reads dates in the first format that fits, and numbers in the first format of numbers.
  ///
  /// The decoder throws `DecodingError.dataCorrupted`, without the text, if no format fits.
  public static func formats(_ formats: DateFormat...) -> JSONDecoder.DateDecodingStrategy {
    .custom { decoder in
      let container = try decoder.singleValueContainer()
      let numbered = formats.lazy.compactMap(\.numbered).first
      if let numbered, let number = try? container.decode(Double.self) {
        return Date(timeIntervalSince1970: numbered.secondsSince1970(number))
      }
      let text = try container.decode(String.self)
      for format in formats {
        if let timestamp = try? format.timestamp(from: text) { return Date(timestamp) }
      }
      let reason = formats == [.iso8601] ? "is not a date in ISO 8601" : "is not a date in an expected format"
      throw DecodingError.invalidDate(decoder.codingPath, reason)
    }
  }
}
