import ArgumentParser
import VaultDocument
import VaultKit
import VaultRecords

/// `vault import`: records come in.
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Store the records of a file, of this program or of another tool.",
    discussion: """
      json is an array of objects (or one object), jsonl one object a line. Each is checked by itself; refused ones are \
      reported with their place and the reason, never with their content, and the others are stored (exit code 4). The \
      formats of other tools are those of `vault import --list`; auto goes by how the file begins. Every value of such a \
      file is accounted for, and an entry that came before is not stored again.

      Example:
        vault import auto bitwarden.csv --dry-run
      """)

  @Argument(help: "json, jsonl, auto, or a format of `vault import --list`.")
  var format: String?

  @Argument(help: "The file, or - for standard input.")
  var file: String?

  @Flag(help: "List the formats of other tools and what is kept of them.")
  var list = false

  @Option(help: "The kind of the records; `vault kinds list` shows them. Other tools say it themselves, csv takes it.")
  var kind: String?

  @Option(help: ArgumentHelp("Send a column of csv to a member, such as username=E-Mail.", valueName: "field=source"))
  var map: [String] = []

  @Option(help: "The encoding of csv that is not UTF-8: utf-16le, utf-16be or windows-1252.")
  var encoding: String?

  @Flag(help: "Check everything and store nothing; of other tools' files, print what becomes of each value.")
  var dryRun = false

  @Flag(help: "Store nothing at all when one is refused.")
  var strict = false

  @Flag(help: "Change records that came from the same entries before, where the file says otherwise.")
  var update = false

  @Flag(help: "Seal members that the kind does not have in `extra`, rather than refuse them.")
  var keepUnknown = false

  @Option(help: ArgumentHelp("Write the refused ones to a file; it holds their secrets in clear.", valueName: "file"))
  var rejects: String?

  @OptionGroup(title: "Vault") var vault: VaultOptions
  @OptionGroup(title: "Key") var unlocking: UnlockOptions
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    if list { return try printFormats() }
    guard let format, let file else {
      throw CommandError.usage("import", "needs a format and a file", "`vault import --list` shows the formats")
    }
    if let own = ImportFormat(rawValue: format) {
      try await importOwn(own, file)
    } else {
      try await importForeign(format, file)
    }
  }

  private func importOwn(_ format: ImportFormat, _ file: String) async throws {
    guard let name = kind else { throw CommandError.usage("--kind", "is needed for \(format.rawValue)") }
    for (option, isGiven) in [("--map", !map.isEmpty), ("--encoding", encoding != nil), ("--update", update)]
    where isGiven {
      throw CommandError.usage(option, "is for files of other tools")
    }
    let session = try Session(vault, global)
    var kind = try session.locked.kinds.argument(name)
    let elements = try format.elements(of: file)
    let opened = dryRun ? try await session.unlock(unlocking) : try await session.unlockToWrite(unlocking)
    kind = try opened.kinds.argument(kind.name)
    var report = ImportReport(elements: elements, file: file == "-" ? "stdin" : file)
    let prepared = await prepare(elements, kind, opened, &report)
    let isStoring = !dryRun && !(strict && !report.refusals.isEmpty)
    if isStoring { try await opened.store(prepared) }
    if let rejects { try format.write(rejected: report.rejected, to: rejects) }
    report.stored = strict && !report.refusals.isEmpty ? [] : prepared.map(\.id)
    report.isDryRun = dryRun
    try report.print(global)
    if !report.refusals.isEmpty {
      throw Finished(status: report.stored.isEmpty ? .inputRefused : .partlyDone)
    }
  }

  private func prepare(
    _ elements: [ImportElement], _ kind: RecordKind, _ vault: Vault, _ report: inout ImportReport
  ) async -> [PreparedRecord] {
    var objects: [JSONObject] = []
    var indices: [Int] = []
    for (index, element) in elements.enumerated() {
      switch element.content {
      case .failure(let refusal): report.refuse(index, refusal)
      case .success(let object):
        objects.append(object)
        indices.append(index)
      }
    }
    let progress = Progress("checked", global)
    let results = await vault.prepare(objects, kind: kind, keepingUnknown: keepUnknown) { progress.advance(by: $0) }
    progress.end()
    var prepared: [PreparedRecord] = []
    for (position, (index, result)) in zip(indices, results).enumerated() {
      switch result {
      case .success(let record):
        prepared.append(record)
        for warning in kind.warnings(about: objects[position]) {
          global.messages.note("\(report.place(of: index)): \(warning.path): \(warning.text)")
        }
      case .failure(let error): report.refuse(index, ImportRefusal(reason: error.reason, field: error.field))
      }
    }
    report.sort()
    return prepared
  }
}

/// The forms that can be imported.
enum ImportFormat: String {
  case json, jsonl

  private static let limits = JSONLimits.list

  func elements(of path: String) throws -> [ImportElement] {
    let bytes = try TextInput.file(path, limit: Self.limits.byteCount)
    switch self {
    case .jsonl:
      let elements = Self.lines(bytes)
      // Else every line of an array that spans many would be reported.
      if let first = elements.first, first.value == nil, first.raw.first == UInt8(ascii: "[") {
        throw CommandError(
          .inputRefused, "input_refused", subject: path == "-" ? "stdin" : path,
          "begins with an array that goes on after its line: that is json, not jsonl", hints: ["`vault import json`"])
      }
      return elements
    case .json:
      do throws(DocumentError) {
        switch try JSONParser.parse(bytes, limits: Self.limits) {
        case .array(let items): return items.map { ImportElement($0, line: nil) }
        case let value where value.object != nil: return [ImportElement(value, line: nil)]
        default: throw DocumentError(code: .wrongType, reason: "must be an array of objects", line: 1, column: 1)
        }
      } catch {
        throw CommandError(error, in: path == "-" ? "stdin" : path)
      }
    }
  }

  /// One element for each line that is not blank.
  private static func lines(_ bytes: [UInt8]) -> [ImportElement] {
    var elements: [ImportElement] = []
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      guard !line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r") }) else {
        continue
      }
      do throws(DocumentError) {
        elements.append(ImportElement(try JSONParser.parse(Array(line)), line: index + 1, raw: Array(line)))
      } catch {
        let column = error.column.map { "column \($0): " } ?? ""
        let refusal = ImportRefusal(reason: column + error.reason, field: nil)
        elements.append(ImportElement(content: .failure(refusal), value: nil, line: index + 1, raw: Array(line)))
      }
    }
    return elements
  }

  /// Writes refused elements in the form they came in.
  func write(rejected: [ImportElement], to path: String) throws {
    let bytes: [UInt8] =
      switch self {
      case .json: try JSONValue.array(rejected.map { $0.value ?? .null }).prettyBytes(limits: Self.limits)
      case .jsonl: Array(rejected.map { $0.raw + [UInt8(ascii: "\n")] }.joined())
      }
    let file = try AtomicFile.beginning(at: path)
    try file.write(bytes)
    try file.commit()
  }
}

/// One element of an imported file.
struct ImportElement {
  let content: Result<JSONObject, ImportRefusal>
  let value: JSONValue?
  /// For files of one element a line, from 1.
  let line: Int?
  let raw: [UInt8]

  init(content: Result<JSONObject, ImportRefusal>, value: JSONValue?, line: Int?, raw: [UInt8]) {
    self.content = content
    self.value = value
    self.line = line
    self.raw = raw
  }

  init(_ value: JSONValue, line: Int?, raw: [UInt8] = []) {
    let content = value.object.map(Result<JSONObject, ImportRefusal>.success)
    self.init(
      content: content ?? .failure(ImportRefusal(reason: "must be an object", field: nil)), value: value, line: line,
      raw: raw)
  }
}

/// Why an element is refused; never with any of its content but the names of members.
struct ImportRefusal: Error {
  let reason: String
  let field: String?
}

/// What an import has done.
struct ImportReport {
  let elements: [ImportElement]
  let file: String
  var refusals: [(index: Int, refusal: ImportRefusal)] = []
  var stored: [RecordID] = []
  var isDryRun = false

  init(elements: [ImportElement], file: String) {
    self.elements = elements
    self.file = file
  }

  mutating func refuse(_ index: Int, _ refusal: ImportRefusal) { refusals.append((index, refusal)) }

  mutating func sort() { refusals.sort { $0.index < $1.index } }

  var rejected: [ImportElement] { refusals.map { elements[$0.index] } }

  func print(_ global: GlobalOptions) throws {
    guard !global.json else { return try printDocument() }
    for (index, refusal) in refusals {
      let subject = [file, place(of: index), refusal.field].compactMap { $0 }.joined(separator: ": ")
      global.messages.report(CommandError(.inputRefused, "input_refused", subject: subject, refusal.reason))
    }
    if let hint { Messages.print("hint: \(hint)") }
    try Output.line("\(stored.count) \(isDryRun ? "would be stored" : "stored"), \(refusals.count) refused")
  }

  func place(of index: Int) -> String { elements[index].line.map { "line \($0)" } ?? "element \(index)" }

  private var hint: String? {
    guard !refusals.isEmpty else { return nil }
    if stored.isEmpty { return "nothing was stored; correct the elements above and import again" }
    return "--rejects FILE keeps the refused ones, --strict stores none when one is refused"
  }

  private func printDocument() throws {
    try Output.document([
      "dry_run": .bool(isDryRun),
      "ids": .array(isDryRun ? [] : stored.map { .string($0.text) }),
      "refused": .array(
        refusals.map { index, refusal in
          .members([
            "field": .optional(refusal.field), "index": .number(JSONNumber(index)),
            "line": elements[index].line.map { .number(JSONNumber($0)) } ?? .null, "reason": .string(refusal.reason),
          ])
        }),
      "stored": .number(JSONNumber(stored.count)),
    ])
  }
}
