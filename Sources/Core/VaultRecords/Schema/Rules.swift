public import VaultDocument

// Each rule returns the fault of a value as a fixed sentence without the value; nil if it is good.

extension TextRule {
  func fault(in text: String) -> String? {
    if minimumLength != nil || maximumLength != nil {
      let length = text.unicodeScalars.count
      if let minimumLength, length < minimumLength {
        return minimumLength == 1 ? "must not be empty" : "must have at least \(minimumLength) characters"
      }
      if let maximumLength, length > maximumLength { return "must have at most \(maximumLength) characters" }
    }
    if let format, !format.fits(text) { return format.faultReason }
    guard let pattern else { return nil }
    guard text.utf8.count <= Pattern.maximumTextByteCount else {
      return "is longer than \(Pattern.maximumTextByteCount) bytes, the limit for a pattern"
    }
    return pattern.matches(text) ? nil : patternReason ?? "does not have the form that its kind requires"
  }
}

extension NumberRule {
  func fault(in number: JSONNumber) -> String? {
    guard minimum != nil || maximum != nil || exclusiveMinimum != nil || exclusiveMaximum != nil else { return nil }
    let value = DecimalValue(number)
    if let minimum, value < DecimalValue(minimum) { return "must be at least \(minimum.literal)" }
    if let maximum, value > DecimalValue(maximum) { return "must be at most \(maximum.literal)" }
    if let exclusiveMinimum, value <= DecimalValue(exclusiveMinimum) {
      return "must be more than \(exclusiveMinimum.literal)"
    }
    if let exclusiveMaximum, value >= DecimalValue(exclusiveMaximum) {
      return "must be less than \(exclusiveMaximum.literal)"
    }
    return nil
  }
}

extension ListRule {
  func fault(inCount count: Int) -> String? {
    if let minimumCount, count < minimumCount { return "must have at least \(minimumCount) items" }
    if let maximumCount, count > maximumCount { return "must have at most \(maximumCount) items" }
    return nil
  }
}

extension ObjectRule {
  func fault(inCount count: Int) -> String? {
    if let minimumCount, count < minimumCount { return "must have at least \(minimumCount) fields" }
    if let maximumCount, count > maximumCount { return "must have at most \(maximumCount) fields" }
    return nil
  }
}

extension ValueSchema {
  /// Whether a value has the type and satisfies the rules, without checking the items of a list or the members of an
  /// object.
  public func accepts(_ value: JSONValue) -> Bool { fault(in: value) == nil }

  /// The fault of a value that is neither list nor object, or of the type of a list or object.
  func fault(in value: JSONValue) -> (code: RecordError.Code, reason: String)? {
    let fault: String?
    switch (form, value) {
    case (.text(let rule), .string(let text)): fault = rule.fault(in: text)
    case (.text(let rule), .number(let number)) where rule.takesDigits && DecimalValue(number).isWhole:
      fault = rule.fault(in: number.literal)
    case (.integer(let rule), .number(let number)):
      guard DecimalValue(number).isWhole else { return (.wrongType, "must be a whole number") }
      fault = rule.fault(in: number)
    case (.number(let rule), .number(let number)): fault = rule.fault(in: number)
    case (.list(let rule), .array(let items)): fault = rule.fault(inCount: items.count)
    case (.object(let rule), .object(let members)): fault = rule.fault(inCount: members.count)
    case (.bool, .bool), (.any, _): fault = nil
    default:
      if value.isNull, isNullable { return nil }
      return (.wrongType, "must be \(typePhrase)")
    }
    if let fault { return (.invalidValue, fault) }
    guard let allowed, !allowed.contains(where: { $0.hasSameValue(as: value) }) else { return nil }
    return (.invalidValue, "is not one of the values that its kind allows")
  }

  private var typePhrase: String {
    switch form {
    case .text: "text"
    case .integer: "a whole number"
    case .number: "a number"
    case .bool: "true or false"
    case .list: "an array"
    case .object: "an object"
    case .any: "a value"
    }
  }
}
