import VaultCLI
import VaultDocument
import VaultExchange
import VaultKit
import VaultPackSupport
import VaultRecords
import VaultStorage
import VaultSystem
import VaultTerminal

extension ImportCommand {
  /// Imports a file of another tool, which a separate process reads.
  func importForeign(_ format: String, _ file: String) async throws {
    try checkOptionsOfImport(format)
    let name = file == "-" ? "stdin" : file
    let session = try Session(vault, global)
    let progress = Progress("read", global)
    defer { progress.end() }
    // These processes start before anything is unlocked, so that none of them has any part of a key.
    let header = try session.location.isDatabase ? HeaderFolder(of: session.locked) : nil
    let store = try decrypt.map { try DecryptedStore(of: file, by: $0, progress, global) }
    let reader = try reader(
      of: store?.path ?? file, store == nil ? format : DecryptedStore.format, named: name, header: header,
      session: session, progress: progress)
    let importer = try reader.begin()
    header?.remove()
    let opened = try await session.unlock(unlocking, to: dryRun ? .reading : .writing)
    let identity = FileSource.identity(of: file == "-" ? nil : file, named: sourceName)
    let mode = ForeignImport.Mode(isDryRun: dryRun, isStrict: strict, isUpdating: update)
    var work = try await ForeignImport(
      of: identity, from: importer.format.idPrefix, into: opened, mode,
      report: ForeignReport(name, format: importer.format, isDryRun: dryRun, global: global), progress: progress)
    do {
      try await work.run(reader)
    } catch {
      // Some records were already changed. The error tells why the import is incomplete.
      progress.end()
      work.receipt.keep(for: opened, global)
      _ = try? work.report.finish()
      throw error
    }
    work.receipt.keep(for: opened, global)
    let status = try work.report.finish()
    if status != .done { throw Finished(status: status) }
  }

  private func reader(
    of file: String, _ format: String, named name: String, header: HeaderFolder?, session: Session,
    progress: Progress
  ) throws -> SourceReader {
    var arguments = ["--vault=\(header?.path ?? session.location.path)"]
    for (option, value) in [
      ("kind", kind), ("encoding", encoding), ("name", sourceName), ("source-key-file", sourceKeys.sourceKeyFile),
    ] {
      if let value { arguments.append("--\(option)=\(value)") }
    }
    arguments += map.map { "--map=\($0)" } + sourceKeys.sourceIdentity.map { "--source-identity=\($0)" }
    // The shell's `<(…)` names a descriptor of this process.
    let named = sourceKeys.sourceIdentity + [sourceKeys.sourceKeyFile].compactMap(\.self) + [file]
    let kept = named.compactMap { path -> Int32? in
      if path == "-" || path == "/dev/stdin" { return System.standardInput }
      guard path.hasPrefix("/dev/fd/") || path.hasPrefix("/proc/self/fd/") else { return nil }
      return path.split(separator: "/").last.flatMap { Int32($0) }
    }
    return try SourceReader(
      of: file, format: format, arguments: arguments + ["--", format, file], kept: kept, progress: progress,
      passphrase: { [sourceKeys, global] in
        try sourceKeys.passphrase(of: name, global)
      })
  }

  private func checkOptionsOfImport(_ format: String) throws {
    try checkOptionsOfForeign()
    guard !strict || !update else {
      throw CommandError.usage(
        "--update", "cannot be combined with --strict, because it changes one record after another")
    }
    if let placement = try Packs.sets?.placing(vault) {
      throw CommandError.usage(
        "import", "needs to know which vault of \(placement.path) gets the records of another tool's file",
        "name the vault with --in NAME")
    }
    if format != "auto" { _ = try Self.importer(named: format) }
    guard decrypt == nil || ["auto", DecryptedStore.format].contains(format) else {
      throw CommandError.usage("--decrypt", "can be used only with pass, and not with \(format)")
    }
  }

  func checkOptionsOfForeign() throws {
    for (option, isGiven) in [("--keep-unknown", keepUnknown), ("--rejects", rejects != nil)] where isGiven {
      throw CommandError.usage(option, "can be used only with json and jsonl")
    }
    try sourceKeys.check()
  }

  static func importer(named name: String) throws -> any Importer {
    // The name of the export is valid here, too.
    guard let importer = try? ImportFormats.named(name == "kdbx" ? "keepass-kdbx" : name) else {
      let names = ImportFormats.all.map(\.format.name) + ImportFormat.allCases.map(\.rawValue) + ["auto"]
      throw CommandError.usage(Printable.argument(name), "is not a format that this program reads")
        .suggesting(name, among: names).hinting("`vault import --list` shows the formats")
    }
    return importer
  }

  func printFormats() throws {
    let formats = ImportFormats.all.map(\.format)
    guard global.json else {
      return try Output.lines(formats.map { "\($0.name)\n  \($0.title); \($0.versions)\n  keeps \($0.keeps)" })
    }
    try Output.document([
      "formats": formats.map { format in
        JSONValue.members([
          "keeps": format.keeps, "name": format.name, "title": format.title, "versions": format.versions,
        ])
      }
    ])
  }
}

extension CommandError {
  /// - Parameter kind: the chosen kind of the records; nil for logins.
  init(_ error: ExchangeError, subject: String, kind: String? = nil) {
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
    let hasAdvice = !hints.isEmpty
    if error.code == .unknownFormat {
      let other = "a table of any kind: `vault import csv FILE --map FIELD=COLUMN`"
      hints =
        ["name the format: `vault import FORMAT FILE`; `vault import --list` shows the formats"]
        + (hasAdvice ? hints : [other])
    }
    guard hints.isEmpty else { return }
    switch error.code {
    case .ambiguousFormat: hints = ["name the format: `vault import FORMAT FILE`"]
    case .missingColumn:
      hints = [
        "compare its first line with `vault import --list`",
        "or map its columns: `vault import csv FILE --map FIELD=COLUMN`",
      ]
    case .identityNeeded, .wrongIdentity:
      hints = ["use --source-identity FILE with an identity that opens it; those of the vault are not tried"]
    case .passphraseNeeded, .wrongPassphrase: hints = [passphraseHint]
    case .invalidMapping: hints = ["`vault kinds show \(kind ?? "login")` lists the fields"]
    default: hints = ["correct the file and try again; nothing was changed"]
    }
  }
}

private let passphraseHint = "use --source-passphrase-file FILE, or type the passphrase in a terminal"

extension ExchangeError.Advice {
  fileprivate var words: String {
    switch self {
    case .sentence(let text): text
    case .format(let name): "use `vault import \(name) FILE`"
    case .pipe(let command, let format): "decrypt or unpack it first: `\(command) | vault import \(format ?? "auto") -`"
    case .decrypt(let command, let format):
      "decrypt its files: `vault import \(format) FOLDER --decrypt '\(command)'`"
    case .keyFile:
      "\(passphraseHint); use --source-key-file FILE if the database has a key file"
    case .mapColumns: "--map FIELD=COLUMN names a column, and says that the first row is a header"
    }
  }
}

extension ExchangeError.Code {
  /// Whether the fault is a missing or wrong key rather than the file.
  fileprivate var isOfKeys: Bool {
    [.identityNeeded, .wrongIdentity, .passphraseNeeded, .wrongPassphrase].contains(self)
  }
}

/// A folder with the header of a vault in a database, which declares its kinds. It is for the reading process, which
/// has no access to the database. The header is not secret.
private final class HeaderFolder {
  let path: String

  init(of vault: LockedVault) throws {
    path = try System.makeTemporaryDirectory(in: ProcessEnvironment.temporaryDirectory)
    let bytes = vault.headerBytes
    // Unsafe because any type has bytes; these are bytes.
    try unsafe OutputFile.create(path + "/" + StoreLocation.header.fileName, bytes.span.bytes, isSynced: false)
  }

  deinit { remove() }

  func remove() { System.removeDirectory(path) }
}
