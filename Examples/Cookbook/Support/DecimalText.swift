/// A number that is text, as in `"86.4900"`: exact, in units of its last decimal.
public struct DecimalText: Codable, Equatable, Sendable {
  public let isNegative: Bool
  public let units: UInt
  public let decimalCount: Int

  /// Reads digits with at most one point among them, and a sign before them; nil for any other text.
  public init?(_ text: some StringProtocol) {
    isNegative = text.utf8.first == UInt8(ascii: "-")
    let parts = (isNegative ? text.dropFirst() : text[...]).split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, !parts.contains(""), parts.joined().utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }),
      let units = UInt(parts.joined())
    else { return nil }
    (self.units, decimalCount) = (units, parts.count == 2 ? parts[1].utf8.count : 0)
  }

  /// The number as it was written.
  public var text: String {
    var digits = String(units)
    while digits.utf8.count <= decimalCount { digits = "0" + digits }
    if decimalCount > 0 { digits.insert(".", at: digits.index(digits.endIndex, offsetBy: -decimalCount)) }
    return (isNegative ? "-" : "") + digits
  }

  public init(from decoder: any Decoder) throws {
    guard let number = Self(try decoder.singleValueContainer().decode(String.self)) else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "is no number"))
    }
    self = number
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
