import ArgumentParser
import VaultCLI
import VaultCrypto
import VaultDocument
import VaultKit
import VaultTerminal

struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Print a new password or passphrase.",
    discussion: """
      Every character or word is drawn evenly from the random source of the system. Each word has five pronounceable \
      letters, such as "rabin"; there are 84,375 words. --words-from takes the words from your own list.

      --rules takes the text of a site's `passwordrules` attribute: minlength, maxlength, required, allowed and \
      max-consecutive, with upper, lower, digit, special, ascii-printable, unicode and [characters].

      Example:
        vault generate --words 6
        vault generate --rules 'minlength: 12; required: lower; required: digit'
      """)

  @OptionGroup var password: PasswordOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() throws {
    let recipe = try password.recipe()
    let secret = try recipe.make()
    if global.json {
      return try Output.document(["bits": recipe.bitCount, "password": secret.string ?? ""])
    }
    try secret.withBytes { try Output.write($0) }
    try Output.line("")
    global.messages.note("\(recipe.bitCount) bits")
  }
}
