/// The expiry month of a card in the forms that tools write.
enum CardExpiry {
  /// `YYYY-MM`, or `MM/YY` if the century is missing; nil if the text is not a month.
  ///
  /// Reads `06/2020`, `06 / 20`, `6-2020`, `2020-06`, `202006`, `June,2020`.
  static func normal(_ text: String) -> String? {
    let parts = text.split { !$0.isLetter && !$0.isNumber }.map { $0.lowercased() }
    if parts.count == 1, parts[0].count == 6, let number = Int(parts[0]) {
      return month(number % 100, year: String(parts[0].prefix(4)))
    }
    guard parts.count == 2 else { return nil }
    if parts[0].count == 4, let number = Int(parts[1]) { return month(number, year: parts[0]) }
    let named = months.firstIndex(of: String(parts[0].prefix(3))).map { $0 + 1 }
    return (Int(parts[0]) ?? named).flatMap { month($0, year: parts[1]) }
  }

  private static func month(_ number: Int, year: String) -> String? {
    guard (1...12).contains(number), year.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return nil }
    let month = number < 10 ? "0\(number)" : "\(number)"
    switch year.utf8.count {
    case 4: return "\(year)-\(month)"
    case 2: return "\(month)/\(year)"
    default: return nil
    }
  }

  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]
}
