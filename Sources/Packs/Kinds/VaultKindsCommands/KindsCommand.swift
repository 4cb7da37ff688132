import ArgumentParser
import VaultCLI
import VaultDocument
import VaultKit
import VaultRecords
import VaultTerminal

/// `vault kinds`: the kinds of records.
struct KindsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kinds",
    abstract: "Show the kinds of records and their fields.",
    discussion: """
      Without a vault, these are the kinds of the program; with one, also those that it declares.

      Example:
        vault kinds show customer
      """,
    subcommands: [List.self, Show.self, KindsAddCommand.self], defaultSubcommand: List.self)

  /// `vault kinds list`.
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
        "kinds": .array(
          catalog.names.map { name in
            let kind = catalog[name]
            return .members([
              "declared": .bool(kind?.isDeclared ?? true), "name": .string(name),
              "schema": kind.map { .number(JSONNumber($0.schema)) } ?? .null, "usable": .bool(kind != nil),
            ])
          })
      ])
    }
  }

  /// `vault kinds show`.
  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Show the fields of a kind, or its JSON Schema.",
      discussion: """
        Example:
          vault kinds show login --schema
        """)

    @Argument(help: "The kind.")
    var kind: String

    @Flag(help: "Print the JSON Schema of the kind, as `vault kinds add` takes one.")
    var schema = false

    @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
    @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() async throws {
      let kind = try await KindCatalog.here(vault, unlocking: unlocking, global: global).argument(kind)
      if schema, global.json {
        return try Output.document(["json_schema": .object(kind.jsonSchema), "name": .string(kind.name)])
      }
      if schema { return try Output.write(JSONValue.object(kind.jsonSchema).prettyBytes()) }
      guard global.json else { return try Output.lines(lines(kind)) }
      try Output.document([
        "declared": .bool(kind.isDeclared), "description": .string(kind.summary),
        "fields": .array(kind.fields.map(\.document)), "name": .string(kind.name),
        "title": .optional(kind.titlePaths.first?.description), "version": .number(JSONNumber(kind.schema)),
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
  /// The kinds of the vault that the options or the place mean; those of the program where no vault is meant.
  ///
  /// Declared kinds are verified where a key is given, and otherwise it is said that they are not.
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

extension RecordField {
  /// Whether it is secret, and of what sort where that is known.
  fileprivate var secrecy: String {
    guard isSealed else { return "readable" }
    let sort = value.secretSort == .text ? "sealed" : "sealed as \(value.secretSort.rawValue)"
    return value.generation == nil ? sort : sort + ", made by rules"
  }

  fileprivate var document: JSONValue {
    .members([
      "generate": .optional(value.generation?.text), "label": .string(label), "path": .string(pattern),
      "required": .bool(isRequired), "sealed": .bool(isSealed),
      "secret": .optional(isSealed ? value.secretSort.rawValue : nil), "type": .string(value.typeName),
    ])
  }
}
