/// A set of Unicode scalars: ranges and classes of Unicode, possibly inverted.
struct PatternSet: Sendable {
  var ranges: [ClosedRange<Unicode.Scalar>] = []
  var nested: [PatternSet] = []
  var category: String?
  var isNegated = false

  func contains(_ scalar: Unicode.Scalar) -> Bool {
    let isIn =
      ranges.contains { $0.contains(scalar) } || nested.contains { $0.contains(scalar) }
      || category.map { scalar.properties.generalCategory.code.hasPrefix($0) } ?? false
    return isIn != isNegated
  }

  init(_ ranges: ClosedRange<Unicode.Scalar>...) { self.ranges = ranges }

  /// The scalars of one general category of Unicode, or of all that begin with its letter; nil for an unknown category.
  init?(category: String) {
    let isKnown = Unicode.GeneralCategory.codes.contains { $0.hasPrefix(category) }
    guard isKnown, !category.isEmpty else { return nil }
    self.category = category
  }

  var negated: PatternSet {
    var copy = self
    copy.isNegated.toggle()
    return copy
  }

  static let digit = PatternSet("0"..."9")
  static let word = PatternSet("0"..."9", "A"..."Z", "_"..."_", "a"..."z")
  static let space = PatternSet(
    "\t"..."\r", " "..." ", "\u{A0}"..."\u{A0}", "\u{1680}"..."\u{1680}", "\u{2000}"..."\u{200A}",
    "\u{2028}"..."\u{2029}", "\u{202F}"..."\u{202F}", "\u{205F}"..."\u{205F}", "\u{3000}"..."\u{3000}",
    "\u{FEFF}"..."\u{FEFF}")
  /// The scalars that `.` does not match.
  static let lineEnd = PatternSet("\n"..."\n", "\r"..."\r", "\u{2028}"..."\u{2029}")
}

extension Unicode.GeneralCategory {
  fileprivate static let codes = [
    "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm",
    "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn",
  ]

  /// Its two-letter code in the standard.
  fileprivate var code: String {
    switch self {
    case .uppercaseLetter: "Lu"
    case .lowercaseLetter: "Ll"
    case .titlecaseLetter: "Lt"
    case .modifierLetter: "Lm"
    case .otherLetter: "Lo"
    case .nonspacingMark: "Mn"
    case .spacingMark: "Mc"
    case .enclosingMark: "Me"
    case .decimalNumber: "Nd"
    case .letterNumber: "Nl"
    case .otherNumber: "No"
    case .connectorPunctuation: "Pc"
    case .dashPunctuation: "Pd"
    case .openPunctuation: "Ps"
    case .closePunctuation: "Pe"
    case .initialPunctuation: "Pi"
    case .finalPunctuation: "Pf"
    case .otherPunctuation: "Po"
    case .mathSymbol: "Sm"
    case .currencySymbol: "Sc"
    case .modifierSymbol: "Sk"
    case .otherSymbol: "So"
    case .spaceSeparator: "Zs"
    case .lineSeparator: "Zl"
    case .paragraphSeparator: "Zp"
    case .control: "Cc"
    case .format: "Cf"
    case .surrogate: "Cs"
    case .privateUse: "Co"
    case .unassigned: "Cn"
    @unknown default: "Cn"
    }
  }
}
