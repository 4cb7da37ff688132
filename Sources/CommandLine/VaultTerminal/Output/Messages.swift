import VaultDocument

/// The messages of a command on stderr besides errors, as the flags allow.
package struct Messages: Sendable {
  package let isQuiet: Bool
  package let isVerbose: Bool
  package let isJSON: Bool
  package let noColor: Bool

  package init(isQuiet: Bool, isVerbose: Bool, isJSON: Bool, noColor: Bool) {
    (self.isQuiet, self.isVerbose, self.isJSON, self.noColor) = (isQuiet, isVerbose, isJSON, noColor)
  }

  /// The vault of a set that all messages are about; nil if there is only one.
  @TaskLocal package static var vault: String?

  /// Prints a note. With `--json` the document has a member for it, so that programs can read stderr.
  package func note(_ text: String) {
    guard !isQuiet, !isJSON else { return }
    Messages.print("note: \(Self.place)\(Printable.text(text))")
  }

  static var place: String { vault.map { $0 + ": " } ?? "" }

  /// Prints which option, file or key is used, and why.
  package func detail(_ text: @autoclosure () -> String) {
    guard isVerbose, !isJSON else { return }
    Messages.print("note: \(Self.place)\(Printable.text(text()))")
  }

  /// Prints an error that does not end the command.
  package func report(_ error: any Error) {
    ErrorReport(CommandError(any: error), isJSON: isJSON, isVerbose: isVerbose, noColor: noColor).print()
  }

  package static func print(_ line: String) {
    // If stderr is closed, nobody can be told.
    try? System.writeAll(Array((line + "\n").utf8), to: System.standardError)
  }

  package static let unverifiedNote = "not verified: no key was used"
}

/// An error on stderr: `vault: SUBJECT: REASON` and `hint: …` lines, or one JSON object on a line. A reason that begins
/// with a verb follows its subject without a colon.
package struct ErrorReport {
  let error: CommandError
  let isJSON: Bool
  let isVerbose: Bool
  let noColor: Bool

  package init(_ error: CommandError, isJSON: Bool, isVerbose: Bool, noColor: Bool) {
    self.error = error.hintingAtHiddenContent
    self.isJSON = isJSON
    self.isVerbose = isVerbose
    self.noColor = noColor
  }

  package func print() { Messages.print(isJSON ? json : text) }

  private var message: String {
    let subject = error.subject.map { Printable.text(Printable.cut($0)) }
    return Messages.place + Sentence.about(subject, Printable.text(error.reason))
  }

  private var text: String {
    let style = Style(noColor: noColor, descriptor: System.standardError)
    var lines = [style.bold("vault:") + " " + message]
    lines += error.hints.map { "hint: " + Printable.text($0) }
    if isVerbose, let detail = error.detail { lines.append("note: caused by: " + Printable.text(detail)) }
    return lines.joined(separator: "\n")
  }

  private var json: String {
    let document = JSONValue.document([
      "code": error.code, "exit": Int(error.status.rawValue), "message": message, "file": error.file,
      "record": error.record, "field": error.field,
      "hint": error.hints.isEmpty ? nil : error.hints.joined(separator: "\n"),
    ])
    guard let bytes = try? document.compactBytes() else { return "{}" }
    return Printable.document(String(decoding: bytes, as: UTF8.self))
  }
}
