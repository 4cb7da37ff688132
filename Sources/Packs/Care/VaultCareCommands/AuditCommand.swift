import ArgumentParser
import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultTerminal

struct AuditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit",
    abstract: "Find weak, re-used, breached, expired and old secrets; 14 when there are any.",
    discussion: """
      What is looked at depends on what a field is: passwords for being weak (zxcvbn), known from breaches and old, tokens \
      for being old, passwords, tokens and keys for being used twice. PINs, card numbers and notes are left alone. No \
      value and no hash of one is printed, and nothing is sent anywhere: --hibp takes a list of SHA-1 hashes that you \
      have, sorted by hash, or the folder of its ranges.

      Example:
        vault audit --hibp ~/pwned-passwords.txt
      """)

  @Option(help: "Only records of this kind.")
  var kind: String?

  @Option(help: ArgumentHelp("A password is weak below so many bits.", valueName: "bits"))
  var minBits: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("A value is old when it was sealed so long ago: 1y, 90d, 2w.", valueName: "age"))
  var olderThan = "1y"

  @Option(
    help: ArgumentHelp(
      "Passwords known from breaches: a list sorted by SHA-1, or a folder of ranges.", valueName: "path"))
  var hibp: String?

  @OptionGroup var table: TableOptions
  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    if let minBits, !(1...256).contains(minBits) {
      throw CommandError.usage("--min-bits", "takes a number from 1 to 256")
    }
    let age = try Age(olderThan, option: "--older-than")
    let breaches = try hibp.map { try BreachList($0, global.messages) }
    let session = try Session(vault, global)
    try await session.checkKind(kind)
    var rules = Audit.Rules(kind: kind, breaches: breaches)
    if let minBits { rules.leastBitCount = Double(minBits) }
    let opened = try await session.unlock(unlocking)
    for field in try session.locked.due(.sealedBefore(age.before(.now()))).fields where !field.isTrashed {
      rules.old["\(field.record.id) \(field.path)"] = field.sealedAt
    }
    if !GuessEstimate.isAvailable {
      global.messages.note("weak passwords are not looked for: install libzxcvbn (Debian libzxcvbn0)")
    }
    try await AuditReport(audit: Audit(rules, of: opened), table: table).print(session)
  }
}
