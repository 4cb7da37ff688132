import VaultCLI
import VaultDocument
import VaultExchange
import VaultKit
import VaultRecords
import VaultSystem
import VaultTerminal

extension ImportCommand {
  /// Reads a file of another tool and prints its content in clear. This is the reading process of an import, which
  /// never had a key.
  func printParsed(_ format: String, _ file: String) async throws {
    try checkOptionsOfForeign()
    for (option, isGiven) in [
      ("--dry-run", dryRun), ("--strict", strict), ("--update", update), ("--decrypt", decrypt != nil),
    ] where isGiven {
      throw CommandError.usage(option, "cannot be combined with --parse-only, which stores nothing")
    }
    let name = file == "-" ? "stdin" : file
    let named = format == "auto" ? nil : try Self.importer(named: format)
    if global.canAsk { try global.confirm("Write everything in \(name), including its secrets, to stdout in clear?") }
    let output = ReaderOutput()
    do {
      try read(file, name: name, named: named, output: output)
    } catch let finished as Finished {
      throw finished
    } catch {
      let error = CommandError(any: error)
      try output.fail(error)
      throw error
    }
    guard output.counts.refused > 0 || output.isStopped else { return }
    throw Finished(status: output.counts.records > 0 ? .partlyDone : .inputRefused)
  }

  private func read(_ file: String, name: String, named: (any Importer)?, output: ReaderOutput) throws {
    let source = try source(file, name: name, output: output)
    let importer = try Self.importer(of: source, name, named)
    try checkOptions(for: importer.format)
    let options = try options(of: name, output)
    let items = try Self.inExchange(name, kind: kind) { () throws(ExchangeError) in
      try importer.items(of: source, options: options)
    }
    try output.begin(importer.format.name)
    do {
      while let item = try items.next() { try output.write(item) }
    } catch let error as ExchangeError {
      try output.stop(SourceFault(error))
      global.messages.report(CommandError(error, subject: name))
    }
    try output.end()
  }

  /// The file, or all files of a folder, before any reading.
  private func source(_ file: String, name: String, output: ReaderOutput) throws -> ImportSource {
    guard file != "-", System.kind(of: file) == .directory else {
      let opened = try FileSource(file) { output.read($0) }
      ReaderLimits(byteCount: opened.byteCount).apply()
      return opened.importSource(named: sourceName)
    }
    ReaderLimits(byteCount: nil).apply()
    return try Self.inExchange(name) { () throws(ExchangeError) in try ImportFolder.source(at: file) }
  }

  /// The named importer, or the one that the file matches.
  private static func importer(
    of source: ImportSource, _ name: String, _ named: (any Importer)?
  ) throws -> any Importer {
    try inExchange(name) { () throws(ExchangeError) in
      let sample = try source.sample()
      guard !sample.head.isEmpty || !sample.paths.isEmpty else { throw ExchangeError(.malformed, "is empty") }
      if let named {
        try ImportFormats.check(sample, for: named)
        return named
      }
      return try ImportFormats.detecting(sample)
    }
  }

  private func checkOptions(for format: VaultExchange.ImportFormat) throws {
    guard !format.takesMappings else { return }
    for (option, isGiven) in [("--kind", kind != nil), ("--map", !map.isEmpty)] where isGiven {
      throw CommandError.usage(option, "cannot be used with \(format.name), which defines the meaning of its values")
    }
  }

  private func options(of name: String, _ output: ReaderOutput) throws -> ImportOptions {
    var options = ImportOptions()
    options.encoding = try encoding.map { name in
      guard let encoding = TextEncoding(rawValue: name) else {
        let names = TextEncoding.allCases.map(\.rawValue).joined(separator: ", ")
        throw CommandError.usage("--encoding", "must be one of \(names)")
      }
      return encoding
    }
    options.identities = try sourceKeys.identities()
    options.keyFile = try sourceKeys.keyFile()
    let (keys, global) = (sourceKeys, global)
    options.passphrase = { () throws(ExchangeError) in
      do {
        if keys.sourcePassphraseFd != nil { try output.asks() }
        return try keys.passphrase(of: name, global)
      } catch {
        throw ExchangeError(.passphraseNeeded, "is encrypted with a passphrase", underlying: error)
      }
    }
    options.kinds = try knownKinds()
    options.kind = try kind.map { try options.kinds.argument($0) }
    options.mappings = try Self.inExchange("--map", kind: kind) { () throws(ExchangeError) in
      try map.map { text throws(ExchangeError) in try FieldMapping(parsing: text) }
    }
    return options
  }

  /// The kinds in the vault's header, without a key; the built-in kinds without a vault.
  private func knownKinds() throws -> KindCatalog {
    let isNamed = vault.isGiven || System.environment("CVAULT_DIR") != nil
    do {
      return try Session(vault, global, refusingOtherVaults: false).locked.kinds
    } catch {
      guard !isNamed else { throw error }
      return .builtIn
    }
  }

  static func inExchange<Result>(
    _ subject: String, kind: String? = nil, _ step: () throws(ExchangeError) -> Result
  ) throws -> Result {
    do throws(ExchangeError) {
      return try step()
    } catch {
      throw CommandError(error, subject: subject, kind: kind)
    }
  }
}
