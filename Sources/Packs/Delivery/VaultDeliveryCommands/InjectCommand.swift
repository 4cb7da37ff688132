import ArgumentParser
import VaultCLI
import VaultCrypto
import VaultDelivery
import VaultDocument
import VaultKit
import VaultSealing
import VaultSystem
import VaultTerminal

/// `vault inject`: puts values into the places of a template.
struct InjectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inject",
    abstract: "Fill in the placeholders of a template.",
    discussion: """
      Example:
        vault inject -i app.yaml.tmpl -o app.yaml

      A placeholder is {{ cvault://RECORD/FIELD }}, with or without blanks. {{{{ stands for {{, and nothing else is \
      replaced. The command finds, verifies and opens every reference first; if one fails, it writes nothing.

      The format comes from --format or the file name. Each value is then quoted and escaped as its place needs. The \
      result is read again. If anything except the placeholders would change, the command refuses the result.

      The file appears whole or not at all. Only its owner can read it, and it is not written where git tracks it. To \
      avoid a file, use `vault run`.
      """)

  @Option(
    name: [.short, .customLong("input")], help: ArgumentHelp("The template; - is standard input.", valueName: "file"))
  var input: String?

  @Option(
    name: .shortAndLong, help: ArgumentHelp("Write to a file; it appears whole or not at all.", valueName: "file"))
  var output: String?

  @Option(help: "The format (default: by a first line #! or the file's name, else raw).")
  var format: Format?

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case raw, json, yaml, toml, ini, env, shell, xml, url
  }

  @Flag(help: "Write nothing; show what each placeholder means. Needs no key.")
  var dryRun = false

  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    let target = ExportTarget(output: output, recipients: [])
    guard target.file != nil || dryRun || !global.json else {
      throw CommandError.usage("--json", "needs --output or --dry-run")
    }
    guard input != nil || !System.isTerminal(System.standardInput) else {
      throw CommandError.usage(nil, "no template is named", "name one with --input FILE")
    }
    let bytes = try TextInput.file(input ?? "-", limit: 1 << 20)
    let format = chosenFormat(for: bytes)
    let template = try Template.reading(bytes, in: input ?? "-", as: format)
    let session = try Session(vault, global)
    if dryRun { return try await preview(template, session) }
    try session.location.checkOutside(target.file)
    try target.checkGit(global)
    try target.checkReplacing(global)
    let text = try await text(of: template, as: format, session)
    try await target.write { write in try unsafe write(text.span.bytes) }
    guard global.json else { return }
    try Output.document(["file": target.file, "format": format.rawValue, "places": template.placeholders.count])
  }

  /// The given format, or that of the first line, of the output's name, or of the template's name.
  private func chosenFormat(for bytes: [UInt8]) -> TemplateFormat {
    let format = format.flatMap { TemplateFormat(rawValue: $0.rawValue) } ?? TemplateFormat(ofText: bytes) ?? named
    global.messages.detail("format \(format.rawValue)")
    return format
  }

  private var named: TemplateFormat {
    [output, input].lazy.compactMap { $0.flatMap(TemplateFormat.init(ofFileNamed:)) }.first ?? .raw
  }

  private func text(of template: Template, as format: TemplateFormat, _ session: Session) async throws -> [UInt8] {
    // References are resolved before a key is asked for.
    var fields: [SecretReference: ReferencedField] = [:]
    for place in template.placeholders where fields[place.reference] == nil {
      fields[place.reference] = try await session.field(of: place.reference)
    }
    // The records are verified later, and the permission is then asked for again.
    if let field = fields.values.first(where: { $0.sealedAt != nil || $0.reference.view != nil }) {
      _ = try global.revealing("inject", of: RevealedPlace(field.reference))
    }
    let name = input ?? "-"
    let wanted = template.placeholders.map { ($0.reference, "\(name), line \($0.line)") }
    let opened = try await session.unlock(unlocking)
    let values = try await session.values(of: wanted, in: opened)
    try checkTexts(values)
    for (reference, value) in values {
      _ = try value.record.revealing(reference.path, view: reference.view, "inject", global)
    }
    let text: [UInt8]
    do throws(TemplateFault) {
      text = try template.filled(
        as: format,
        with: template.placeholders.map { place in
          // The value was a text in the record.
          TemplateValue(values[place.reference]?.secret.text ?? "", isText: fields[place.reference]?.isText ?? true)
        })
    } catch {
      throw CommandError(error, in: name)
    }
    let target = output.map { $0.hasPrefix("/") ? $0 : (ProcessEnvironment.workingDirectory ?? "") + "/" + $0 }
    DeliveryLog.note(fields.values.map { .init($0, as: "template", to: target ?? System.callerPath) }, session)
    return text
  }

  private func preview(_ template: Template, _ session: Session) async throws {
    var findings: [ReferenceFinding] = []
    for place in template.placeholders {
      findings.append(
        await ReferenceFinding("\(place.reference)", file: input ?? "-", line: place.line, session))
    }
    try ReferenceReport(findings: findings, fileCount: 1).print(session)
    if findings.contains(where: { $0.fault != nil }) { throw Finished(status: .findings) }
  }

  /// Requires text, because a template is text.
  private func checkTexts(_ values: [SecretReference: DeliveredValue]) throws {
    guard let bytes = values.values.first(where: { $0.secret.string == nil }) else { return }
    throw CommandError(
      .inputRefused, "input_refused", subject: "\(bytes.reference)", "has a value that is not text",
      hints: ["`vault run --file` and `vault get --output` give it to a program as a file"])
  }
}

extension Template {
  /// Reads a template, and checks its format and places.
  fileprivate static func reading(
    _ bytes: [UInt8], in path: String, as format: TemplateFormat
  ) throws -> Template {
    do throws(TemplateFault) {
      let template = try Template(parsing: bytes)
      try template.check(as: format)
      return template
    } catch {
      throw CommandError(error, in: path)
    }
  }
}

extension CommandError {
  fileprivate init(_ fault: TemplateFault, in file: String) {
    self.init(
      .inputRefused, "input_refused", subject: file, (fault.line.map { "line \($0): " } ?? "") + fault.reason,
      hints: [
        "nothing was written; --format names the format of the template",
        "`vault run --env NAME=cvault://… -- PROGRAM` gives a value to a program without a file",
      ])
    self.file = file
  }
}
