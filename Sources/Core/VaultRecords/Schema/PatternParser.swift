indirect enum PatternNode {
  case set(PatternSet)
  case assertion(PatternAssertion)
  case sequence([PatternNode])
  case choice([PatternNode])
  case repetition(PatternNode, minimum: Int, maximum: Int?)
}

/// Reads the grammar of ECMA-262, section 22.2.1, with its flag `u`.
///
/// The parser refuses back references, look-around, modifiers, `\c`, escapes of surrogates, and all properties but the
/// general categories by their short names, such as `\p{Lu}`.
struct PatternParser {
  private static let maximumDepth = 32
  private var scalars: [Unicode.Scalar]
  private var position = 0
  private var depth = 0

  init(_ text: String) { scalars = Array(text.unicodeScalars) }

  mutating func wholePattern() throws(TextFault) -> PatternNode {
    guard scalars.count <= Pattern.maximumSize else { throw TextFault("the pattern is too long") }
    let node = try choice()
    guard position == scalars.count else { throw TextFault("a ) has no matching (") }
    return node
  }

  private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    position += 1
    return true
  }

  private mutating func takeAny() throws(TextFault) -> Unicode.Scalar {
    guard let scalar = next else { throw TextFault("the pattern ends too early") }
    position += 1
    return scalar
  }

  private mutating func choice() throws(TextFault) -> PatternNode {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.maximumDepth else { throw TextFault("the groups are nested too deeply") }
    var branches = [try sequence()]
    while take("|") { branches.append(try sequence()) }
    return branches.count == 1 ? branches[0] : .choice(branches)
  }

  private mutating func sequence() throws(TextFault) -> PatternNode {
    var nodes: [PatternNode] = []
    while let scalar = next, scalar != "|", scalar != ")" { nodes.append(try repeated(try atom())) }
    return .sequence(nodes)
  }

  private mutating func repeated(_ node: PatternNode) throws(TextFault) -> PatternNode {
    let bounds: (Int, Int?)
    switch next {
    case "*": bounds = (0, nil)
    case "+": bounds = (1, nil)
    case "?": bounds = (0, 1)
    case "{": bounds = try countedBounds()
    default: return node
    }
    position += 1
    if case .assertion = node { throw TextFault("a part that takes no character is repeated") }
    _ = take("?")  // Greedy or not: it makes no difference whether there is a match.
    return .repetition(node, minimum: bounds.0, maximum: bounds.1)
  }

  /// `{n}`, `{n,}` or `{n,m}`; the closing brace is left to the caller.
  private mutating func countedBounds() throws(TextFault) -> (Int, Int?) {
    position += 1
    let minimum = try number()
    var maximum: Int? = minimum
    if take(",") { maximum = next == "}" ? nil : try number() }
    guard next == "}" else { throw TextFault("a { has no }") }
    if let maximum, maximum < minimum { throw TextFault("a repetition has a maximum below its minimum") }
    return (minimum, maximum)
  }

  private mutating func number() throws(TextFault) -> Int {
    var digits = ""
    while let scalar = next, ("0"..."9").contains(scalar) {
      digits.unicodeScalars.append(scalar)
      position += 1
    }
    guard let number = Int(digits), number <= Pattern.maximumSize else {
      throw TextFault("a repetition needs a count from 0 to \(Pattern.maximumSize)")
    }
    return number
  }

  private mutating func atom() throws(TextFault) -> PatternNode {
    let scalar = try takeAny()
    switch scalar {
    case "^": return .assertion(.start)
    case "$": return .assertion(.end)
    case ".": return .set(PatternSet.lineEnd.negated)
    case "(": return try group()
    case "[": return .set(try characterClass())
    case "\\":
      if take("b") { return .assertion(.boundary) }
      if take("B") { return .assertion(.noBoundary) }
      return .set(try escape())
    case "*", "+", "?", "{": throw TextFault("a repetition has nothing to repeat")
    case "}", "]": throw TextFault("a closing bracket has no opening bracket")
    default: return .set(PatternSet(scalar...scalar))
    }
  }

  /// A group whose `(` was read. Its name, if it has one, is not checked.
  private mutating func group() throws(TextFault) -> PatternNode {
    if take("?"), !take(":") {
      guard take("<"), let scalar = next, scalar != "=", scalar != "!" else {
        throw TextFault("look-around is not supported")
      }
      while try takeAny() != ">" {}
    }
    let node = try choice()
    guard take(")") else { throw TextFault("a ( is not closed") }
    return node
  }

  /// A class whose `[` was read.
  private mutating func characterClass() throws(TextFault) -> PatternSet {
    var set = PatternSet()
    set.isNegated = take("^")
    while !take("]") {
      let low = try classMember()
      guard next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
        set.nested.append(low)
        continue
      }
      position += 1
      let high = try classMember()
      guard let first = low.onlyScalar, let last = high.onlyScalar, first <= last else {
        throw TextFault("the ends of a range of characters are in the wrong order")
      }
      set.ranges.append(first...last)
    }
    return set
  }

  private mutating func classMember() throws(TextFault) -> PatternSet {
    let scalar = try takeAny()
    guard scalar == "\\" else { return PatternSet(scalar...scalar) }
    if take("b") { return PatternSet("\u{8}"..."\u{8}") }
    if take("-") { return PatternSet("-"..."-") }
    return try escape()
  }

  /// An escape whose backslash was read, except `\b` and `\B`.
  private mutating func escape() throws(TextFault) -> PatternSet {
    let scalar = try takeAny()
    switch scalar {
    case "d": return .digit
    case "D": return PatternSet.digit.negated
    case "w": return .word
    case "W": return PatternSet.word.negated
    case "s": return .space
    case "S": return PatternSet.space.negated
    case "p": return try category()
    case "P": return try category().negated
    case "1"..."9", "k": throw TextFault("back references are not supported")
    default:
      let literal = try escapedScalar(scalar)
      return PatternSet(literal...literal)
    }
  }

  private mutating func escapedScalar(_ scalar: Unicode.Scalar) throws(TextFault) -> Unicode.Scalar {
    switch scalar {
    case "t": return "\t"
    case "n": return "\n"
    case "v": return "\u{B}"
    case "f": return "\u{C}"
    case "r": return "\r"
    case "0": return "\0"
    case "x": return try hex(digitCount: 2)
    case "u":
      guard take("{") else { return try hex(digitCount: 4) }
      let value = try hex(digitCount: nil)
      guard take("}") else { throw TextFault("a { has no }") }
      return value
    case "^", "$", "\\", ".", "*", "+", "?", "(", ")", "[", "]", "{", "}", "|", "/": return scalar
    default: throw TextFault("an escape is not known")
    }
  }

  /// - Parameter digitCount: the exact count; nil for one to six digits.
  private mutating func hex(digitCount: Int?) throws(TextFault) -> Unicode.Scalar {
    var digits = ""
    while digits.utf8.count < digitCount ?? 6, let scalar = next, scalar.properties.isASCIIHexDigit {
      digits.unicodeScalars.append(scalar)
      position += 1
    }
    guard digitCount.map({ $0 == digits.utf8.count }) ?? true, let value = UInt32(digits, radix: 16),
      let scalar = Unicode.Scalar(value)
    else { throw TextFault("an escape does not name a character") }
    return scalar
  }

  /// `{L}`, `{Lu}` and so on.
  private mutating func category() throws(TextFault) -> PatternSet {
    guard take("{") else { throw TextFault("an escape is not known") }
    var name = ""
    while !take("}") { name.unicodeScalars.append(try takeAny()) }
    guard let set = PatternSet(category: name) else {
      throw TextFault("only Unicode general categories such as Lu are supported")
    }
    return set
  }
}

extension PatternSet {
  fileprivate var onlyScalar: Unicode.Scalar? {
    guard ranges.count == 1, nested.isEmpty, category == nil, !isNegated else { return nil }
    return ranges[0].lowerBound == ranges[0].upperBound ? ranges[0].lowerBound : nil
  }
}
