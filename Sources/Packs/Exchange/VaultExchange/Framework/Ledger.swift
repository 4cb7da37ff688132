/// A place in the file of another tool.
public struct SourcePlace: Hashable, Sendable, CustomStringConvertible {
  /// The line, from 1; nil if the format has no lines.
  public var line: Int?
  /// The column of the line, from 1, in Unicode scalars; only for faults.
  public var column: Int?
  /// The column name, the member path, or the element path; empty for the line or file as a whole.
  public var path: String

  /// Makes a place; without arguments, the file as a whole.
  public init(line: Int? = nil, column: Int? = nil, path: String = "") {
    self.line = line
    self.column = column
    self.path = path
  }

  /// The same line, at a path.
  public func at(_ path: String) -> SourcePlace { SourcePlace(line: line, path: path) }

  /// The path relative to another place; the whole path if it is not below it, and empty for the same path.
  func path(below place: SourcePlace) -> String {
    guard !place.path.isEmpty, path.begins(with: place.path) else { return path }
    let rest = path.utf8.dropFirst(place.path.utf8.count)
    guard let mark = rest.first else { return "" }
    guard [UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "[")].contains(mark) else { return path }
    return String(Substring(mark == UInt8(ascii: "[") ? rest : rest.dropFirst()))
  }

  /// `line 3, column 7`, `line 3: login_totp`, `items[2].name`.
  public var description: String {
    let position = [line.map { "line \($0)" }, column.map { "column \($0)" }].compactMap { $0 }
    return ([position.joined(separator: ", "), path].filter { !$0.isEmpty }).joined(separator: ": ")
  }
}

/// The outcome of one leaf of the source.
public struct LedgerLine: Hashable, Sendable {
  /// The possible outcomes of a leaf; the text is the member path in the record.
  public enum Outcome: Hashable, Sendable {
    /// Stored unchanged.
    case stored(at: String)
    /// Stored in another form, or used to choose the kind or the identity.
    case mapped(to: String)
    /// Stored under `fields` or `secrets`, because the kind has no member for it.
    case custom(at: String)
    /// Made a tag.
    case tagged
    /// Not stored, because it is an empty text, an absent date or an empty list.
    case empty
    /// Not stored, because it is a setting or the appearance of the other program. The text is a fixed sentence.
    case leftOut(String)
    /// Not stored, for this reason: a fixed sentence without content.
    case refused(String)
  }

  /// The place of the leaf in the source.
  public let place: SourcePlace
  /// The outcome.
  public let outcome: Outcome

  /// Makes the line of a leaf.
  public init(_ place: SourcePlace, _ outcome: Outcome) {
    self.place = place
    self.outcome = outcome
  }
}

/// How many leaves of a source had which outcome.
package struct LedgerTotals: Hashable, Sendable {
  package private(set) var stored = 0
  package private(set) var mapped = 0
  package private(set) var custom = 0
  package private(set) var tagged = 0
  package private(set) var empty = 0
  package private(set) var leftOut = 0
  package private(set) var refused = 0

  package init() {}

  package var leaves: Int { stored + mapped + custom + tagged + empty + leftOut + refused }

  package mutating func add(_ lines: some Sequence<LedgerLine>) {
    for line in lines {
      switch line.outcome {
      case .stored: stored += 1
      case .mapped: mapped += 1
      case .custom: custom += 1
      case .tagged: tagged += 1
      case .empty: empty += 1
      case .leftOut: leftOut += 1
      case .refused: refused += 1
      }
    }
  }
}
