import ArgumentParser
import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultTerminal

struct AuditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit",
    abstract: "Find weak, reused, breached, expired and old secrets.",
    discussion: """
      Example:
        vault audit --hibp ~/pwned-passwords.txt

      The checks depend on the kind of field. Passwords: weak (zxcvbn), breached, old. Tokens: old. Passwords, tokens \
      and keys: used twice, or the same as a former value. PINs, card numbers and notes are not checked. The command \
      exits with 14 if it finds anything.

      No value and no hash of a value is printed, and nothing is sent anywhere. --hibp reads a list of SHA-1 hashes \
      that you have, sorted by hash, or the folder of its ranges.
      """)

  @Option(help: "Only records of this kind.")
  var kind: String?

  @Option(help: ArgumentHelp("Passwords with fewer bits than this are weak.", valueName: "bits"))
  var minBits: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Values sealed longer ago than this are old: 1y, 90d, 2w.", valueName: "age"))
  var olderThan = "1y"

  @Option(
    help: ArgumentHelp(
      "Breached passwords: a list sorted by SHA-1, or a folder of ranges.", valueName: "path"))
  var hibp: String?

  @OptionGroup var table: TableOptions
  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    if let minBits, !(1...256).contains(minBits) {
      throw CommandError.usage("--min-bits", "must be between 1 and 256")
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
      global.messages.note("weak passwords are not found without libzxcvbn: install it (Debian: libzxcvbn0)")
    }
    try await AuditReport(audit: Audit(rules, of: opened), table: table).print(session)
  }
}
