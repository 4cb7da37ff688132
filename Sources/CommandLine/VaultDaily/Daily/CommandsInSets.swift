import VaultCLI
import VaultDocument
import VaultKit
import VaultTerminal

// How commands that look up or remove records prepare to run in each vault of a set.

extension ListCommand: RunsOverSet { var seeks: Bool { true } }
extension FindCommand: RunsOverSet { var seeks: Bool { true } }

extension ShowCommand: RunsOverSet {
  var seeks: Bool { true }

  func prepared(_ run: any SetRun) async throws -> Self {
    var command = self
    command.record = try await run.id(of: record).text
    return command
  }
}

extension RemoveCommand: RunsOverSet {
  /// Asks once for all vaults. The prepared command has whole ids and `--yes`.
  func prepared(_ run: any SetRun) async throws -> Self {
    var (command, names): (RemoveCommand, [String]) = (self, [])
    command.record = []
    for word in record {
      let (found, vaults) = try await run.holders(of: word)
      if command.record.contains(found.id.text) { continue }
      command.record.append(found.id.text)
      names.append(
        "\"\(RecordView(found).name)\" (\(found.id.text.prefix(8))) in \(vaults.joined(separator: " and "))")
    }
    let more = names.count > 5 ? " and \(names.count - 5) more" : ""
    try global.confirm("Remove \(names.prefix(5).joined(separator: ", "))\(more)?")
    command.global.yes = true
    return command
  }

  func adapted(to member: any NamedVault) throws -> Self? {
    let locked = try member.opened()
    var command = self
    command.record = record.filter { word in RecordID(parsing: word).map { (try? locked.record($0)) != nil } ?? false }
    return command.record.isEmpty ? nil : command
  }
}
