import ArgumentParser
import VaultCLI
import VaultCrypto
import VaultDelivery
import VaultDocument
import VaultKit
import VaultPackSupport
import VaultSealing
import VaultTerminal

/// `vault scan`: finds sealed values of this vault in clear.
struct ScanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan",
    abstract: "Look for values of this vault in files or in git.",
    discussion: """
      Example:
        vault scan ~/src/orders
        vault scan --staged
        pbpaste | vault scan --value -

      The command finds each sealed value, also former ones and those of removed records, in the forms in which \
      programs write it. These are plain text, base64, hex and UTF-16, and the escapes of JSON, programming languages, \
      XML, HTML, URLs, SQL and shells.

      The command prints the file, line, record and field, never the value. It exits with 14 if it finds one.

      The command skips links and .git in folders. It does not look for values of fewer than 8 bytes, or for numbers \
      of fewer than 12 digits.
      """)

  @Argument(help: "Files and folders (default: the working folder); - is standard input.")
  var path: [String] = []

  @Flag(help: "Scan what is staged in git's index.")
  var staged = false

  @Option(help: ArgumentHelp("Scan what the commits after REF added, and their messages.", valueName: "ref"))
  var since: String?

  @Option(help: ArgumentHelp("Check whether a file (or -) is or contains a value of any length.", valueName: "file"))
  var value: String?

  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    let given = [!path.isEmpty, staged, since != nil, value != nil].count { $0 }
    guard given <= 1 else {
      throw CommandError.usage(nil, "PATH, --staged, --since and --value cannot be combined")
    }
    let session = try Session(vault, global)
    if let value { return try await compare(value, session) }
    let changes = try changes()
    let values = try await VaultValues(of: session.unlock(unlocking))
    var scan = Scan(values)
    if let changes {
      scan.look(at: changes)
    } else {
      for path in path.isEmpty ? ["."] : path { scan.look(at: path) }
    }
    try ScanReport(scan: scan, shortCount: values.shortCount, shortLineCount: values.shortLineCount).print(session)
  }

  /// The texts to scan in git; nil for files. Read before the command asks for a key.
  private func changes() throws -> [ChangedText]? {
    staged || since != nil ? try Packs.requiredKeptStates().changes(since: since) : nil
  }

  private func compare(_ file: String, _ session: Session) async throws {
    let given = try SecretInput.file(file).bytes
    let vault = try await session.unlock(unlocking)
    var (equal, whole): ([Int], NeedleSet) = ([], NeedleSet())
    let isLong = given.withBytes { whole.add($0, label: 0) }
    var parts: [Int] = []
    let values = try await VaultValues(of: vault) { label, bytes in
      if given.withBytes({ constantTimeEqual($0, bytes) }) {
        equal.append(label)
      } else if isLong, !whole.occurrences(in: bytes.copiedBytes()).isEmpty {
        parts.append(label)
      }
    }
    let held = given.withBytes { values.needles.occurrences(in: $0.copiedBytes()).map(\.label) }
    var told: Set<Int> = []
    let matches =
      (equal.map { ($0, "is") } + held.map { ($0, "holds") } + parts.map { ($0, "is part of") })
      .filter { told.insert($0.0).inserted }.map { (relation: $0.1, origin: values.origin(of: $0.0)) }
    try ValueReport(matches: matches, valueCount: values.count).print(session)
  }
}
