import ArgumentParser
import VaultAge
import VaultCLI
import VaultCare
import VaultCrypto
import VaultDocument
import VaultKit
import VaultPackSupport
import VaultSealing
import VaultSystem
import VaultTerminal

extension KeyCommand {
  struct PrintSheet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "sheet",
      abstract: "Make a page for the safe that opens the vault, or check one.",
      discussion: """
        Example:
          vault key sheet --format pdf | lp
          vault key sheet --check

        The command makes a new identity, adds a slot for it, and prints one page: the identity in groups, in words and \
        as a QR code, and the commands of a recovery with and without this program. The identity is nowhere else.

        --check asks for the lines of a page, or reads FILE: a scanned picture, a PDF or a text; - is standard input. \
        It proves that the sheet opens the vault and the newest known backup, and keeps no copy.
        """)

    @Argument(help: "With --check: a picture or a text of a sheet.")
    var file: String?

    @Option(
      name: [.customShort("o"), .long],
      help: ArgumentHelp("Write a new file: .txt, .svg or .pdf (default: standard output).", valueName: "file"))
    var output: String?

    @Option(help: ArgumentHelp("text, svg or pdf (default: as the file ends, else text).", valueName: "format"))
    var format: SheetForm.Kind?

    @Option(help: ArgumentHelp("a4 or letter, for svg and pdf.", valueName: "size"))
    var paper = SheetForm.Paper.a4

    @Option(help: ArgumentHelp("The label of the slot (default: sheet and the date).", valueName: "label"))
    var label: String?

    @Option(
      help: ArgumentHelp("A folder of backups that this machine does not know; may be repeated.", valueName: "dir")
    )
    var backups: [String] = []

    @Flag(help: "Prove that a printed sheet opens the vault and the newest backup.")
    var check = false

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      if check { return try await checkSheet() }
      let form = try SheetForm(output: output, format: format, paper: paper)
      try checkArguments(form)
      let permission = try global.revealing("key sheet", "a key of the vault", way: "a person can make the sheet")
      let session = try Session(vault, global)
      try checkPlace(session.location)
      let opened = try await session.unlock(unlocking, to: .writing, withRootKey: true)
      defer { session.rememberReaders(of: opened) }
      let known = try KnownBackups(session, backups)
      let now = Timestamp.now()
      let identity = try AgeIdentity.generate(postQuantum: opened.header.slots.arePostQuantum)
      let sheet = Sheet(
        identity: identity, recipient: try identity.recipient,
        label: newLabel(opened.header, now), header: opened.header, location: session.location,
        backupFolders: known.folders, newestBackup: known.newest, made: now)
      let page = try sheet.page(by: permission)
      let slot = try await write(page, of: sheet, form, opened, session.location)
      var memory = SheetMemory(of: opened.header.vaultID)
      memory.note(sheet.recipient, \.madeAt, global.messages)
      try report(slot, sheet, hasCode: page.code != nil)
    }

    private func checkArguments(_ form: SheetForm) throws {
      if let file {
        throw CommandError.usage(
          "FILE", "is only for --check", "`vault key sheet -o \(Printable.text(file))` writes a new sheet there")
      }
      guard output == nil else { return }
      guard !global.json else {
        throw CommandError.usage("--json", "needs -o FILE, because the sheet itself is on standard output")
      }
      guard form.kind != .pdf || !Output.isTerminal else {
        throw CommandError.usage(
          "--format", "a PDF cannot be written to a terminal", "write a file with -o, or pipe it: `… | lp`")
      }
    }

    /// Refuses an existing file, and a place in the vault or in git, because the key must not travel with its vault.
    private func checkPlace(_ location: VaultLocation) throws {
      guard let output else {
        if System.state(of: System.standardOutput)?.isOpenToOthers == true {
          global.messages.note("others on this machine can read the file: `chmod 600` it, and delete it after printing")
        }
        return
      }
      try location.checkOutside(output)
      guard System.kind(of: output) == nil else {
        throw CommandError(
          .alreadyExists, "already_exists", subject: output, "already exists",
          hints: ["name a new file; nothing was changed"])
      }
      try ExportTarget(output: output, recipients: []).checkGit(global)
    }

    private func newLabel(_ header: VaultHeader, _ now: Timestamp) -> String {
      if let label { return label }
      let (usual, taken) = ("sheet \(now.text.prefix(10))", header.slots.map(\.label))
      return ([usual] + (2...99).map { "\(usual) \($0)" }).first { !taken.contains($0) } ?? usual
    }

    /// Writes the whole sheet, and only then adds its slot. If the slot cannot be added, the file is removed.
    private func write(
      _ page: SheetPage, of sheet: Sheet, _ form: SheetForm, _ opened: Vault, _ location: VaultLocation
    ) async throws -> Slot {
      let bytes = try form.bytes(page, isColored: output == nil && Output.isTerminal)
      if let output {
        try unsafe OutputFile.create(output, bytes.span.bytes, isSynced: true)
      } else {
        try Output.writeWhole(bytes)
      }
      do {
        return try await opened.addSlot(NewSlot(.recipient(sheet.recipient), label: sheet.label))
      } catch {
        // If the header has the slot despite the error, the sheet opens the vault and must be kept.
        let header = try? location.open(global).header
        if header?.slots.contains(where: { $0.recipient == sheet.recipient }) == true { throw error }
        guard output == nil else {
          if let output { System.remove(output) }
          throw error
        }
        throw CommandError(any: error).hinting("the page that was written opens nothing: destroy it")
      }
    }

    private func report(_ slot: Slot, _ sheet: Sheet, hasCode: Bool) throws {
      var notes: [String] = []
      if let output { notes.append("\(output) holds a key of the vault: print it, then delete it") }
      if !hasCode { notes.append("the sheet has no QR code, because libqrencode4 is not installed") }
      if let folder = sheet.backupFolders.first {
        notes.append(
          "earlier backups do not open with it: `vault backup create --to \(folder)` makes one that does")
      }
      notes.append("`vault key sheet --check` proves that the printed page works")
      for note in notes { global.messages.note(note) }
      guard output != nil else { return }
      guard global.json else { return try Output.line(slot.id.text) }
      try Output.document(["notes": notes, "sheet": output, "slot": slot])
    }
  }
}

// MARK: Check

extension KeyCommand.PrintSheet {
  private func checkSheet() async throws {
    let unfitting = [("--output", output), ("--format", format?.rawValue), ("--label", label)].first { $0.1 != nil }
    if let unfitting { throw CommandError.usage(unfitting.0, "cannot be combined with --check") }
    let session = try Session(vault, global)
    let text = try file.map { try read($0) } ?? typed()
    let identity: AgeIdentity
    do throws(AgeError) {
      identity = try text.withBytes { text throws(AgeError) in try AgeIdentity(parsing: text) }
    } catch {
      throw CommandError(error, subject: file ?? "the sheet")
    }
    try await SheetCheck(session: session, folders: backups).run(identity)
  }

  private func read(_ path: String) throws -> SecretBytes {
    let bytes = try TextInput.file(path, limit: SheetPicture.byteLimit)
    let name = path == "-" ? "stdin" : path
    let text = SheetPicture.isPicture(bytes) ? try SheetPicture.text(in: bytes, named: name) : bytes
    return try SheetReader.identity(in: text, named: name)
  }

  /// The identity that the user types, line by line. A wrong line is asked for again.
  private func typed() throws -> SecretBytes {
    guard let terminal = Terminal(noInput: global.noInput) else {
      throw CommandError.usage(
        "--check", "needs a terminal to type the sheet, or FILE", "`vault key sheet --check scan.png` reads a picture")
    }
    try terminal.say("Type lines 1 to 4 of the sheet, or its lines of words. Nothing is shown.\n")
    var reader = SheetReader()
    for _ in 0..<30 {
      let line = try terminal.secret(reader.nextLine.map { "Line \($0): " } ?? "First line: ")
      switch try reader.take(line.withBytes { $0.copiedBytes() }) {
      case .more: continue
      case .done(let secret): return secret
      case .wrong(let fault): try terminal.say("\(fault.firstUppercased). Type this line again.\n")
      case .wrongBefore(let fault): try terminal.say("\(fault.firstUppercased). Type all lines again.\n")
      }
    }
    throw CommandError(
      .declined, "declined", subject: "terminal", "the sheet was not typed to its end",
      hints: ["scan the page: `vault key sheet --check scan.png`"])
  }
}

extension String {
  fileprivate var firstUppercased: String { prefix(1).uppercased() + dropFirst() }
}

/// The form of a sheet on its way out.
struct SheetForm {
  enum Kind: String, CaseIterable, ExpressibleByArgument {
    case text
    case svg
    case pdf

    var ending: String { self == .text ? ".txt" : ".\(rawValue)" }
  }

  enum Paper: String, CaseIterable, ExpressibleByArgument {
    case a4
    case letter

    fileprivate var size: SheetPaper { self == .a4 ? .a4 : .letter }
  }

  let kind: Kind
  private let paper: Paper

  init(output: String?, format: Kind?, paper: Paper) throws {
    self.paper = paper
    let byName = output.map { output in Kind.allCases.first { output.lowercased().hasSuffix($0.ending) } } ?? .text
    guard let kind = format ?? byName else {
      throw CommandError.usage("--output", "must end with .txt, .svg or .pdf", "or say which with --format")
    }
    self.kind = kind
  }

  func bytes(_ page: SheetPage, isColored: Bool) throws -> [UInt8] {
    switch kind {
    case .text: Array(page.text(isColored: isColored).utf8)
    case .svg: Array(page.svg(paper.size).utf8)
    case .pdf: try page.pdf(paper.size)
    }
  }
}
