/// The password rules of a site, in the notation of the attribute `passwordrules`: `minlength: 12; maxlength: 20;
/// required: lower; required: digit, [-_]; allowed: upper; max-consecutive: 2`.
///
/// Each `required` demands at least one of its characters. All listed characters are allowed; without any list, all of
/// printable ASCII is. Of repeated rules the narrower counts.
package struct PasswordRules: Equatable, Sendable {
  /// Why a text is not a set of rules, or why the rules cannot be used.
  package struct Fault: Error, Equatable, Sendable {
    /// The message after the name of the input.
    package let reason: String
    package let hint: String
    /// Whether no password could satisfy them; if not, they are malformed.
    package let isImpossible: Bool
  }

  /// The original text.
  package let text: String
  /// The characters to draw from, in the order of bytes.
  package let alphabet: [UInt8]
  /// At least one character of each set is required.
  package let required: [[UInt8]]
  /// How often one character may follow itself, counting the first; nil for any number.
  package let longestRun: Int?
  package let lengths: ClosedRange<Int>

  private static let lower = Set("abcdefghijklmnopqrstuvwxyz".utf8)
  private static let upper = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
  private static let digit = Set("0123456789".utf8)
  // Without the blank, which forms trim at both ends; it counts in brackets.
  private static let special = Set("-~!@#$%^&*_+=`|(){}[:;\"'<>,.?]".utf8)
  private static let printable = Set(UInt8(ascii: "!")...UInt8(ascii: "~"))
  private static let requiredLimit = 6
  private static let longest = 1024
  /// The default length of a password, as far as the rules allow it.
  package static let usualLength = 24
  /// Below this share, nearly all drawn passwords would be thrown away.
  private static let leastShare = 1e-5

  /// Reads rules in this notation. Only ``usableShare(ofLength:)`` finds out whether a password can satisfy them.
  package init(parsing text: String) throws(Fault) {
    self.text = text
    var reader = RuleReader(text)
    var (allowed, required): (Set<UInt8>, [Set<UInt8>]) = ([], [])
    var (least, most, run): (Int?, Int?, Int?)
    while let rule = try reader.next() {
      switch rule {
      case .least(let number): least = max(least ?? 0, number)
      case .most(let number): most = min(most ?? .max, number)
      case .longestRun(let number): run = min(run ?? .max, number)
      case .allowed(let classes): allowed.formUnion(classes)
      case .required(let classes): if !required.contains(classes) { required.append(classes) }
      }
    }
    if allowed.isEmpty, required.isEmpty { allowed = Self.printable }
    let (shortest, longest) = (max(least ?? 1, 1), min(most ?? Self.longest, Self.longest))
    guard shortest <= longest else {
      throw Self.impossible("does not allow any length between 1 and \(Self.longest)", "check minlength and maxlength")
    }
    guard required.count <= Self.requiredLimit else {
      throw Self.impossible("cannot require more than \(Self.requiredLimit) classes", "remove some of them")
    }
    lengths = shortest...longest
    self.required = required.map { $0.sorted() }
    alphabet = required.reduce(allowed) { $0.union($1) }.sorted()
    longestRun = run
  }

  private static func impossible(_ reason: String, _ hint: String) -> Fault {
    Fault(reason: reason, hint: hint, isImpossible: true)
  }

  fileprivate static func named(_ name: String) -> Set<UInt8>? {
    switch name {
    case "lower": lower
    case "upper": upper
    case "digit": digit
    case "special": special
    // Characters beyond ASCII cannot be typed everywhere.
    case "ascii-printable", "unicode": printable
    default: nil
    }
  }

  /// Whether a password of characters of ``alphabet``, which is not checked, satisfies the rules except for its
  /// length.
  package func accepts(_ password: Span<UInt8>) -> Bool {
    var (run, missing) = (0, required)
    for index in password.indices {
      let byte = password[index]
      run = index > 0 && byte == password[index - 1] ? run + 1 : 1
      if let longestRun, run > longestRun { return false }
      missing.removeAll { $0.contains(byte) }
    }
    return missing.isEmpty
  }

  /// The requested length if it is allowed, else the nearest allowed length.
  package func length(nextTo length: Int) -> Int { min(max(length, lengths.lowerBound), lengths.upperBound) }

  /// The share of all strings of a length, drawn evenly from the alphabet, that satisfies the rules. Throws if it is
  /// so small that drawing would take too long.
  package func usableShare(ofLength length: Int) throws(Fault) -> Double {
    let share = share(ofLength: length)
    guard share > 0 else {
      throw Self.impossible("cannot be met by any password", "check required, max-consecutive and the length")
    }
    guard share >= Self.leastShare else {
      throw Self.impossible(
        "is met by so few passwords that it would take too long to find one", "allow a greater length")
    }
    return share
  }
}

extension PasswordRules {
  /// The state of a password that is drawn character by character.
  private struct State: Hashable {
    /// The required sorts that it contains, one bit each.
    var sorts = 0
    /// The sorts of its last character and the length of its run; both 0 if they do not matter.
    var last = 0
    var run = 0
  }

  /// Longer runs are so rare that their share is ignored.
  private static let countedRun = 8

  /// 0 if no such string satisfies the rules.
  private func share(ofLength length: Int) -> Double {
    if let longestRun, alphabet.count == 1, length > longestRun { return 0 }
    let limit = longestRun.flatMap { $0 <= Self.countedRun ? $0 : nil }
    if limit == 0 { return 0 }
    var groups: [Int: Int] = [:]
    for byte in alphabet {
      groups[required.indices.reduce(0) { required[$1].contains(byte) ? $0 | 1 << $1 : $0 }, default: 0] += 1
    }
    let total = Double(alphabet.count)
    var shares = [State(): 1.0]
    for _ in 0..<length {
      var next: [State: Double] = [:]
      for (state, share) in shares {
        for (group, count) in groups {
          let isSame = state.run > 0 && group == state.last
          let others = Double(count - (isSame ? 1 : 0))
          var after = State(sorts: state.sorts | group)
          if limit != nil { (after.last, after.run) = (group, 1) }
          if others > 0 { next[after, default: 0] += share * others / total }
          if isSame, let limit, state.run < limit {
            after.run = state.run + 1
            next[after, default: 0] += share / total
          }
        }
      }
      shares = next
    }
    let all = 1 << required.count - 1
    return shares.reduce(0) { $1.key.sorts == all ? $0 + $1.value : $0 }
  }
}

/// Reads one rule after the other.
private struct RuleReader {
  enum Rule {
    case least(Int)
    case most(Int)
    case longestRun(Int)
    case allowed(Set<UInt8>)
    case required(Set<UInt8>)
  }

  private var rest: Substring.UTF8View

  init(_ text: String) { rest = Substring(text).utf8 }

  /// - Returns: nil at the end.
  mutating func next() throws(PasswordRules.Fault) -> Rule? {
    skipBlanks()
    while take(";") { skipBlanks() }
    guard !rest.isEmpty else { return nil }
    let name = word()
    skipBlanks()
    guard take(":") else { throw Self.fault("has a rule that is not of the form NAME: VALUE") }
    let rule: Rule
    switch name {
    case "minlength": rule = .least(try number())
    case "maxlength": rule = .most(try number())
    case "max-consecutive": rule = .longestRun(try number())
    case "allowed": rule = .allowed(try classes())
    case "required": rule = .required(try classes())
    default: throw Self.fault("takes only minlength, maxlength, required, allowed and max-consecutive")
    }
    skipBlanks()
    guard rest.isEmpty || take(";") else { throw Self.fault("needs a semicolon after each rule") }
    return rule
  }

  private static func fault(_ reason: String) -> PasswordRules.Fault {
    PasswordRules.Fault(
      reason: reason, hint: "write rules such as 'minlength: 12; required: lower; required: digit; allowed: [-_]'",
      isImpossible: false)
  }

  private mutating func skipBlanks() { rest = rest.drop { $0 == 0x20 || $0 &- 0x09 < 5 } }

  private mutating func take(_ sign: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: sign) else { return false }
    rest = rest.dropFirst()
    return true
  }

  private mutating func word() -> String {
    let found = rest.prefix { ($0 | 0x20) &- UInt8(ascii: "a") < 26 || $0 == UInt8(ascii: "-") }
    rest = rest.dropFirst(found.count)
    return String(Substring(found)).lowercased()
  }

  private mutating func number() throws(PasswordRules.Fault) -> Int {
    skipBlanks()
    let digits = rest.prefix { $0 &- UInt8(ascii: "0") < 10 }
    rest = rest.dropFirst(digits.count)
    guard digits.count <= 6, let number = Int(String(Substring(digits))) else {
      throw Self.fault("needs a number after minlength, maxlength and max-consecutive")
    }
    return number
  }

  private mutating func classes() throws(PasswordRules.Fault) -> Set<UInt8> {
    var classes: Set<UInt8> = []
    repeat {
      skipBlanks()
      if take("[") {
        classes.formUnion(try listed())
      } else if let known = PasswordRules.named(word()) {
        classes.formUnion(known)
      } else {
        throw Self.fault(
          "takes only the classes upper, lower, digit, special, ascii-printable, unicode and [characters]")
      }
      skipBlanks()
    } while take(",")
    return classes
  }

  /// The characters up to the closing bracket; a bracket is a character if another one follows.
  private mutating func listed() throws(PasswordRules.Fault) -> Set<UInt8> {
    var listed = Array(rest.prefix { $0 != UInt8(ascii: "]") })
    rest = rest.dropFirst(listed.count)
    guard take("]") else { throw Self.fault("has a bracket that is not closed") }
    if take("]") { listed.append(UInt8(ascii: "]")) }
    guard !listed.isEmpty, listed.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw Self.fault("must have at least one character in brackets, and only printable ASCII")
    }
    return Set(listed)
  }
}
