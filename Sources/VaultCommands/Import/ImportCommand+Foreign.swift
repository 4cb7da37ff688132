import VaultDocument
import VaultExchange
import VaultKit
import VaultRecords
import VaultSystem

extension ImportCommand {
  /// Imports a file of another tool.
  func importForeign(_ format: String, _ file: String) async throws {
    for (option, isGiven) in [("--keep-unknown", keepUnknown), ("--rejects", rejects != nil)] where isGiven {
      throw CommandError.usage(option, "is for json and jsonl")
    }
    guard !strict || !update else {
      throw CommandError.usage("--update", "changes entry by entry and does not go with --strict")
    }
    let name = file == "-" ? "stdin" : file
    let named = format == "auto" ? nil : try Self.importer(named: format)
    let session = try Session(vault, global)
    let progress = Progress("read", global)
    defer { progress.end() }
    let source = try source(file, name, progress)
    let importer = try Self.importer(of: source, name, named)
    try checkOptions(for: importer.format)
    let opened = dryRun ? try await session.unlock(unlocking) : try await session.unlockToWrite(unlocking)
    let options = try options(session, opened, of: name)
    let items = try Self.inExchange(name) { () throws(ExchangeError) in
      try importer.items(of: source, options: options)
    }
    let mode = ForeignImport.Mode(isDryRun: dryRun, isStrict: strict, isUpdating: update)
    var work = try await ForeignImport(
      of: source.identity, from: importer.format.idPrefix, into: opened, mode,
      ForeignReport(name, importer.format, isDryRun: dryRun, global), progress)
    do {
      try await work.run(items)
    } catch {
      // Records were changed one by one: the error says why that is not all.
      progress.end()
      _ = try? work.report.finish()
      throw error
    }
    let status = try work.report.finish()
    if status != .done { throw Finished(status: status) }
  }

  /// The importer that was named, else the one whose format the file has.
  private static func importer(
    of source: ImportSource, _ name: String, _ named: (any Importer)?
  ) throws -> any Importer {
    try inExchange(name) { () throws(ExchangeError) in
      let sample = try source.sample()
      guard !sample.head.isEmpty || !sample.paths.isEmpty else { throw ExchangeError(.malformed, "is empty") }
      if let named { return named }
      return try ImportFormats.detecting(sample)
    }
  }

  private func options(_ session: Session, _ opened: Vault, of name: String) throws -> ImportOptions {
    var options = ImportOptions()
    options.encoding = try encoding.map { name in
      guard let encoding = TextEncoding(rawValue: name) else {
        let names = TextEncoding.allCases.map(\.rawValue).joined(separator: ", ")
        throw CommandError.usage("--encoding", "is none that this program reads", "one of \(names)")
      }
      return encoding
    }
    options.identities = try sourceKeys.identities(session, unlocking)
    options.passphrase = sourceKeys.passphrase(of: name, global)
    options.kinds = opened.kinds
    options.kind = try kind.map { try opened.kinds.argument($0) }
    options.mappings = try Self.inExchange("--map") { () throws(ExchangeError) in
      try map.map { text throws(ExchangeError) in try FieldMapping(parsing: text) }
    }
    return options
  }

  /// The file, or all files of a folder.
  private func source(_ file: String, _ name: String, _ progress: Progress) throws -> ImportSource {
    guard file != "-", System.kind(of: file) == .directory else {
      return try FileSource(file, progress).importSource(named: sourceName)
    }
    let identity = FileSource.identity(of: file, named: sourceName)
    return try Self.inExchange(name) { () throws(ExchangeError) in
      try ImportFolder.source(at: file, identity: identity)
    }
  }

  private static func importer(named name: String) throws -> any Importer {
    guard let importer = try? ImportFormats.named(name) else {
      let names = ImportFormats.all.map(\.format.name) + ImportFormat.allCases.map(\.rawValue) + ["auto"]
      throw CommandError.usage(Printable.argument(name), "is no format that this program reads")
        .suggesting(name, among: names).hinting("`vault import --list` shows the formats")
    }
    return importer
  }

  private func checkOptions(for format: VaultExchange.ImportFormat) throws {
    guard !format.takesMappings else { return }
    for (option, isGiven) in [("--kind", kind != nil), ("--map", !map.isEmpty)] where isGiven {
      throw CommandError.usage(option, "is for csv and its like: \(format.name) says itself what its values are")
    }
  }

  /// Prints the formats of other tools.
  func printFormats() throws {
    let formats = ImportFormats.all.map(\.format)
    guard global.json else {
      return try Output.lines(formats.map { "\($0.name)\n  \($0.title); \($0.versions)\n  keeps \($0.keeps)" })
    }
    try Output.document([
      "formats": .array(
        formats.map { format in
          .members([
            "keeps": .string(format.keeps), "name": .string(format.name), "title": .string(format.title),
            "versions": .string(format.versions),
          ])
        })
    ])
  }

  private static func inExchange<Result>(
    _ subject: String, _ step: () throws(ExchangeError) -> Result
  ) throws -> Result {
    do throws(ExchangeError) {
      return try step()
    } catch {
      throw CommandError(error, subject: subject)
    }
  }
}

extension CommandError {
  /// A file of another tool that cannot be imported.
  init(_ error: ExchangeError, subject: String) {
    if let underlying = error.underlying as? SystemError {
      self.init(underlying)
      return
    }
    if let underlying = error.underlying as? CommandError {
      self = underlying
      return
    }
    let isUsage = error.code == .invalidMapping
    let status: ExitStatus = isUsage ? .usage : error.code.isOfKeys ? .cannotUnlock : .inputRefused
    self.init(status, snakeCase(error.code.description), subject: isUsage ? "--map" : subject, error.description)
    if !isUsage { file = subject }
    hints = error.advice.map(\.words)
    guard hints.isEmpty else { return }
    switch error.code {
    case .unknownFormat:
      hints = [
        "`vault import FORMAT FILE` says it; `vault import --list` has the formats",
        "a table of any kind: `vault import csv FILE --map MEMBER=COLUMN`",
      ]
    case .ambiguousFormat: hints = ["say which it is: `vault import FORMAT FILE`"]
    case .missingColumn: hints = ["look at its first line, and at `vault import --list`", "csv: --map MEMBER=COLUMN"]
    case .identityNeeded, .wrongIdentity: hints = ["give the identity that opens it with --source-identity FILE"]
    case .passphraseNeeded, .wrongPassphrase: hints = ["give it with --source-passphrase-file FILE, or on a terminal"]
    case .invalidMapping: hints = ["`vault kinds show KIND` lists the members"]
    default: hints = ["correct the file and try again; nothing was changed"]
    }
  }
}

extension ExchangeError.Advice {
  fileprivate var words: String {
    switch self {
    case .sentence(let text): text
    case .format(let name): "`vault import \(name) FILE` takes that"
    case .pipe(let command, let format): "open it on the way: `\(command) | vault import \(format ?? "auto") -`"
    case .mapColumns: "--map MEMBER=COLUMN says what a column is, and that the first row has their names"
    }
  }
}

extension ExchangeError.Code {
  /// Whether a key is missing or wrong, rather than the file.
  fileprivate var isOfKeys: Bool {
    [.identityNeeded, .wrongIdentity, .passphraseNeeded, .wrongPassphrase].contains(self)
  }
}
