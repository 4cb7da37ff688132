import ArgumentParser

/// How a password is made up, wherever one is.
struct PasswordOptions: ParsableArguments {
  @Option(parsing: .unconditional, help: ArgumentHelp("How many characters, 8 to 1024 (24).", valueName: "n"))
  var length: Int?

  @Flag(help: "With symbols besides letters and digits.")
  var symbols = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("A passphrase of so many words instead, 3 to 64.", valueName: "n"))
  var words: Int?

  /// The option that was given; nil for none.
  var given: String? { words != nil ? "--words" : length != nil ? "--length" : symbols ? "--symbols" : nil }

  func recipe() throws -> PasswordRecipe {
    if let words {
      guard length == nil, !symbols else {
        throw CommandError.usage("--words", "cannot be used together with --length or --symbols")
      }
      guard PasswordRecipe.wordCounts.contains(words) else {
        throw CommandError.usage("--words", "must be between 3 and 64")
      }
      return .words(words)
    }
    let length = length ?? PasswordRecipe.standardLength
    guard PasswordRecipe.lengths.contains(length) else {
      throw CommandError.usage("--length", "must be between 8 and 1024")
    }
    return .characters(length, symbols: symbols)
  }
}
