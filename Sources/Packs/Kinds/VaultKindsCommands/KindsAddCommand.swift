import ArgumentParser
import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultTerminal

struct KindsAddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Declare a kind of record with a JSON Schema.",
    discussion: """
      Example:
        vault kinds add wifi.json

      The header of the vault holds the schema, and its MAC protects it. Members with "x-sealed": true are secret, and \
      "x-secret" says which sort of secret. "x-title" is the path of the member that names a record.

      The name of the kind comes from --name, or else from "x-kind" in the schema. Without these it is the "title" of \
      the schema, if that is a valid name, or else the name of the file. docs/kinds.md lists the keywords.
      """)

  @Argument(help: "The schema, or - for standard input.")
  var file: String

  @Option(help: "The name of the kind: lower-case letters, digits and hyphens.")
  var name: String?

  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    let session = try Session(vault, global)
    let place = file == "-" ? "stdin" : file
    let bytes = try TextInput.file(file, limit: JSONLimits.record.byteCount)
    let schema = try JSONObject.parsed(bytes, file: place)
    let name = try name(of: schema, place)
    let opened = try await session.unlock(unlocking, to: .writing, withRootKey: true)
    let declared: KindDeclaration
    do throws(VaultError) {
      declared = try await opened.declareKind(name, as: schema)
    } catch {
      throw refusal(error, name: name, place: place)
    }
    guard !global.json else {
      return try Output.document(["kind": name, "result": declared.rawValue])
    }
    try Output.line(name)
    if declared == .unchanged { global.messages.note("nothing changed") }
  }

  private func name(of schema: JSONObject, _ place: String) throws -> String {
    if let name { return name }
    if let stated = schema["x-kind"] {
      guard let stated = stated.string else {
        throw CommandError(.inputRefused, "invalid_schema", subject: "\(place): x-kind", "must be text")
      }
      return stated
    }
    let stem = file.split(separator: "/").last?.split(separator: ".").first.map(String.init)
    guard let name = [schema["title"]?.string, stem].compactMap({ $0 }).first(where: RecordKindName.isValid) else {
      throw CommandError.usage("--name", "is needed: neither the schema nor the file gives the kind a name")
    }
    return name
  }

  private func refusal(_ error: VaultError, name: String, place: String) -> CommandError {
    guard error.code == .inputRefused || error.code == .alreadyExists else { return CommandError(error) }
    let isTaken = error.code == .alreadyExists
    let isName = isTaken || error.field == nil
    let subject = isName ? "kind \(name)" : "\(place): \(error.field ?? "")"
    let given = (self.name == nil ? "\(place): x-kind" : "--name") + ": \"\(name)\""
    var refusal = CommandError(error).about(RecordKindName.isValid(name) ? subject : given)
    guard error.remedies.isEmpty else { return refusal }
    refusal.hints = [
      isTaken ? "give the new kind another name with --name" : "docs/kinds.md lists what a declared kind can have"
    ]
    return refusal
  }
}
