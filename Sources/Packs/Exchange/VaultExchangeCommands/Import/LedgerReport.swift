package import VaultDocument
import VaultExchange
import VaultTerminal

/// The printed ledger of an import: a line for each value, which is not kept, and then the refusals with reasons.
struct LedgerReport {
  private struct Sentence: Hashable {
    let word: String
    let text: String
  }

  private struct Reason {
    var count = 0
    let first: SourcePlace
  }

  private let isDocument: Bool
  private let isDryRun: Bool
  private var hasBegun = false
  private(set) var totals = LedgerTotals()
  /// Reasons are sentences of this program, so there are few.
  private var reasons: [Sentence: Reason] = [:]

  init(isDocument: Bool, isDryRun: Bool) {
    self.isDocument = isDocument
    self.isDryRun = isDryRun
  }

  /// Counts leaves. A document and a dry run also print them.
  mutating func add(_ lines: [LedgerLine]) throws {
    totals.add(lines)
    for line in lines where line.outcome.isReason {
      let sentence = Sentence(word: line.outcome.word, text: line.outcome.detail ?? "")
      reasons[sentence, default: Reason(first: line.place)].count += 1
    }
    if isDocument {
      for line in lines { try write(line) }
    } else if isDryRun {
      try Output.lines(lines.map { "\(Printable.text($0.place.description)): \(Printable.text($0.outcome.text))" })
    }
  }

  /// The last lines of a report: the number of values by outcome, and the reasons of refusals.
  var lines: [String] {
    let sum =
      "\(counted(totals.leaves, "value")): \(totals.stored) stored, \(totals.mapped) mapped, "
      + "\(counted(totals.custom, "custom field")), \(counted(totals.tagged, "tag")), \(totals.empty) empty, "
      + "\(totals.refused) refused"
    let tooOld = LedgerLine.Outcome.tooOld.detail ?? ""
    let oldCount = reasons[Sentence(word: LedgerLine.Outcome.tooOld.word, text: tooOld)]?.count ?? 0
    let settingCount = totals.leftOut - oldCount
    return [sum]
      + (settingCount > 0 ? ["\(counted(settingCount, "setting")) of the other program left out"] : [])
      + (oldCount > 0 ? ["\(counted(oldCount, "earlier value")) left out: \(tooOld)"] : [])
      + sortedReasons("refused").map { reason, what in
        let place = what.first.description
        return "\(counted(what.count, "value")) refused: \(reason)"
          + (place.isEmpty ? "" : " (\(what.count == 1 ? "" : "first ")at \(Printable.text(place)))")
      }
  }

  private func sortedReasons(_ word: String) -> [(text: String, value: Reason)] {
    reasons.filter { $0.key.word == word }.map { ($0.key.text, $0.value) }
      .sorted { ($1.value.count, $0.text) < ($0.value.count, $1.text) }
  }
}

extension LedgerReport {
  /// Lines are written immediately, because all of them may not fit into memory.
  private mutating func write(_ line: LedgerLine) throws {
    try Output.write(Array((hasBegun ? ",\n" : #"{"schema":1,"lines":["# + "\n").utf8) + line.document.compactBytes())
    hasBegun = true
  }

  /// Ends the document with totals and these members.
  mutating func endDocument(with members: KeyValuePairs<String, any DocumentValue>) throws {
    let ledger = JSONValue.members([
      "custom": totals.custom, "empty": totals.empty, "leaves": totals.leaves, "left_out": totals.leftOut,
      "mapped": totals.mapped, "refused": totals.refused, "stored": totals.stored, "tagged": totals.tagged,
    ])
    guard case .object(var document) = JSONValue.members(members) else { return }
    document["ledger"] = ledger
    document["left_out_values"] = reasonList("left-out")
    document["refused_values"] = reasonList("refused")
    let begin = hasBegun ? "\n]," : #"{"schema":1,"lines":[],"#
    let rest = try JSONValue.object(document).compactBytes(limits: .exchange).dropFirst()
    try Output.write(Array(begin.utf8) + rest + Array("\n".utf8))
  }

  private func reasonList(_ word: String) -> JSONValue {
    .array(
      sortedReasons(word).map { reason, what in
        .members(["count": what.count, "line": what.first.line, "path": what.first.path, "reason": reason])
      })
  }
}

extension LedgerLine: DocumentValue {
  /// The line of a value whose entry is not taken.
  func refused(_ reason: String) -> LedgerLine {
    switch outcome {
    case .empty, .leftOut: self
    default: LedgerLine(place, .refused(reason))
    }
  }

  package var document: JSONValue {
    .members(["line": place.line, "outcome": outcome.word, "path": place.path, "to": outcome.detail])
  }
}

extension LedgerLine.Outcome {
  /// Reads the values of ``word`` and ``detail``; nil for any other pair.
  init?(word: String, detail: String?) {
    switch (word, detail) {
    case ("stored", let path?): self = .stored(at: path)
    case ("mapped", let path?): self = .mapped(to: path)
    case ("custom", let path?): self = .custom(at: path)
    case ("tagged", nil): self = .tagged
    case ("empty", nil): self = .empty
    case ("left-out", let reason?): self = .leftOut(reason)
    case ("refused", let reason?): self = .refused(reason)
    default: return nil
    }
  }

  var word: String {
    switch self {
    case .stored: "stored"
    case .mapped: "mapped"
    case .custom: "custom"
    case .tagged: "tagged"
    case .empty: "empty"
    case .leftOut: "left-out"
    case .refused: "refused"
    }
  }

  var detail: String? {
    switch self {
    case .stored(let path), .mapped(let path), .custom(let path): path
    case .leftOut(let reason), .refused(let reason): reason
    case .tagged, .empty: nil
    }
  }

  fileprivate var isReason: Bool {
    switch self {
    case .leftOut, .refused: true
    default: false
    }
  }

  fileprivate var text: String { detail.map { "\(word): \($0)" } ?? word }
}
