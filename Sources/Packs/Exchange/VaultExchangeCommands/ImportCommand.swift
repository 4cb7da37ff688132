import ArgumentParser
import Synchronization
import VaultCLI
import VaultDocument
import VaultExchange
import VaultKit
import VaultPackSupport
import VaultRecords
import VaultTerminal

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import records from a file of this program or of another tool.",
    discussion: """
      Example:
        vault import bitwarden.csv --dry-run
        vault import csv servers.csv --kind database --map host=Server \\
          --map fields.rack="Rack no."
        vault import plain-json keys.json --map password=auth.token \\
          --map title=auth.id

      Without FORMAT the format is detected from the beginning of the file. `vault import --list` shows the formats of \
      other tools and what is kept of them. The formats json and jsonl are those of this program: json is an array of \
      objects (or one object), and jsonl has one object on each line.

      Each record is checked on its own. Refused records are reported with their place and the reason, but never with \
      their content. The other records are stored, and the exit status is then 4.

      --undo takes back the last import that this machine made into the vault. Records that it added go to the trash, \
      and records that it updated get their content back. Records that were changed since stay as they are.

      An import from another tool reports what became of every value. An entry that was imported before is not stored \
      again.

      --map FIELD=SOURCE imports a column of csv as a field of the kind. In plain-json, plain-jsonl, plist, dotenv and \
      sops, SOURCE is the path of a value. `vault kinds show KIND` lists the fields; fields.NAME and secrets.NAME are \
      custom ones. A value without a mapping goes to the field of its name, or else it is sealed under its name. \
      --dry-run shows where each value goes.

      A separate process reads the file of another tool. It starts before the vault is opened and never gets its keys. \
      --parse-only runs only that process: it prints what it reads, with secrets in clear.
      """)

  @Argument(help: "The format: json, jsonl, auto (the default), or one of --list.")
  var format: String?

  @Argument(help: "The file or folder; - is standard input.")
  var file: String?

  @Flag(help: "List the formats of other tools.")
  var list = false

  @Option(help: "The kind of the records: see `vault kinds list`. Most formats of other tools set it themselves.")
  var kind: String?

  @Option(
    help: ArgumentHelp(
      "Import a column or value as a field: username=E-Mail. May be repeated.",
      valueName: "field=source"))
  var map: [String] = []

  @Option(help: "Encoding of a csv file: utf-16le, utf-16be or windows-1252.")
  var encoding: String?

  @Flag(help: "Store nothing, but check everything and print what would become of each value.")
  var dryRun = false

  @Flag(help: "Print another tool's file as JSON Lines, secrets in clear; needs no vault.")
  var parseOnly = false

  @Flag(help: "Store nothing if any record is refused.")
  var strict = false

  @Flag(help: "Update records that were imported from the same entries before.")
  var update = false

  @Flag(help: "Take the last import into this vault back.")
  var undo = false

  @Option(
    name: .customLong("name"),
    help: ArgumentHelp(
      "Identify the file by this name, not its path, if its entries have no ids.",
      valueName: "name"))
  var sourceName: String?

  @Option(
    help: ArgumentHelp(
      "Decrypt each file of a pass store with this command: 'gpg -dq'.", valueName: "command"))
  var decrypt: String?

  @Flag(help: "Seal fields that the kind does not have in `extra` instead of refusing them.")
  var keepUnknown = false

  @Option(help: ArgumentHelp("Write refused records to this file, secrets in clear.", valueName: "file"))
  var rejects: String?

  @OptionGroup(title: "Source") var sourceKeys: SourceKeys
  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    if list { return try printFormats() }
    if undo { return try await undoImport() }
    guard let format else {
      throw CommandError.usage(
        "import", "needs a file", "run `vault import FILE`; `vault import --list` shows the formats")
    }
    let (word, file) = try source(format)
    try await run(word, file)
  }

  private func run(_ format: String, _ file: String) async throws {
    if parseOnly, ImportFormat(rawValue: format) == nil {
      try await printParsed(format, file)
    } else if let own = ImportFormat(rawValue: format) {
      try await importOwn(own, file)
    } else {
      try await importForeign(format, file)
    }
  }

  /// The format and the file. A single word is a file, whose format is detected.
  private func source(_ format: String) throws -> (format: String, file: String) {
    if let file { return (format, file) }
    let names = ["auto"] + ImportFormat.allCases.map(\.rawValue) + ImportFormats.all.map(\.format.name)
    guard !names.contains(format) else {
      throw CommandError.usage("import", "needs a file after the format", "run `vault import \(format) FILE`")
    }
    // A word that is neither a file nor like a file name is a misspelt format.
    if !System.isThere(format), !format.contains(where: { "./\\".contains($0) }) {
      _ = try Self.importer(named: format)
    }
    return ("auto", format)
  }

  private func importOwn(_ format: ImportFormat, _ file: String) async throws {
    for (option, isGiven) in [
      ("--map", !map.isEmpty), ("--encoding", encoding != nil), ("--update", update), ("--name", sourceName != nil),
      ("--parse-only", parseOnly), ("--decrypt", decrypt != nil),
      ("--source-identity", !sourceKeys.sourceIdentity.isEmpty),
      ("--source-passphrase-file", sourceKeys.sourcePassphraseFile != nil),
      ("--source-passphrase-fd", sourceKeys.sourcePassphraseFd != nil),
    ]
    where isGiven {
      throw CommandError.usage(option, "can be used only with files of other tools")
    }
    guard let placement = try Packs.sets?.placing(vault) else {
      return try await importOwn(format, file: file, read: nil, into: vault, chosen: nil)
    }
    let elements = try elements(format, file)
    let places = try placement.places(of: elements, kind)
    let names = placement.names.filter(places.contains)
    guard rejects == nil || names.count < 2 else {
      throw CommandError.usage(
        "--rejects", "can be used only with records of one vault, and these belong to \(names.count) vaults")
    }
    func store(_ name: String) async throws {
      var options = vault
      options.names = [name]
      try await importOwn(
        format, file: file, read: elements, into: options, chosen: Set(places.indices.filter { places[$0] == name }))
    }
    if let only = names.first, names.count == 1 { return try await store(only) }
    try await placement.run(in: names, global, store)
  }

  /// - Parameters:
  ///   - read: the elements, if they were already read.
  ///   - chosen: the places of the chosen elements; nil for all.
  private func importOwn(
    _ format: ImportFormat, file: String, read: ImportElements?, into vault: VaultOptions, chosen: Set<Int>?
  ) async throws {
    let session = try Session(vault, global)
    try session.location.checkOutside(rejects)
    _ = try kind.map { try session.locked.kinds.argument($0) }
    let elements = try read ?? elements(format, file)
    let count = chosen?.count ?? elements.count
    let opened = try await session.unlock(unlocking, to: dryRun ? .reading : .writing)
    let kinds = ElementKinds(opened.kinds, chosen: try kind.map { try opened.kinds.argument($0) })
    let (keepsUnknown, warnings, source) = (keepUnknown, Warnings(), try sourceKeys.cryptoKitContext())
    let progress = Progress("checked", global) { count }
    defer { progress.end() }
    let result = try await opened.add(
      zip(0..., elements).lazy.filter { chosen?.contains($0.0) ?? true }, count: count,
      refusals: strict ? .storeNothing : .leaveOut, isDryRun: dryRun,
      keeping: { [keepsContent = rejects != nil] in keepsContent ? $0 : ($0.0, $0.1.withoutContent) },
      progress: { progress.advance(by: $0) },
      record: { (index, element) throws(VaultError) in
        let (kind, given, former) = try kinds.kind(of: element.object())
        // Computed once for all uses.
        let members = kind.modernised(given)
        warnings.look(at: members, kind, index: index, element: element)
        var input = RecordInput(kind, members, keepingUnknown: keepsUnknown, openingWith: source)
        input.former = former
        return input
      })
    progress.end()
    let report = ImportReport(file: file == "-" ? "stdin" : file, result: result, isDryRun: dryRun)
    warnings.tell(of: result, global)
    if !dryRun { ImportReceipt(adding: result.ids).keep(for: opened, global) }
    try Output.afterwards(report.action) {
      if let rejects { try format.write(rejected: report.rejected, to: rejects) }
      try report.print(global)
    }
    if !result.refusals.isEmpty {
      throw Finished(status: result.ids.isEmpty ? .inputRefused : .partlyDone)
    }
  }
}

extension VaultNames {
  /// The vault name for each element.
  fileprivate func places(of elements: ImportElements, _ kind: String?) throws -> [String] {
    var places: [String] = []
    var catalogs: [String: KindCatalog] = [:]
    for element in elements {
      do {
        let object = try element.object()
        let own = VaultExport.taking(object)
        let (name, members) = (own?.kind ?? kind ?? "", own?.members ?? object)
        let catalog = catalogs[name] ?? kinds(knowing: name)
        catalogs[name] = catalog
        places.append(try self.name(of: name, catalog[name], members))
      } catch {
        let place = ImportReport.place(of: places.count, element)
        let error = CommandError(any: error)
        throw error.about(error.subject.map { "\(place): \($0)" } ?? place)
      }
    }
    return places
  }
}

extension ImportCommand {
  /// The elements of the file. Without `--kind` it must be an export that names the kind of each record.
  private func elements(_ format: ImportFormat, _ file: String) throws -> ImportElements {
    let elements = try format.elements(of: file)
    // An unreadable element is refused at its place, like any other.
    guard kind == nil, let first = elements.makeIterator().next(), let object = try? first.object(),
      VaultExport.taking(object) == nil
    else { return elements }
    throw CommandError.usage(
      "--kind", "the \(format.rawValue) file does not name the kind of each record",
      #"add --kind KIND, or give each object "$vault": {"kind": "login"}"#)
  }
}

/// The kinds of imported elements: the chosen kind, or the kind that each names.
private struct ElementKinds: Sendable {
  private let chosen: RecordKind?
  private let own: VaultKinds

  init(_ catalog: KindCatalog, chosen: RecordKind?) {
    self.chosen = chosen
    own = VaultKinds(catalog, chosen: chosen)
  }

  func kind(of object: JSONObject) throws(VaultError) -> (RecordKind, JSONObject, former: [FormerInput]) {
    guard let record = VaultExport.taking(object) else {
      if let chosen { return (chosen, object, []) }
      throw VaultError(.inputRefused, "the record does not name its kind: give it with --kind")
    }
    let (kind, refusal) = own.kind(named: record.kind)
    guard let kind else { throw VaultError(.inputRefused, refusal) }
    guard let former = record.former else {
      throw VaultError(
        .inputRefused, "must have lists of objects with sealed_at and value, as export --former writes them",
        field: VaultExport.formerPath)
    }
    return (kind, record.members, former.map(\.input))
  }
}

/// Warnings about elements that are accepted.
private final class Warnings: Sendable {
  private let notes = Mutex<[(index: Int, text: String)]>([])

  /// May be called on any thread.
  func look(at members: JSONObject, _ kind: RecordKind, index: Int, element: ImportElement) {
    for (path, text) in kind.warnings(about: members) {
      let text = "\(ImportReport.place(of: index, element)): \(Sentence.about(path, text))"
      notes.withLock { $0.append((index, text)) }
    }
  }

  func tell(of result: BulkAddResult<(Int, ImportElement)>, _ global: GlobalOptions) {
    let refused = Set(result.refusals.map(\.index))
    // Stable, so that the notes of one element stay in order.
    for note in notes.withLock({ $0 }).sorted(by: { $0.index < $1.index }) where !refused.contains(note.index) {
      global.messages.note(note.text)
    }
  }
}

struct ImportReport {
  let file: String
  let result: BulkAddResult<(Int, ImportElement)>
  let isDryRun: Bool

  /// The completed work, for an error that comes after it.
  var action: String {
    let count = isDryRun ? 0 : result.ids.count
    return count == 1 ? "1 record was stored" : "\(count) records were stored"
  }

  var rejected: [ImportElement] { result.refusals.map(\.input.1) }

  func print(_ global: GlobalOptions) throws {
    guard !global.json else { return try printDocument() }
    for (index, (_, element), refusal) in result.refusals {
      let subject = [file, Self.place(of: index, element), refusal.field].compactMap { $0 }.joined(separator: ": ")
      global.messages.report(CommandError(.inputRefused, "input_refused", subject: subject, refusal.reason))
    }
    if let hint { Messages.print("hint: \(hint)") }
    try Output.line("\(result.ids.count) \(isDryRun ? "would be stored" : "stored"), \(result.refusals.count) refused")
  }

  fileprivate static func place(of index: Int, _ element: ImportElement) -> String {
    element.line.map { "line \($0)" } ?? "element \(index)"
  }

  private var hint: String? {
    guard !result.refusals.isEmpty else { return nil }
    if result.ids.isEmpty { return "nothing was stored: correct the records above and import again" }
    return "--rejects FILE writes refused records to a file; --strict stores nothing if any is refused"
  }

  private func printDocument() throws {
    try Output.document([
      "dry_run": isDryRun, "ids": isDryRun ? [] : result.ids,
      "refused": result.refusals.map { index, input, refusal in
        JSONValue.members(["field": refusal.field, "index": index, "line": input.1.line, "reason": refusal.reason])
      },
      "stored": result.ids.count,
    ])
  }
}

extension ImportCommand: PlaceCompleting {
  static func candidates(for argument: String, _ place: some CompletionPlace) async -> CompletionResult? {
    guard argument == "format" else { return nil }
    let names = ["auto"] + ImportFormat.allCases.map(\.rawValue) + ImportFormats.all.map(\.format.name)
    let formats = place.fitting(names)
    // A file alone is enough.
    return formats.isEmpty ? .files : .words(formats)
  }
}
