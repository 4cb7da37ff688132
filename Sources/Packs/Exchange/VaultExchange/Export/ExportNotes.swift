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

  private func has(_ count: Int) -> String { count == 1 ? "has" : "have" }

  private func escapedLines(_ count: Int, _ values: String) -> String {
    "\(values) \(count == 1 ? "holds" : "hold") a line end, which stands there as \\n or \\r: curl reads a line end, "
      + "Python and git read the letter"
  }

  private func text(of remark: Remark, _ count: Int, _ values: String) -> String {
    switch remark {
    case .recordsLeftOut(let kind): "\(records(kind, count)) \(has(count)) no place in \(format): left out"
    case .valuesLeftOut(let member, let kind):
      "\(values) of \(member) in records of the kind \(kind) \(has(count)) no place in \(format): left out"
    case .emptyLeftOut(let kind):
      "\(values) in records of the kind \(kind) \(count == 1 ? "is" : "are") empty, "
        + "which \(format) cannot tell from absent: left out"
    case .becoming(let one, let many, let kind):
      count == 1 ? "\(records(kind, count)) becomes \(one)" : "\(records(kind, count)) become \(many)"
    case .stray(let kind):
      "\(values) in records of the kind \(kind) \(has(count)) no place of "
        + "\(count == 1 ? "its" : "their") own in \(format) any more: custom fields"
    case .formulas:
      "\(values) \(count == 1 ? "begins" : "begin") with = + - @, a tab or a line end, which spreadsheets take for "
        + "formulas: have them read all columns as text"
    case .fragile:
      "\(values) \(count == 1 ? "holds" : "hold") U+007F to U+009F, which KeePassXC drops, or a carriage return alone, "
        + "which it makes a line feed"
    case .quoted:
      "\(values) \(count == 1 ? "stands" : "stand") in quotes, which `docker run --env-file` takes for a part of the "
        + "value; Compose and python-dotenv do not"
    case .dollars:
      "\(values) \(count == 1 ? "holds" : "hold") a dollar sign that some readers put a variable in for: python-dotenv "
        + "leaves it with interpolate=False"
    case .commands:
      "\(values) \(count == 1 ? "holds" : "hold") ` or $( between double quotes: a shell or Ruby's dotenv runs what "
        + "stands there; the format env is for shells"
    case .quotedWords:
      "\(values) \(count == 1 ? "stands" : "stand") in quotes, which curl from 7.84, git and Python read and ftp does not"
    case .escapedLines: escapedLines(count, values)
    case .placeholders:
      "\(values) \(count == 1 ? "holds" : "hold") a placeholder such as {USERNAME} or {REF:…}, for which KeePass and "
        + "KeePassXC show another text; they have no escape for it"
    case .numbers:
      "\(count) number\(count == 1 ? " is" : "s are") written as sops writes numbers: 1e3 becomes 1000"
    case .renumbered:
      "\(count) name\(count == 1 ? "" : "s") would stand twice and \(has(count)) a number"
    }
  }
}
