/// What a person is told before an export begins, with how often it is the case.
public struct ExportNotes: Equatable, Sendable {
  /// One thing to say.
  enum Remark: Hashable {
    case recordsLeftOut(kind: String)
    case valuesLeftOut(member: String, kind: String)
    /// Null, an empty text or list, where the format cannot tell it from what is absent.
    case emptyLeftOut(kind: String)
    /// What one record of a kind is in the format, and what several are.
    case becoming(String, many: String, kind: String)
    /// What another tool has a place for that the record has not any more.
    case stray(kind: String)
    case formulas
    /// What the tool itself drops or changes when it reads the file.
    case fragile
    case renumbered
    /// Quotes that a reader of variables may not know.
    case quoted
    /// Dollar signs that a reader of variables may put something in for.
    case dollars
    /// Quotes that older programs do not know.
    case quotedWords

    var isLoss: Bool {
      switch self {
      case .recordsLeftOut, .valuesLeftOut, .emptyLeftOut: true
      case .becoming, .stray, .formulas, .fragile, .renumbered, .quoted, .dollars, .quotedWords: false
      }
    }
  }

  private let format: String
  private var counts: [Remark: Int] = [:]

  init(_ format: String) { self.format = format }

  mutating func add(_ remark: Remark) { counts[remark, default: 0] += 1 }

  /// Whether all records can go out with all that they hold.
  public var isComplete: Bool { !counts.keys.contains(where: \.isLoss) }

  /// A sentence for each, the losses first.
  public var sentences: [String] {
    counts.map { (remark: $0.key, text: text(of: $0.key, $0.value)) }
      .sorted { ($0.remark.isLoss ? 0 : 1, $0.text) < ($1.remark.isLoss ? 0 : 1, $1.text) }
      .map(\.text)
  }

  private func text(of remark: Remark, _ count: Int) -> String {
    let values = count == 1 ? "1 value" : "\(count) values"
    func records(_ kind: String) -> String { "\(count) record\(count == 1 ? "" : "s") of the kind \(kind)" }
    return switch remark {
    case .recordsLeftOut(let kind): "\(records(kind)) \(count == 1 ? "has" : "have") no place in \(format): left out"
    case .valuesLeftOut(let member, let kind):
      "\(values) of \(member) in records of the kind \(kind) \(count == 1 ? "has" : "have") no place in "
        + "\(format): left out"
    case .emptyLeftOut(let kind):
      "\(values) in records of the kind \(kind) \(count == 1 ? "is" : "are") empty, "
        + "which \(format) cannot tell from absent: left out"
    case .becoming(let one, let many, let kind):
      count == 1 ? "\(records(kind)) becomes \(one)" : "\(records(kind)) become \(many)"
    case .stray(let kind):
      "\(values) in records of the kind \(kind) \(count == 1 ? "has" : "have") no place of \(count == 1 ? "its" : "their") "
        + "own in \(format) any more: custom fields"
    case .formulas:
      "\(values) \(count == 1 ? "begins" : "begin") with = + - @, a tab or a line end, which spreadsheets take for "
        + "formulas: have them read all columns as text"
    case .fragile:
      "\(values) \(count == 1 ? "holds" : "hold") U+007F to U+009F, which KeePassXC drops, or a carriage return alone, which it makes a "
        + "line feed"
    case .quoted:
      "\(values) \(count == 1 ? "stands" : "stand") in quotes, which `docker run --env-file` takes for a part of the value; "
        + "Compose and python-dotenv do not"
    case .dollars:
      "\(values) \(count == 1 ? "holds" : "hold") a dollar sign that some readers put a variable in for: python-dotenv "
        + "leaves it with interpolate=False"
    case .quotedWords:
      "\(values) \(count == 1 ? "stands" : "stand") in quotes, which curl from 7.84, git and Python read and ftp does not"
    case .renumbered:
      "\(count) name\(count == 1 ? "" : "s") would stand twice and \(count == 1 ? "has" : "have") a number"
    }
  }
}
