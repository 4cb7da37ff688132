/// Where something stands in the file of another tool.
public struct SourcePlace: Hashable, Sendable, CustomStringConvertible {
  /// The line, from 1, where the format has lines.
  public var line: Int?
  /// The column of the line, from 1, in Unicode scalars; only for faults.
  public var column: Int?
  /// The name of the column, the member path, or the path of elements; empty for the line or file as a whole.
  public var path: String

  /// A place; the file as a whole where nothing is said.
  public init(line: Int? = nil, column: Int? = nil, path: String = "") {
    self.line = line
    self.column = column
    self.path = path
  }

  /// The same place, at a path.
  public func at(_ path: String) -> SourcePlace { SourcePlace(line: line, path: path) }

  /// The part of the path that is below another place; the whole path where it is not, and nothing for the same path.
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

/// What became of one leaf of the source.
public struct LedgerLine: Hashable, Sendable {
  /// What can become of a leaf; the text is the member path in the record.
  public enum Outcome: Hashable, Sendable {
    /// Stored as it is.
    case stored(at: String)
    /// Stored in another form, or understood: it chose the kind or became the identity.
    case mapped(to: String)
    /// Put under `fields` or `secrets`, since the kind has no member for it.
    case custom(at: String)
    /// Made a tag.
    case tagged
    /// An empty text, an absent date, an empty list: there is nothing to store.
    case empty
    /// Nothing of the person's: a setting of the other program, or how it shows something; a fixed sentence.
    case leftOut(String)
    /// Not taken, for this reason: a fixed sentence without content.
    case refused(String)
  }

  /// Where the leaf stands in the source.
  public let place: SourcePlace
  /// What became of it.
  public let outcome: Outcome

  /// What became of the leaf at a place.
  public init(_ place: SourcePlace, _ outcome: Outcome) {
    self.place = place
    self.outcome = outcome
  }
}

/// How many leaves of a source had which outcome; it does not keep the lines.
package struct LedgerTotals: Hashable, Sendable {
  /// Leaves stored as they were.
  package private(set) var stored = 0
  /// Leaves stored in another form, or understood.
  package private(set) var mapped = 0
  /// Leaves put under `fields` or `secrets`.
  package private(set) var custom = 0
  /// Leaves made tags.
  package private(set) var tagged = 0
  /// Leaves without anything to store.
  package private(set) var empty = 0
  /// Settings of the other program.
  package private(set) var leftOut = 0
  /// Leaves not taken.
  package private(set) var refused = 0

  /// No leaf yet.
  package init() {}

  /// All leaves.
  package var leaves: Int { stored + mapped + custom + tagged + empty + leftOut + refused }

  /// Counts lines; each is one leaf.
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
