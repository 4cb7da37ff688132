import ArgumentParser
import VaultAge
import VaultCLI
import VaultDocument
import VaultExchange
import VaultKit
import VaultSealing
import VaultTerminal

struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write records to a file, for another program or another vault.",
    discussion: """
      Example:
        vault export --reveal --output customers.json --identity identity.txt
        vault export --reveal --format bitwarden --age age1… \\
          --output for-ada.json.age
        vault export --reveal --format dotenv --where tags=staging \\
          --fields secrets --output staging.env

      Records are written in the order of their ids. Without --reveal the sealed fields are left out. With --reveal, \
      the command first asks at a terminal.

      The format json is a plain array that `vault import json` reads, unless --keys changes the names or --json is \
      given. Before the export begins, notes say which values the format cannot hold. The exit status is then 4.
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case json, jsonl, plist
    case plistBinary = "plist-binary"
    case csv, yaml, env, bitwarden
    case keepassXML = "keepass-xml"
    case onePasswordCSV = "1password-csv"
    case sops, kdbx, netrc, pgpass, dotenv, kubernetes
    case ansibleVault = "ansible-vault"

    /// The format of another tool; nil for our own.
    var foreign: ExportFormat? { ExportFormat(rawValue: rawValue) }

    /// The names of the formats in an import are valid here, too.
    init?(argument: String) {
      self.init(rawValue: ["keepass-kdbx": "kdbx", "bitwarden-json": "bitwarden"][argument] ?? argument)
    }
  }

  enum Keys: String, ExpressibleByArgument, CaseIterable {
    case snake, camel, kebab

    var style: KeyStyle {
      switch self {
      case .snake: .snake
      case .camel: .camel
      case .kebab: .kebab
      }
    }
  }

  @OptionGroup var selection: ExportSelection

  @Option(help: "Only records of this kind.")
  var kind: String?

  @Option(help: "The format of the export.")
  var format: Format = .json

  @Option(help: "Join the words of names as snake, camel or kebab.")
  var keys: Keys?

  @Flag(help: "Export the sealed fields in clear.")
  var reveal = false

  @Flag(help: "Export the sealed fields as they are stored, sealed.")
  var sealed = false

  @Flag(help: "Also export former values of sealed fields: json, jsonl, kdbx, keepass-xml, bitwarden.")
  var former = false

  @Option(
    help: ArgumentHelp(
      "Encrypt the export to an age recipient. May be repeated. For sops: a recipient of the values.",
      valueName: "age1…"))
  var age: [String] = []

  @Option(
    name: .shortAndLong, help: ArgumentHelp("Write to this file, as a whole or not at all.", valueName: "file"))
  var output: String?

  @OptionGroup(title: "Passphrase of the export") var passphrase: NewPassphraseOptions
  @OptionGroup var revision: RevisionOptions
  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    try checkUsage()
    let permission = reveal ? try global.revealing("--reveal") : nil
    let recipients = try age.map { try AgeRecipient.argument($0, of: "--age") }
    if format != .sops { try AgeRecipient.check(recipients, of: "--age") }
    let target = ExportTarget(output: output, recipients: format == .sops ? [] : recipients)
    let isBinary = format.foreign?.isBinary ?? false
    if isBinary || !target.recipients.isEmpty, target.file == nil, Output.isTerminal {
      throw CommandError.usage(
        isBinary ? "--format" : "--age", "needs --output, because a terminal cannot show the bytes", "add --output FILE"
      )
    }
    let session = try Session(vault, at: revision, global)
    try session.location.checkOutside(target.file)
    try target.checkReplacing(global)
    try await session.checkKind(kind)
    try session.checkFields(selection.paths() ?? [], kind)
    let ids = try await selection.ids(session, kind: kind)
    let opened = reveal ? try await session.unlock(unlocking) : try await session.unlockWithoutAsking(unlocking)
    if reveal, global.canAsk { try global.confirm("Write the secrets of this vault \(question(target))?") }
    var form = RecordForm(permission: permission, sealed: sealed, keys: keys?.style, paths: try selection.paths())
    form.hasFormer = former
    var run = ExportRun(kind: kind, ids: ids, form: form, session: session, opened: opened, global: global)
    let leftOut = try await run.takeAttachments(byteLimit: format.foreign?.attachmentByteLimit ?? 0)
    if leftOut > 0 {
      global.messages.note(
        "\(counted(leftOut, "attachment")) \(leftOut == 1 ? "was" : "were") left out; "
          + "`vault get RECORD --attachment NAME -o FILE` writes one to a file"
      )
    }
    try await export(run, target: target, recipients: recipients)
    if leftOut > 0 { throw Finished(status: .partlyDone) }
  }

  private func question(_ target: ExportTarget) -> String {
    guard format == .sops || format.foreign?.needsPassphrase == true else { return target.description }
    let place = target.file ?? "stdout"
    return format == .sops ? "to \(place), encrypted for sops" : "to \(place), encrypted with a passphrase"
  }

  private func checkUsage() throws {
    guard !(reveal && sealed) else { throw CommandError.usage("--sealed", "cannot be combined with --reveal") }
    guard !global.json || format == .json else {
      throw CommandError.usage("--format", "\(format.rawValue) cannot be combined with --json")
    }
    _ = try selection.paths()
    if former { try checkFormer() }
    guard passphrase.isEmpty || format.foreign?.needsPassphrase == true else {
      throw CommandError.usage(
        "--new-passphrase-file", "can be used only with --format kdbx or ansible-vault",
        "to encrypt another format, use --age age1…")
    }
    guard let foreign = format.foreign else { return }
    guard reveal || !foreign.needsSecrets else {
      throw CommandError.usage(
        "--format", "\(format.rawValue) needs --reveal, because it is useless without the sealed fields", "add --reveal"
      )
    }
    guard keys == nil || foreign.keepsNames else {
      throw CommandError.usage("--keys", "cannot be combined with --format \(format.rawValue), which has its own names")
    }
    guard format != .sops || !age.isEmpty else {
      throw CommandError.usage(
        "--age", "must be given with --format sops, to name who can open the values", "add --age age1…")
    }
  }

  private func checkFormer() throws {
    guard reveal || sealed else {
      throw CommandError.usage(
        "--former", "needs --reveal or --sealed, because former values are sealed", "add --reveal")
    }
    guard keys == nil else { throw CommandError.usage("--former", "cannot be combined with --keys") }
    guard format.foreign?.holdsFormerValues ?? [.json, .jsonl].contains(format) else {
      throw CommandError.usage(
        "--former", "cannot be combined with --format \(format.rawValue), which has no place for former values",
        "use --format json or kdbx")
    }
  }

  private func export(_ run: ExportRun, target: ExportTarget, recipients: [AgeRecipient]) async throws {
    guard let foreign = format.foreign else { return try await run.write(shape, to: target) }
    let secret = foreign.needsPassphrase ? try passphrase.read(global) : nil
    let exporter = try CommandError.naming { () throws(ExportError) in
      try foreign.exporter(recipients: recipients, passphrase: secret, isOfOneKind: kind != nil)
    }
    try await run.write(exporter, to: target)
  }

  private var shape: RecordStream.Shape {
    switch format {
    case .jsonl: .lines
    case .plist: .propertyList(.propertyList)
    case .plistBinary: .propertyList(.binaryPropertyList)
    default: global.json ? .document : .array
    }
  }
}
