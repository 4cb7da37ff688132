/// One line that says something about a subject.
package enum Sentence {
  /// The verbs that a reason can begin with, and a word that precedes one. Any other reason is a sentence of its own.
  static let verbs: Set<Substring> = [
    "is", "are", "was", "were", "has", "have", "had", "must", "can", "cannot", "does", "do", "did", "will", "needs",
    "takes", "already",
  ]

  /// The subject and the reason: `FILE is empty`, or `FILE: the first line is empty`.
  package static func about(_ subject: String?, _ reason: String) -> String {
    guard let subject else { return reason }
    return subject + (hasSubject(reason) ? ": " : " ") + reason
  }

  /// The reason as a sentence of its own, with the subject if it has none: `the file is empty`.
  package static func whole(_ reason: String, subject: String) -> String {
    hasSubject(reason) ? reason : "\(subject) \(reason)"
  }

  /// `a, b or c`.
  package static func alternatives(_ words: [String]) -> String {
    guard let last = words.last, words.count > 1 else { return words.joined() }
    return words.dropLast().joined(separator: ", ") + " or " + last
  }

  private static func hasSubject(_ reason: String) -> Bool { !verbs.contains(reason.prefix { $0 != " " }) }
}
