import ArgumentParser
import VaultCLI
package import VaultDocument
package import VaultKit
import VaultRecords
import VaultTerminal

struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the records.",
    discussion: """
      The command uses no key, and a note says that nothing was verified. With --verify, or with an option that gives \
      a key, every row is verified.

      At a terminal the command prints a table that fits the screen, sorted by letters without accents. A table that \
      is longer than the screen goes through CVAULT_PAGER, PAGER or less. A pipe gets a line for each record, with its \
      full id and time, sorted by code points.

      Example:
        vault list --kind customer --sort updated --limit 10
      """,
    aliases: ["ls"])

  @OptionGroup var rows: RowOptions
  @OptionGroup var view: RowViewOptions
  @OptionGroup var verifying: VerifyOptions
  @OptionGroup var revision: RevisionOptions
  @OptionGroup var everywhere: EverywhereOptions
  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    let query = try rows.query()
    let list = try RecordSearchRun(
      Session(vault, at: revision, global), key: verifying.key(unlocking), global: global, view: view)
    try await list.session.checkKind(rows.kind)
    try await list.print(query)
  }
}

/// The records that `list` and `find` show, and their order.
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

  @Option(help: "Sort by name, or by created or updated with the newest first.")
  var sort: Order = .name

  @Option(parsing: .unconditional, help: ArgumentHelp("Show at most this many records.", valueName: "n"))
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

struct FindCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find",
    abstract: "Find records by their readable fields.",
    discussion: """
      The command finds the records whose readable fields contain every text, in upper or lower case, and match every \
      --where. At a terminal the table shows in which field a text was found. If no record is found, the exit status \
      is 10 and similar names are shown. At a terminal the command shows the most similar records instead.

      Example:
        vault find paris --where address.zip=75010
      """,
    aliases: ["search"])

  @Argument(help: "Texts that must all occur in the record.")
  var text: [String] = []

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp("Only records whose field has this value, or whose list contains it.", valueName: "field=value")
  )
  var conditions: [String] = []

  @OptionGroup var rows: RowOptions
  @OptionGroup var view: RowViewOptions
  @OptionGroup var verifying: VerifyOptions
  @OptionGroup var revision: RevisionOptions
  @OptionGroup var everywhere: EverywhereOptions
  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    guard !text.isEmpty || !conditions.isEmpty else {
      throw CommandError.usage(nil, "there is nothing to look for", "give a text, or --where FIELD=VALUE")
    }
    var query = try rows.query()
    query.texts = text
    query.conditions = try conditions.map { text in try MemberPath.assignment(text, of: "--where") }
    let search = try RecordSearchRun(
      Session(vault, at: revision, global), key: verifying.key(unlocking), global: global, view: view)
    try await search.session.checkKind(rows.kind)
    for (path, _) in query.conditions { try search.session.checkReadable(path, rows.kind) }
    try await search.print(query, isSearch: true)
  }
}

private struct RecordSearchRun {
  let session: Session
  /// The key to verify rows; nil to verify nothing.
  let key: UnlockOptions?
  let global: GlobalOptions
  let view: RowViewOptions

  init(_ session: Session, key: UnlockOptions?, global: GlobalOptions, view: RowViewOptions) {
    (self.session, self.key, self.global, self.view) = (session, key, global, view)
  }

  /// Prints valid rows and reports faulty records. Any fault makes the command end with 13.
  ///
  /// - Parameter isSearch: whether an empty result is an error.
  func print(_ query: RecordQuery, isSearch: Bool = false) async throws {
    var fields = try view.fields(global, isSearch: isSearch)
    let opened = try await session.vaultToVerify(key)
    var found = try await found(query, opened)
    var missed: CommandError?
    if isSearch, found.rows.isEmpty, found.faults.isEmpty {
      let near = try await session.locked.nearest(query, limit: 5)
      if isShown, !near.isEmpty, Output.part == nil {
        global.messages.note("no record contains \(words(of: query)); similar records:")
        // Such rows do not contain the searched text.
        fields = fields?.map { $0 == .match ? .who : $0 }
        found.rows = RecordRows(opened?.verified(near, []).records ?? near)
      } else {
        missed = nothing(for: query, near: near)
      }
    }
    try show(found, query: query, fields: fields, isVerified: opened != nil, isMissed: missed != nil)
    if let missed { throw missed }
  }

  private func show(
    _ found: (rows: RecordRows, count: Int?, faults: [VaultError]), query: RecordQuery, fields: [RowField]?,
    isVerified: Bool, isMissed: Bool
  ) throws {
    let isWhole = query.texts.isEmpty && query.conditions.isEmpty && query.kind == nil
    let note = isWhole ? "the vault has no records" : "no record matches"
    let listing = RecordListing(
      found.rows, isVerified: isVerified, ifEmpty: isMissed || !found.faults.isEmpty ? nil : note)
    guard let fields else { return try listing.print(found.faults, of: found.count, global) }
    var table = RecordTable(fields: fields, order: query.order, isWide: view.table.wide, style: global.style)
    table.highlight = Highlight(query, global.style)
    try session.checkFields(table.paths, query.kind)
    try listing.print(found.faults, of: found.count, global) {
      try show(found.rows.map { row(of: $0, table) }, table)
    }
  }

  private var isShown: Bool { view.isTable && !global.json }

  private func words(of query: RecordQuery) -> String {
    query.texts.map { "\"\(Printable.withoutSecret($0))\"" }.joined(separator: " and ")
  }

  private func nothing(for query: RecordQuery, near: [RecordSummary]) -> CommandError {
    guard !query.texts.isEmpty else { return .noMatch(of: query, in: session).near(Self.names(of: near)) }
    var error = CommandError(.notFound, "nothing_found", subject: words(of: query), "no record matches")
    error.hints = query.conditions.compactMap { session.hint(for: $0.path, query.kind) }
    if query.texts.count == 1, let path = MemberPath.ofAssignment(query.texts[0]),
      session.hint(for: path, query.kind) == nil, path.isSealedInAnyKind() == false
    {
      error.hints.append("`--where \(path)=VALUE` searches for the value of a field")
    }
    return error.near(Self.names(of: near))
  }

  private static func names(of records: [RecordSummary]) -> [String] {
    var names: [String] = []
    for name in records.map(\.name) where !name.isEmpty && !names.contains(name) { names.append(name) }
    return names
  }

  /// The shown rows, and the number of matches; nil if a limit ended the search early.
  private func found(
    _ query: RecordQuery, _ opened: Vault?
  ) async throws -> (rows: RecordRows, count: Int?, faults: [VaultError]) {
    var (query, limit) = (query, query.limit)
    // A user is told the number of matches, and expects alphabetical order rather than code order.
    if isShown { query.limit = nil } else { limit = nil }
    var (rows, faults) = try await session.locked.rows(query)
    let count = query.limit.map { rows.count < $0 } ?? true ? rows.count : nil
    if isShown {
      if query.order == .name { rows = rows.inOrderOfLetters() }
      rows = RecordRows(session.locked.toldApart(Array(rows)))
      if let limit { rows = RecordRows(Array(rows.prefix(limit))) }
    }
    guard let opened else { return (rows, count, faults) }
    let left: [RecordSummary]
    (left, faults) = opened.verified(Array(rows), faults)
    return (RecordRows(left), count.map { $0 - (rows.count - left.count) }, faults)
  }

  /// An unreadable record gives a row with only its summary.
  private func row(of summary: RecordSummary, _ table: RecordTable) -> RecordRow {
    var row = RecordRow(summary: summary)
    let (paths, hasMatch) = (table.paths, table.fields.contains(.match))
    guard !paths.isEmpty || hasMatch, let record = try? session.locked.record(summary.id) else { return row }
    let shown = RecordView(record)
    for path in paths { row.values[path] = shown.cell(at: path) }
    if hasMatch { row.match = table.highlight?.places(in: shown) ?? "" }
    return row
  }

  private func show(_ rows: [RecordRow], _ table: RecordTable) throws {
    if view.isTable {
      guard !rows.isEmpty else { return }
      return try view.table.print(Table(rows, table.columns, width: view.table.width), global)
    }
    var output = OutputBuffer(to: Output.writePrintable)
    for row in rows { try output.append(table.line(of: row)) }
    try output.flush()
  }
}

extension RecordSummary: ListedRecord {
  package var summary: RecordSummary { self }
  package func appendTime(to line: inout [UInt8]) { updatedAt.appendText(to: &line) }

  package func document(isVerified: Bool) -> JSONValue {
    .members([
      "created_at": createdAt, "id": id, "kind": kind, "name": name, "revision": revision, "updated_at": updatedAt,
      "verified": isVerified,
    ])
  }
}

extension ListCommand: MistakeExplaining {
  static func hint(for mistake: CommandMistake) -> String? {
    guard mistake == .furtherArgument else { return nil }
    return "`vault find TEXT` searches for a text, and `vault list --kind KIND` lists one kind"
  }
}
