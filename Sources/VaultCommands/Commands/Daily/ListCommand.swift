import ArgumentParser
import VaultDocument
import VaultKit
import VaultRecords

/// `vault list`: a line for each record.
struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the records.",
    discussion: """
      It needs no key; with one that is given by an option or a variable every row is verified.

      Example:
        vault list --kind customer --sort updated --limit 10
      """,
    aliases: ["ls"])

  @OptionGroup var rows: RowOptions
  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    let query = try rows.query()
    let table = try RecordTable(vault, unlocking, global)
    try await table.session.checkKind(rows.kind)
    try await table.print(query)
  }
}

/// Which records `list` and `find` show, and in which order.
struct RowOptions: ParsableArguments {
  enum Order: String, ExpressibleByArgument, CaseIterable {
    case name, created, updated

    var ofQuery: RecordQuery.Order {
      switch self {
      case .name: .name
      case .created: .created
      case .updated: .updated
      }
    }
  }

  @Option(help: "Only records of this kind.")
  var kind: String?

  @Option(help: "The order: name, or created or updated, the newest first.")
  var sort: Order = .name

  @Option(parsing: .unconditional, help: ArgumentHelp("At most so many.", valueName: "n"))
  var limit: Int?

  func query() throws -> RecordQuery {
    guard limit.map({ $0 > 0 }) ?? true else { throw CommandError.usage("--limit", "must be 1 or more") }
    var query = RecordQuery()
    query.kind = kind
    query.order = sort.ofQuery
    query.limit = limit
    return query
  }
}

/// `vault find`: records by what can be read in them.
struct FindCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find",
    abstract: "Find records by their readable fields.",
    discussion: """
      A record is found when its readable fields hold every text, in upper or lower case, and every --where fits.

      Example:
        vault find paris --where address.zip=75010
      """,
    aliases: ["search"])

  @Argument(help: "Texts that must all occur.")
  var text: [String] = []

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp("A readable field that must have this value, or a list that holds it.", valueName: "field=value")
  )
  var conditions: [String] = []

  @OptionGroup var rows: RowOptions
  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    guard !text.isEmpty || !conditions.isEmpty else {
      throw CommandError.usage("arguments", "nothing to look for", "give a text, or --where FIELD=VALUE")
    }
    var query = try rows.query()
    query.texts = text
    query.conditions = try conditions.map { text in try MemberPath.assignment(text, of: "--where") }
    let table = try RecordTable(vault, unlocking, global)
    try await table.session.checkKind(rows.kind)
    for (path, _) in query.conditions { try checkReadable(path, table.session.locked.kinds) }
    try await table.print(query)
  }
}

extension FindCommand {
  /// Refuses a member that every kind which has it seals: it would never be found, and its value is no argument.
  private func checkReadable(_ path: MemberPath, _ catalog: KindCatalog) throws {
    let names = catalog.names.filter { name in rows.kind.map { $0.utf8.elementsEqual(name.utf8) } ?? true }
    let values = names.compactMap { catalog[$0]?.value(at: path) }
    guard !values.isEmpty, values.allSatisfy(\.isSealed) else { return }
    var error = CommandError.usage("\(path)", "is sealed: records cannot be found by it, nor is it an argument")
    error.field = path.description
    throw error
  }
}

/// The rows of `list` and `find`.
private struct RecordTable {
  let session: Session
  let unlocking: UnlockOptions
  let global: GlobalOptions

  init(_ vault: VaultOptions, _ unlocking: UnlockOptions, _ global: GlobalOptions) throws {
    session = try Session(vault, global)
    self.unlocking = unlocking
    self.global = global
  }

  /// Prints good rows and reports faulty records; any of those make the command end with 13.
  func print(_ query: RecordQuery) async throws {
    let opened = try await session.unlockWhereItHelps(unlocking)
    let (rows, faults) = try await found(query, opened)
    try RecordListing(rows, isVerified: opened != nil, ifEmpty: "no record").print(faults, global)
  }

  private func found(_ query: RecordQuery, _ opened: Vault?) async throws -> (RecordRows, [VaultError]) {
    guard let opened else { return try await session.locked.rows(query) }
    let found = try await opened.list(query)
    return (RecordRows(found.records), found.faults)
  }
}

extension RecordSummary: ListedRecord {
  var summary: RecordSummary { self }
  func appendTime(to line: inout [UInt8]) { updatedAt.appendText(to: &line) }

  func document(isVerified: Bool) -> JSONValue {
    .members([
      "created_at": .string(createdAt.text), "id": .string(id.text), "kind": .string(kind), "name": .string(name),
      "revision": .number(JSONNumber(revision)), "updated_at": .string(updatedAt.text), "verified": .bool(isVerified),
    ])
  }
}
