import ArgumentParser
import VaultCLI
import VaultCrypto
import VaultDocument
import VaultKit
import VaultTerminal

struct FingerprintCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fingerprint",
    abstract: "Print the fingerprint of the vault.",
    discussion: """
      The fingerprint belongs to this vault alone. Compare it over another channel, or keep it for \
      --require-fingerprint.

      Example:
        export CVAULT_FINGERPRINT=$(vault fingerprint)
      """)

  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() throws {
    let session = try Session(vault, global, refusingOtherVaults: false)
    let fingerprint = try session.locked.fingerprint()
    if let refusal = session.pin.refusal {
      global.messages.note("the vault is not as this machine knows it: \(refusal.description)")
    }
    guard global.json else { return try Output.line(fingerprint) }
    try Output.document(["fingerprint": fingerprint])
  }
}

struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Print a new password or passphrase.",
    discussion: """
      Every character or word is drawn evenly from the random source of the system. A word has five letters that can \
      be spoken, such as "rabin", out of 84,375 words. --words-from takes the words from your own list.

      --rules takes what a site says in its attribute passwordrules: minlength, maxlength, required, allowed and \
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
