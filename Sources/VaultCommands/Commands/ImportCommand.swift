import ArgumentParser
import VaultDocument
import VaultKit
import VaultRecords

/// `vault import`: records come in.
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Store the records of a JSON file as one batch.",
    discussion: """
      json is an array of objects (or one object), jsonl one object a line. Each is checked by itself; refused ones are \
      reported with their place and the reason, never with their content, and the others are stored (exit code 4).

      Example:
        vault import json customers.json --kind customer --dry-run
      """)

  @Argument(help: "json or jsonl.")
  var format: ImportFormat

  @Argument(help: "The file, or - for standard input.")
  var file: String

  @Option(help: "The kind of the records; `vault kinds list` shows them.")
  var kind: String

  @Flag(help: "Check everything and store nothing.")
  var dryRun = false

  @Flag(help: "Store nothing at all when one is refused.")
  var strict = false

  @Option(help: ArgumentHelp("Write the refused ones to a file; it holds their secrets in clear.", valueName: "file"))
  var rejects: String?

  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let kind = try RecordKind.argument(kind)
    let session = try Session(vault, global)
    let elements = try format.elements(of: file)
    let opened = dryRun ? try await session.unlock(unlocking) : try await session.unlockToWrite(unlocking)
    let progress = Progress("checked", global)
    defer { progress.end() }
    let result = try await opened.add(
      elements, kind: kind, refusals: strict ? .storeNothing : .leaveOut, isDryRun: dryRun,
      progress: { progress.advance(by: $0) }, object: { element throws(VaultError) in try element.object() })
    progress.end()
    let report = ImportReport(
      elements: elements, file: file == "-" ? "stdin" : file, result: result, isDryRun: dryRun)
    try Output.afterwards(report.deed) {
      if let rejects { try format.write(rejected: report.rejected, to: rejects) }
      try report.print(global)
    }
    if !result.refusals.isEmpty {
      throw Finished(status: result.ids.isEmpty ? .inputRefused : .partlyDone)
    }
  }
}

/// What an import has done.
struct ImportReport {
  let elements: [ImportElement]
  let file: String
  let result: Addition
  let isDryRun: Bool

  /// What was done, for an error that comes after it.
  var deed: String {
    let count = isDryRun ? 0 : result.ids.count
    return count == 1 ? "1 record is stored" : "\(count) records are stored"
  }

  var rejected: [ImportElement] { result.refusals.map { elements[$0.index] } }

  func print(_ global: GlobalOptions) throws {
    guard !global.json else { return try printDocument() }
    for (index, refusal) in result.refusals {
      let place = elements[index].line.map { "line \($0)" } ?? "element \(index)"
      let subject = [file, place, refusal.field].compactMap { $0 }.joined(separator: ": ")
      global.messages.report(CommandError(.inputRefused, "input_refused", subject: subject, refusal.reason))
    }
    if let hint { Messages.print("hint: \(hint)") }
    try Output.line("\(result.ids.count) \(isDryRun ? "would be stored" : "stored"), \(result.refusals.count) refused")
  }

  private var hint: String? {
    guard !result.refusals.isEmpty else { return nil }
    if result.ids.isEmpty { return "nothing was stored; correct the elements above and import again" }
    return "--rejects FILE keeps the refused ones, --strict stores none when one is refused"
  }

  private func printDocument() throws {
    try Output.document([
      "dry_run": .bool(isDryRun),
      "ids": .array(isDryRun ? [] : result.ids.map { .string($0.text) }),
      "refused": .array(
        result.refusals.map { index, refusal in
          .members([
            "field": .optional(refusal.field), "index": .number(JSONNumber(index)),
            "line": elements[index].line.map { .number(JSONNumber($0)) } ?? .null, "reason": .string(refusal.reason),
          ])
        }),
      "stored": .number(JSONNumber(result.ids.count)),
    ])
  }
}
