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
    abstract: "Declare a kind of record by a JSON Schema.",
    discussion: """
      The schema stands in the header, under its MAC. Members with "x-sealed": true are secret, and "x-secret" \
      says of what sort; "x-title" is the path of the member that names a record. The kind is called as --name says, \
      else "x-kind" in the schema, else its "title" where that has the form of a name, else as the file. docs/kinds.md \
      lists the keywords.

      Example:
        vault kinds add wifi.json
      """)

  @Argument(help: "The schema, or - for standard input.")
  var file: String

  @Option(help: "What the kind is called: small letters, digits and hyphens.")
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
      throw CommandError.usage("--name", "is needed: neither the schema nor the file says what the kind is called")
    }
    return name
  }

  private func refusal(_ error: VaultError, name: String, place: String) -> CommandError {
    guard error.code == .inputRefused || error.code == .alreadyExists else { return CommandError(error) }
    let isTaken = error.code == .alreadyExists
    let isName = isTaken || error.field == nil
    var refusal = CommandError(error).about(isName ? "kind \(name)" : "\(place): \(error.field ?? "")")
    guard error.remedies.isEmpty else { return refusal }
    refusal.hints = [
      isTaken ? "give the new one another name with --name" : "docs/kinds.md lists what a declared kind can have"
    ]
    return refusal
  }
}
