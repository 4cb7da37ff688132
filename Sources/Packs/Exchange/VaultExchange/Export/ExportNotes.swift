/// The remarks for the user before an export begins, with counts.
public struct ExportNotes: Equatable, Sendable {
  enum Remark: Hashable {
    case recordsLeftOut(kind: String)
    case valuesLeftOut(member: String, kind: String)
    /// Null, an empty text or list, which the format cannot tell from an absent value.
    case emptyLeftOut(kind: String)
    /// The form of one record of a kind in the format, and its plural.
    case becoming(String, many: String, kind: String)
    /// A value of another tool whose record does not have its place any more.
    case stray(kind: String)
    case formulas
    /// A text that the tool itself drops or changes when it reads the file.
    case fragile
    case renumbered
    /// Quotes that some readers of variables do not support.
    case quoted
    /// Dollar signs that some readers of variables substitute.
    case dollars
    /// Commands in double quotes, which some readers of variables run.
    case commands
    /// Quotes that older programs do not support.
    case quotedWords
    /// Line ends, which netrc readers interpret differently.
    case escapedLines
    /// Braces that KeePass replaces and that it cannot escape.
    case placeholders
    /// Numbers that are written in another form, such as 1000 for 1e3.
    case numbers

    var isLoss: Bool {
      switch self {
      case .recordsLeftOut, .valuesLeftOut, .emptyLeftOut: true
      case .becoming, .stray, .formulas, .fragile, .renumbered, .quoted, .dollars, .commands, .quotedWords: false
      case .placeholders, .numbers, .escapedLines: false
      }
    }
  }

  private let format: String
  private var counts: [Remark: Int] = [:]

  init(_ format: String) { self.format = format }

  mutating func add(_ remark: Remark) { counts[remark, default: 0] += 1 }

  /// Whether all records can be exported with all their values.
  public var isComplete: Bool { !counts.keys.contains(where: \.isLoss) }

  /// One sentence for each remark, the losses first.
  public var sentences: [String] {
    counts.map { (remark: $0.key, text: text(of: $0.key, $0.value, values($0.value))) }
      .sorted { ($0.remark.isLoss ? 0 : 1, $0.text) < ($1.remark.isLoss ? 0 : 1, $1.text) }
      .map(\.text)
  }

  private func records(_ kind: String, _ count: Int) -> String {
    "\(count) record\(count == 1 ? "" : "s") of the kind \(kind)"
  }

  private func values(_ count: Int) -> String { count == 1 ? "1 value" : "\(count) values" }

  private func leftOut(_ count: Int) -> String {
    count == 1
      ? "is left out: \(format) has no place for it" : "are left out: \(format) has no place for them"
  }

  private func emptyLeftOut(_ count: Int, _ kind: String) -> String {
    "\(count) empty \(count == 1 ? "value" : "values") in records of the kind \(kind) "
      + "\(count == 1 ? "is" : "are") left out: \(format) cannot tell empty values from missing ones"
  }

  private func stray(_ count: Int, _ values: String, _ kind: String) -> String {
    "\(values) in records of the kind \(kind) \(count == 1 ? "becomes a custom field" : "become custom fields"): "
      + "\(format) no longer has a special place for \(count == 1 ? "it" : "them")"
  }

  private func text(of remark: Remark, _ count: Int, _ values: String) -> String {
    let isOne = count == 1
    let (areQuoted, contain) = ("\(isOne ? "is" : "are") in quotes", isOne ? "contains" : "contain")
    return switch remark {
    case .recordsLeftOut(let kind): "\(records(kind, count)) \(leftOut(count))"
    case .valuesLeftOut(let member, let kind): "\(values) of \(member) in records of the kind \(kind) \(leftOut(count))"
    case .emptyLeftOut(let kind): emptyLeftOut(count, kind)
    case .becoming(let one, let many, let kind):
      "\(records(kind, count)) \(isOne ? "becomes \(one)" : "become \(many)")"
    case .stray(let kind): stray(count, values, kind)
    case .formulas:
      "\(values) \(isOne ? "begins" : "begin") with = + - @, a tab or a line end, which spreadsheets read as "
        + "formulas: when you open the file, import all columns as text"
    case .fragile:
      "\(values) \(contain) U+007F to U+009F, which KeePassXC drops, or a lone carriage return, which it turns into "
        + "a line feed"
    case .quoted:
      "\(values) \(areQuoted), which `docker run --env-file` reads as a part of the value; Compose and python-dotenv "
        + "do not"
    case .dollars:
      "\(values) \(contain) a dollar sign, which some readers replace with a variable: python-dotenv keeps it with "
        + "interpolate=False"
    case .commands:
      "\(values) \(contain) ` or $( between double quotes, which a shell or Ruby's dotenv runs: for shells use the "
        + "format env"
    case .quotedWords: "\(values) \(areQuoted), which curl from 7.84, git and Python can read and ftp cannot"
    case .escapedLines:
      "\(values) \(contain) a line end, which is written as \\n or \\r: curl reads a line end, but Python and git "
        + "read the letter"
    case .placeholders:
      "\(values) \(contain) a placeholder such as {USERNAME} or {REF:…}, which KeePass and KeePassXC replace with "
        + "another text; they have no escape for it"
    case .numbers: "\(count) number\(isOne ? " is" : "s are") written in the form of sops: 1e3 becomes 1000"
    case .renumbered:
      isOne
        ? "1 name was already used, so a number was added to it"
        : "\(count) names were already used, so a number was added to each"
    }
  }
}
