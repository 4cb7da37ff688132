import ArgumentParser
import VaultCLI
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
