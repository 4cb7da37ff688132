import ArgumentParser

/// Lets the options of a command precede its name: `vault --vault DIR list`.
///
/// The parser expects options after the name, so they are moved there. The declaration of a command says which options
/// it takes, and which of them have a value.
package enum ArgumentOrder {
  /// The arguments with leading options moved after the command name. Unchanged if there are no leading options, or if
  /// no command fits.
  package static func normalised(_ arguments: [String]) -> [String] {
    guard let first = arguments.first, isOption(first) else { return arguments }
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    return moved(arguments, before: end, unknown: .refused) ?? moved(arguments, before: end, unknown: .taken)
      ?? arguments
  }

  /// How many leading words are options that most commands take, with their values.
  static func countOfLeadingOptions(_ arguments: [String]) -> Int {
    guard let first = arguments.first, isOption(first) else { return 0 }
    let form = CommandForm.common
    let places = arguments.indices.filter { !isOption(arguments[$0]) }
    return places.first { areOptions(arguments[..<$0], of: form, .refused) } ?? arguments.count
  }

  /// How to treat a command that does not take one of the leading options.
  private enum Unknown {
    case refused
    /// The parser reports the option that the command does not take.
    case taken
  }

  /// Moves the options after the command name. A word may be a command name or the value of an option. The first word
  /// counts for which all words before it are options of the command.
  private static func moved(_ arguments: [String], before end: Int, unknown: Unknown) -> [String]? {
    for place in arguments[..<end].indices where !isOption(arguments[place]) {
      let named = CommandNames.named(Array(arguments[place..<end]))
      let count = named.path.split(separator: " ").count - 1
      guard count > 0, areOptions(arguments[..<place], of: CommandForm(of: named.command), unknown) else { continue }
      let words = arguments[place..<(place + count)]
      return Array(words + arguments[..<place]) + Array(arguments[(place + count)...])
    }
    return nil
  }

  /// Whether the words are only options of a command, each with its value.
  private static func areOptions(_ words: ArraySlice<String>, of form: CommandForm, _ unknown: Unknown) -> Bool {
    var rest = words
    while let word = rest.popFirst() {
      guard isOption(word) else { return false }
      let name = word.prefix { $0 != "=" }
      let isJoined = name.utf8.count < word.utf8.count
      if let option = form.option(name) {
        let hasValue = option.value != nil
        if hasValue, !isJoined, rest.popFirst() == nil { return false }
        if !hasValue, isJoined { return false }
      } else if unknown == .taken {
        if let next = rest.first, !isOption(next) { rest.removeFirst() }
      } else if !form.areFlags(word) {
        return false
      }
    }
    return true
  }

  private static func isOption(_ word: String) -> Bool { word.hasPrefix("-") && word.utf8.count > 1 }
}

extension CommandForm {
  /// Whether a word is several one-letter flags: `-qy`.
  fileprivate func areFlags(_ word: String) -> Bool {
    !word.hasPrefix("--")
      && word.dropFirst().allSatisfy { letter in option("-\(letter)").map { $0.value == nil } ?? false }
  }
}
