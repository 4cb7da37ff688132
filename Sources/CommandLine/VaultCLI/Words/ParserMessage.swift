import VaultDocument

/// A message of the argument parser in the words of our other errors: a subject, and what is wrong with it.
struct ParserMessage {
  /// Nil for a reason that is a whole sentence.
  let subject: String?
  let reason: String

  /// - Parameters:
  ///   - message: the message in one line, without the parser's proposals. Values are hidden.
  ///   - choices: the allowed values; empty if any value is allowed.
  ///   - path: the words of the command.
  init(_ message: String, choices: [String], path: String) {
    let quoted = Self.quoted(in: message)
    let name = quoted.first.map(Self.name)
    if message.hasPrefix("Missing expected argument '") {
      (subject, reason) = (name, "is missing")
    } else if message.hasPrefix("Missing value for '") {
      (subject, reason) = (name, "needs a value")
    } else if message.hasPrefix("The option '") {
      (subject, reason) = (name, "takes no value")
    } else if message.hasPrefix("Unknown option '") {
      let isHidden = name == "…"
      let other = quoted.count > 1 ? ", or \(Self.name(quoted[1])) needs a value" : ""
      subject = isHidden ? nil : name
      reason = (isHidden ? "\(path) does not have one of the options" : "is not an option of \(path)") + other
    } else if message.hasPrefix("Unexpected argument '") || message.contains(" unexpected arguments: '") {
      let count = quoted.count == 1 ? "there is one argument" : "there are \(quoted.count) arguments"
      let shown = quoted.filter { $0 != "…" }
      subject = nil
      reason = "\(count) too many" + (shown.isEmpty ? "" : ": " + shown.joined(separator: ", "))
    } else if let value = Self.invalidValue(in: message) {
      let place = Self.name(value.place)
      subject = choices.isEmpty ? nil : place
      reason =
        choices.isEmpty
        ? "the value of \(place) is not valid\(value.cause)"
        : "must be \(Sentence.alternatives(choices)), not '\(value.text)'"
    } else {
      let option = message.split(whereSeparator: { " '=".contains($0) }).first { $0.hasPrefix("--") && $0.count > 2 }
      (subject, reason) = (option.map(String.init), message.prefix(1).lowercased() + message.dropFirst())
    }
  }

  /// The option or the argument of a form such as `--limit <n>`.
  private static func name(_ form: String) -> String { String(form.prefix { $0 != " " }) }

  private static func quoted(in message: String) -> [String] {
    message.split(separator: "'", omittingEmptySubsequences: false).enumerated()
      .compactMap { $0.offset % 2 == 1 ? String($0.element) : nil }
  }

  /// The parts of `The value 'TEXT' is invalid for 'PLACE'CAUSE`.
  private static func invalidValue(in message: String) -> (text: String, place: String, cause: String)? {
    let start = "The value '"
    guard message.hasPrefix(start), let middle = message.ranges(of: "' is invalid for '").last else { return nil }
    let text = message[..<middle.lowerBound].dropFirst(start.count)
    let place = message[middle.upperBound...].prefix { $0 != "'" }
    return (String(text), String(place), String(message[place.endIndex...].dropFirst()))
  }
}
