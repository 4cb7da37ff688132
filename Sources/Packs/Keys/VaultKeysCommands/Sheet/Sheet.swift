import VaultAge
import VaultCLI
import VaultCrypto
import VaultDocument
import VaultKit
import VaultSystem
import VaultTerminal

/// The facts of one vault on a recovery sheet.
struct Sheet {
  let identity: AgeIdentity
  let recipient: AgeRecipient
  let label: String
  let header: VaultHeader
  let location: VaultLocation
  /// The folders of the backups that are known, the latest first.
  let backupFolders: [String]
  /// The newest backup in them; nil if none is known.
  let newestBackup: KeptBackup?
  let made: Timestamp

  func page(by _: Revealing) throws -> SheetPage {
    let text = try identity.text()
    let code = try text.withBytes { text in try SheetCode(text) }
    let modules = try Packs.first(\.codes).flatMap { codes in try text.withBytes { try codes.modules(of: $0) } }
    var page = SheetPage()
    let day = String(made.text.prefix(10))
    page.title(Printable.padded("RECOVERY SHEET", to: SheetPage.columns - day.count) + day)
    page.text(
      "This page opens the vault below, and its backups from this day on. Keep it in a safe: "
        + "anybody who holds it can read every secret.")
    page.gap()
    try addFacts(to: &page)
    page.gap()
    page.begin(modules)
    addIdentity(code, to: &page, hasCode: modules != nil)
    page.endCode()
    addRecovery(to: &page)
    return page
  }

  private func addFacts(to page: inout SheetPage) throws {
    let host = ProcessEnvironment.hostName
    func fact(_ name: String, _ text: String) { page.text(Printable.padded(name, to: 12) + text, indent: 12) }
    fact("vault", header.vaultID.text)
    fact("fingerprint", try header.fingerprint())
    fact("slot", label)
    fact("recipient", recipient.shown)
    fact("vault in", location.isDatabase ? location.path : "\(vaultPath) on \(host)")
    fact(
      "backups in",
      backupFolders.isEmpty
        ? "(write it here by hand: this machine knows no backup)"
        : backupFolders.prefix(2).joined(separator: ", ") + " on \(host)")
  }

  private func addIdentity(_ code: SheetCode, to page: inout SheetPage, hasCode: Bool) {
    let width = hasCode ? SheetPage.codeColumn - 1 : SheetPage.columns
    page.title("THE KEY: LINES 1 TO \(code.groupLines.count)")
    for (index, line) in code.groupLines.enumerated() { page.add("\(index + 1)  \(line)") }
    page.gap()
    let first = code.groupLines.count + 1
    page.title("THE SAME KEY IN WORDS: \(first) TO \(code.groupLines.count + code.wordLines.count)")
    for (index, line) in code.wordLines.enumerated() { page.add("\(first + index)  \(line)") }
    page.gap()
    page.text("The last word of each line checks that line.", width: width)
    page.gap()
    let form = hasCode ? "The QR code holds lines 1 to \(code.groupLines.count) as one text. " : ""
    page.text(form + "Once a year, `vault key sheet --check` tells whether this page still opens all.", width: width)
    if hasCode { page.gap() }
  }
}

// MARK: Recovery

extension Sheet {
  /// The name of the file into which a person types the key.
  static let keyFile = "sheet.key"

  private func addRecovery(to page: inout SheetPage) {
    page.title("RECOVERY WITH THE PROGRAM vault")
    page.text(
      "Type lines 1 to 4 into a file, as one line without spaces. End it with Return and Ctrl-D. "
        + "If the vault is lost, skip the second command.")
    add(commands, to: &page)
    page.text("Then make a new sheet, and `vault rekey --reseal --drop-key` with the label above.")
    page.gap()
    page.title("RECOVERY WITHOUT IT: age, tar, Python with `cryptography`, and recovery.py")
    page.text("The page docs/recovery.md of the program lists recovery.py. Keep a print of that page here.")
    add(commandsWithoutProgram, to: &page)
  }

  /// Adds commands, with a prompt before each. A command on two lines has none before the second one.
  private func add(_ commands: [String], to page: inout SheetPage) {
    for command in commands { page.add((command.hasPrefix(" ") ? "  " : "  $ ") + command) }
  }

  private var vaultPath: String { ProcessEnvironment.realPath(location.path) ?? location.path }

  /// The newest backup of the vault, as words of a shell.
  private var newest: String {
    let folder = backupFolders.first.map(\.shellQuoted) ?? "BACKUPS"
    let name = newestBackup?.path.split(separator: "/").last.map(String.init) ?? ""
    let end = "-20261129T000000Z.cvault.age".count
    let stem = name.count > end ? String(name.dropLast(end)).shellQuoted : ""
    return "\"$(ls \(folder)/\(stem)\(stem.isEmpty ? "" : "-")*.cvault.age | tail -n 1)\""
  }

  private var commands: [String] {
    [
      "(umask 077; cat >\(Self.keyFile))",
      "vault verify --vault \((location.isDatabase ? location.path : vaultPath).shellQuoted) --identity \(Self.keyFile)",
      "vault backup restore --to recovered --identity \(Self.keyFile) \\", "    \(newest)",
      "vault list --verify --vault recovered --identity \(Self.keyFile)",
      "rm \(Self.keyFile)",
    ]
  }

  private var commandsWithoutProgram: [String] {
    [
      "(umask 077; cat >\(Self.keyFile))",
      "age -d -i \(Self.keyFile) \\", "    \(newest) | tar x",
      "cd vault",
      "for slot in slots/*.age; do age -d -i ../\(Self.keyFile) $slot 2>/dev/null; done |",
      "    python3 ../recovery.py records/*/*.json",
      "cd .. && rm \(Self.keyFile)",
    ]
  }
}
