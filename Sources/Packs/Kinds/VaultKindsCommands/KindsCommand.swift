import ArgumentParser
import VaultCLI
import VaultCare
package import VaultDocument
import VaultKit
import VaultRecords
import VaultTerminal

struct KindsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kinds",
    abstract: "Show the kinds of records and their fields.",
    discussion: """
      Example:
        vault kinds show customer

      Without a vault the command shows the kinds that are built into the program. With a vault it also shows the \
      kinds that the vault declares.
      """,
    subcommands: [List.self, Show.self, KindsAddCommand.self], defaultSubcommand: List.self)

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the kinds of records.",
      discussion: """
        Example:
          vault kinds list
        """)

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      let catalog = try await KindCatalog.here(vault, unlocking: unlocking, global: global)
      guard global.json else { return try Output.lines(catalog.names) }
      try Output.document([
        "kinds": catalog.names.map { name in
          let kind = catalog[name]
          return JSONValue.members([
            "declared": kind?.isDeclared ?? true, "name": name, "schema": kind?.schema, "usable": kind != nil,
          ])
        }
      ])
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Show the fields of a kind, or its JSON Schema.",
      discussion: """
        Example:
          vault kinds show login --schema
        """)

    @Argument(help: "The name of the kind.")
    var kind: String

    @Flag(help: "Print the JSON Schema of the kind, for `vault kinds add`.")
    var schema = false

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      let kind = try await KindCatalog.here(vault, unlocking: unlocking, global: global).argument(kind)
      if schema, global.json {
        return try Output.document(["json_schema": kind.jsonSchema, "name": kind.name])
      }
      if schema { return try Output.write(JSONValue.object(kind.jsonSchema).prettyBytes()) }
      guard global.json else { return try Output.lines(lines(kind)) }
      try Output.document([
        "declared": kind.isDeclared, "description": kind.summary, "fields": kind.fields, "name": kind.name,
        "title": kind.titlePaths.first?.description, "version": kind.schema,
      ])
    }

    private func lines(_ kind: RecordKind) -> [String] {
      let patterns = kind.fields.map { Printable.text($0.pattern) }
      let width = patterns.map(\.count).max() ?? 0
      return zip(kind.fields, patterns).map { field, pattern in
        let traits = [field.secrecy, field.value.typeName, field.isRequired ? "required" : ""]
        return Printable.padded(pattern, to: width) + "  " + traits.filter { !$0.isEmpty }.joined(separator: ", ")
      }
    }
  }
}

extension KindCatalog {
  /// The kinds of the vault that the options or the working directory mean, or the built-in kinds without a vault.
  ///
  /// Declared kinds are verified if a key is given. Otherwise a note says that they are not verified.
  static func here(
    _ vault: VaultOptions, unlocking: UnlockOptions, global: GlobalOptions
  ) async throws -> KindCatalog {
    do {
      let session = try Session(vault, global)
      guard !session.locked.header.declaredKinds.isEmpty else { return session.locked.kinds }
      if let opened = try await session.unlockWithoutAsking(unlocking) { return opened.kinds }
      global.messages.note(Messages.unverifiedNote)
      return session.locked.kinds
    } catch let error as CommandError where error.status == .noVault {
      guard !vault.isGiven, System.environment("CVAULT_DIR") == nil else { throw error }
      return .builtIn
    }
  }
}

extension RecordKind {
  var isDeclared: Bool { if case .declared = origin { true } else { false } }
}

extension RecordField: DocumentValue {
  /// Whether it is secret, and the sort if it is known.
  fileprivate var secrecy: String {
    guard isSealed else { return "readable" }
    let sort = value.secretSort == .text ? "sealed" : "sealed as \(value.secretSort.rawValue)"
    return value.generation == nil ? sort : sort + ", made by rules"
  }

  package var document: JSONValue {
    .members([
      "generate": value.generation?.text, "label": label, "path": pattern, "required": isRequired, "sealed": isSealed,
      "secret": isSealed ? value.secretSort.rawValue : nil, "type": value.typeName,
    ])
  }
}
