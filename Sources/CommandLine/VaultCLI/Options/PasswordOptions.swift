import ArgumentParser
import VaultTerminal

package struct PasswordOptions: ParsableArguments {
  @Option(parsing: .unconditional, help: ArgumentHelp("Number of characters, 8 to 1024 (24).", valueName: "n"))
  var length: Int?

  @Flag(help: "Use symbols as well as letters and digits.")
  var symbols = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Make a passphrase of 3 to 64 words instead.", valueName: "n"))
  var words: Int?

  @Option(
    help: ArgumentHelp(
      "Take words from a file, one on each line; 6 by default.", valueName: "file"))
  var wordsFrom: String?

  @Option(help: ArgumentHelp("Rules of a site: 'minlength: 12; required: digit; …'.", valueName: "rules"))
  var rules: String?

  package init() {}

  /// The option that was given; nil for none.
  var given: String? {
    [
      (rules != nil, "--rules"), (wordsFrom != nil, "--words-from"), (words != nil, "--words"),
      (length != nil, "--length"), (symbols, "--symbols"),
    ].first(where: \.0)?.1
  }

  /// The recipe that the user asked for; nil without one.
  func askedRecipe() throws -> PasswordRecipe? { given == nil ? nil : try recipe() }

  /// The recipe. It may read a word list from a pipe, so it must be called only once.
  package func recipe() throws -> PasswordRecipe {
    if let rules { return try ruled(rules) }
    if words != nil || wordsFrom != nil {
      let option = wordsFrom == nil ? "--words" : "--words-from"
      guard length == nil, !symbols else {
        throw CommandError.usage(option, "cannot be combined with --length or --symbols")
      }
      let count = words ?? PasswordRecipe.passphraseCount
      guard PasswordRecipe.wordCounts.contains(count) else {
        throw CommandError.usage("--words", "must be between 3 and 64")
      }
      return try wordsFrom.map { .listed(try WordList(readingFile: $0), count) } ?? .words(count)
    }
    let length = try checkedLength() ?? PasswordRecipe.standardLength
    return .characters(length, symbols: symbols)
  }

  private func checkedLength() throws -> Int? {
    guard let length else { return nil }
    // A site may allow fewer characters than the usual minimum.
    guard PasswordRecipe.lengths.contains(length) || rules != nil else {
      throw CommandError.usage("--length", "must be between 8 and 1024")
    }
    return length
  }

  /// The recipe of `--rules`, which only `--length` can accompany.
  private func ruled(_ rules: String) throws -> PasswordRecipe {
    guard words == nil, wordsFrom == nil, !symbols else {
      throw CommandError.usage("--rules", "cannot be combined with --words, --words-from or --symbols")
    }
    guard rules.contains(where: { !$0.isWhitespace }) else {
      throw CommandError.usage(
        "--rules", "is empty", "write rules such as 'minlength: 12; required: lower; required: digit'")
    }
    return .ruled(try RuledPassword(ofOption: rules, length: checkedLength()))
  }
}
