import VaultCLI
import VaultDocument
import VaultKit
import VaultTerminal

// How commands that look up or remove records prepare to run in each vault of a set.

extension ListCommand: RunsOverSet { var seeks: Bool { true } }
extension FindCommand: RunsOverSet { var seeks: Bool { true } }

extension ShowCommand: RunsOverSet {
  var seeks: Bool { true }

  func prepared(_ run: SetRun) async throws -> Self {
    var command = self
    command.record = try await run.id(of: record).text
    return command
  }
}

extension RemoveCommand: RunsOverSet {
  /// Asks once for all vaults.
  func prepared(_ run: SetRun) async throws -> Self {
    var (command, names): (RemoveCommand, [String]) = (self, [])
    command.record = []
    for word in record {
      let id = try await run.id(of: word)
      let holders = run.members.compactMap { member in
        (try? member.opened().record(id)).map { (vault: member.name, name: RecordView($0).name) }
      }
      guard let first = holders.first else { throw CommandError.nowhere(word) }
      if command.record.contains(id.text) { continue }
      command.record.append(id.text)
      names.append("\"\(first.name)\" (\(id.text.prefix(8))) in \(holders.map(\.vault).joined(separator: " and "))")
    }
    let more = names.count > 5 ? " and \(names.count - 5) more" : ""
    try global.confirm("Remove \(names.prefix(5).joined(separator: ", "))\(more)?")
    command.global.yes = true
    return command
  }

  func adapted(to member: SetMember) throws -> Self? {
    let locked = try member.opened()
    var command = self
    command.record = record.filter { word in RecordID(parsing: word).map { (try? locked.record($0)) != nil } ?? false }
    return command.record.isEmpty ? nil : command
  }
}

extension SetRun {
  /// The one record that a word means in all vaults that have it.
  func id(of word: String) async throws -> RecordID {
    if let id = RecordID(parsing: word) { return id }
    var found: [RecordID: [String]] = [:]
    for member in members {
      guard let locked = try? member.opened() else { continue }
      do throws(VaultError) {
        found[try await locked.resolve(word), default: []].append(member.name)
      } catch {
        guard error.code == .noSuchRecord else { throw CommandError(error).aboutRecord("\(member.name):\(word)") }
      }
    }
    guard let (id, _) = found.first else { throw CommandError.nowhere(word) }
    guard found.count == 1 else {
      throw CommandError(
        .notFound, "ambiguous_record", subject: word, "several vaults have different records of this name: use an id",
        hints: found.sorted { $0.key < $1.key }.flatMap { id, names in names.map { "\($0):\(id.text)" } })
    }
    return id
  }
}

extension CommandError {
  /// The error if no vault of a set has the record.
  fileprivate static func nowhere(_ word: String) -> CommandError {
    CommandError(
      .notFound, "no_such_record", subject: nil, "no vault of the set has this record",
      hints: ["`vault list --everywhere` shows the records"]
    ).aboutRecord(word)
  }
}
