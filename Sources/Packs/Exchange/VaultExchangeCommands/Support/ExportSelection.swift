import ArgumentParser
import VaultCLI
import VaultDocument
import VaultKit
import VaultRecords
import VaultTerminal

struct ExportSelection: ParsableArguments {
  @Argument(help: "Only these records: ids, beginnings of ids, or names.")
  var record: [String] = []

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp("Only records whose field has this value, or whose list contains it.", valueName: "field=value"))
  var conditions: [String] = []

  @Option(help: ArgumentHelp("Only these fields, separated by commas.", valueName: "field,…"))
  var fields: String?

  func paths() throws -> [MemberPath]? {
    guard let fields else { return nil }
    let paths = try fields.split(separator: "," as Character).map { text in
      try MemberPath.argument(String(text), of: "--fields")
    }
    let hasIndex = paths.contains { path in
      path.components.contains { if case .index = $0 { true } else { false } }
    }
    guard !paths.isEmpty, !hasIndex else {
      throw CommandError.usage(
        "--fields", "takes names of fields, and not single items of a list",
        "write, for example, `--fields title,password`")
    }
    return paths
  }

  /// The ids of the records; nil for all.
  ///
  /// The records are found without a key, as in `find`. Each is verified when it is exported.
  func ids(_ session: Session, kind: String?) async throws -> Set<RecordID>? {
    guard !record.isEmpty || !conditions.isEmpty else { return nil }
    var named: Set<RecordID> = []
    for word in record { named.insert(try await session.resolve(word)) }
    guard !conditions.isEmpty else { return named }
    var query = RecordQuery()
    query.kind = kind
    query.conditions = try conditions.map { text in try MemberPath.assignment(text, of: "--where") }
    for (path, _) in query.conditions { try session.checkReadable(path, kind) }
    let found = Set(try await session.locked.listed(query).records.map(\.id))
    let chosen = record.isEmpty ? found : found.intersection(named)
    guard !chosen.isEmpty else {
      throw CommandError.noMatch(of: query, in: session)
    }
    return chosen
  }
}
