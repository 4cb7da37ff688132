import ArgumentParser
import VaultCrypto
import VaultDocument
import VaultKit

/// `vault fingerprint`: what tells this vault from every other.
struct FingerprintCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fingerprint",
    abstract: "Print what tells this vault from every other.",
    discussion: """
      Compare it over another channel, or keep it for --require-fingerprint.

      Example:
        export CVAULT_FINGERPRINT=$(vault fingerprint)
      """)

  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() throws {
    let session = try Session(vault, global, refusingOtherVaults: false)
    let fingerprint = try session.locked.fingerprint()
    if let refusal = session.pin.refusal {
      global.messages.note("not as this machine knows it: \(refusal.description)")
    }
    guard global.json else { return try Output.line(fingerprint) }
    try Output.document(["fingerprint": .string(fingerprint)])
  }
}

/// `vault generate`: a new password.
struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Print a new password or passphrase.",
    discussion: """
      Every character or word is drawn evenly from the system's cryptographic randomness. A word is five letters that \
      can be spoken, such as "rabin", out of 84,375.

      Example:
        vault generate --words 6
      """)

  @Option(parsing: .unconditional, help: ArgumentHelp("How many characters, 8 to 1024 (24).", valueName: "n"))
  var length: Int?

  @Flag(help: "With symbols besides letters and digits.")
  var symbols = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("A passphrase of so many words instead, 3 to 64.", valueName: "n"))
  var words: Int?

  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() throws {
    let (secret, entropy) = try words.map(makeWords) ?? makePassword()
    if global.json {
      return try Output.document([
        "bits": .number(JSONNumber(Int(entropy))), "password": .string(secret.string ?? ""),
      ])
    }
    try secret.withBytes { try Output.write($0) }
    try Output.line("")
    global.messages.note("\(Int(entropy)) bits")
  }

  private func makeWords(_ count: Int) throws -> (SecretBytes, Double) {
    guard length == nil, !symbols else {
      throw CommandError.usage("--words", "cannot be used together with --length or --symbols")
    }
    guard Password.wordCounts.contains(count) else { throw CommandError.usage("--words", "must be between 3 and 64") }
    return (try Password.makeWords(count: count), Password.entropy(words: count))
  }

  private func makePassword() throws -> (SecretBytes, Double) {
    let length = length ?? Password.defaultLength
    guard Password.lengths.contains(length) else { throw CommandError.usage("--length", "must be between 8 and 1024") }
    let password = try Password.make(length: length, symbols: symbols)
    return (password, Password.entropy(length: length, symbols: symbols))
  }
}
