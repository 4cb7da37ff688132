package import VaultDocument

/// The exact value of a JSON number: ±0.d₁d₂d₃… × 10^exponent, without zeros at either end of the digits.
package struct DecimalValue: Comparable, Hashable {
  private let isNegative: Bool
  private let digits: [UInt8]
  private let exponent: Int

  package init(_ number: JSONNumber) {
    var digits: [UInt8] = []
    var point: Int?
    var exponent = 0
    var bytes = Array(number.literal.utf8)[...]
    let isNegative = bytes.first == UInt8(ascii: "-")
    if isNegative { bytes.removeFirst() }
    while let byte = bytes.popFirst() {
      switch byte {
      case UInt8(ascii: "."): point = digits.count
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        exponent = Self.exponent(bytes)
        bytes = []
      default: digits.append(byte)
      }
    }
    exponent += point ?? digits.count
    let leading = digits.prefix { $0 == UInt8(ascii: "0") }.count
    digits.removeFirst(leading)
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    self.digits = digits
    self.isNegative = isNegative && !digits.isEmpty
    self.exponent = digits.isEmpty ? 0 : exponent - leading
  }

  /// An exponent of more than nine digits is treated as equal to others of this size: no literal has so many digits.
  private static func exponent(_ bytes: ArraySlice<UInt8>) -> Int {
    let text = String(decoding: bytes, as: UTF8.self)
    let limit = 1_000_000_000
    return Int(text).map { max(-limit, min(limit, $0)) } ?? (text.hasPrefix("-") ? -limit : limit)
  }

  package var isWhole: Bool { exponent >= digits.count }

  package static func < (left: DecimalValue, right: DecimalValue) -> Bool {
    guard left.isNegative == right.isNegative else { return left.isNegative }
    return left.isNegative ? right.isSmaller(than: left) : left.isSmaller(than: right)
  }

  /// Compares absolute values.
  private func isSmaller(than other: DecimalValue) -> Bool {
    guard !digits.isEmpty, !other.digits.isEmpty else { return digits.isEmpty && !other.digits.isEmpty }
    guard exponent == other.exponent else { return exponent < other.exponent }
    return digits.lexicographicallyPrecedes(other.digits)
  }
}

extension JSONValue {
  /// Whether two values are equal in the sense of JSON Schema: numbers by value, text by bytes.
  func hasSameValue(as other: JSONValue) -> Bool {
    switch (self, other) {
    case (.number(let one), .number(let other)): DecimalValue(one) == DecimalValue(other)
    case (.array(let one), .array(let other)):
      one.count == other.count && zip(one, other).allSatisfy { $0.hasSameValue(as: $1) }
    case (.object(let one), .object(let other)):
      one.count == other.count
        && zip(one, other).allSatisfy {
          $0.name.utf8.elementsEqual($1.name.utf8) && $0.value.hasSameValue(as: $1.value)
        }
    default: self == other
    }
  }
}

/// A value that sets compare in the sense of JSON Schema.
struct ComparedValue: Hashable {
  let value: JSONValue

  static func == (left: ComparedValue, right: ComparedValue) -> Bool { left.value.hasSameValue(as: right.value) }

  func hash(into hasher: inout Hasher) {
    switch value {
    case .null: hasher.combine(0)
    case .bool(let flag): hasher.combine(flag)
    case .number(let number): hasher.combine(DecimalValue(number))
    case .string(let text): Self.combine(text, into: &hasher)
    case .array(let items):
      hasher.combine(items.count)
      for item in items { ComparedValue(value: item).hash(into: &hasher) }
    case .object(let members):
      hasher.combine(members.count)
      for (name, value) in members {
        Self.combine(name, into: &hasher)
        ComparedValue(value: value).hash(into: &hasher)
      }
    }
  }

  /// By bytes: Swift's own hash treats canonically equivalent texts as one.
  private static func combine(_ text: String, into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
    hasher.combine(-1)
  }
}
