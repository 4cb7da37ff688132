import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultTerminal

// How commands that look records up or take a key away prepare to run in each vault of a set.

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
  /// Asks once for all.
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

extension KeyCommand.Add: RunsOverSet {
  func prepared(_ run: SetRun) async throws -> Self {
    guard !passphrase, generateIdentity == nil else {
      throw CommandError.usage(
        "key add", "takes a recipient for several vaults", "`age-keygen -y identity.txt` prints one")
    }
    return self
  }
}

extension KeyCommand.Remove: RunsOverSet {
  func prepared(_ run: SetRun) async throws -> Self {
    try run.requireSlot(slot)
    return self
  }

  func adapted(to member: SetMember) throws -> Self? { try member.opened().header.holds(slot) ? self : nil }
}

extension RekeyCommand: RunsOverSet {
  func prepared(_ run: SetRun) async throws -> Self {
    for word in dropKey + keyPassphraseFile.map({ String($0.prefix { $0 != "=" }) }) { try run.requireSlot(word) }
    return self
  }

  /// Where only keys are to be dropped, a vault that has none of them is done already, or was never theirs.
  func adapted(to member: SetMember) throws -> Self? {
    let header = try member.opened().header
    var command = self
    command.dropKey = dropKey.filter(header.holds)
    command.keyPassphraseFile = keyPassphraseFile.filter { header.holds(String($0.prefix { $0 != "=" })) }
    guard !dropKey.isEmpty, command.dropKey.isEmpty, header.unfinishedRotation == nil else { return command }
    global.messages.note("has no such key, and stays as it is")
    return nil
  }
}

extension VaultHeader {
  /// Whether a word of the command line means one of its slots, or several.
  fileprivate func holds(_ word: String) -> Bool {
    do throws(VaultError) {
      _ = try slot(named: word)
      return true
    } catch {
      return error.code == .ambiguousSlot
    }
  }
}

extension SetRun {
  /// Refuses a slot that none of the vaults has; those that cannot be read are told when their turn comes.
  fileprivate func requireSlot(_ word: String) throws {
    let headers = members.compactMap { try? $0.opened().header }
    guard !headers.contains(where: { $0.holds(word) || $0.unfinishedRotation != nil }) else { return }
    throw CommandError(
      .notFound, "no_such_slot", subject: word.isEmpty ? "SLOT is empty" : word, "is a slot of none of the vaults",
      hints: ["`vault vaults list` shows who has a key; nothing was changed"])
  }

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
        .notFound, "ambiguous_record", subject: word, "means other records in other vaults: name one by its id",
        hints: found.sorted { $0.key < $1.key }.flatMap { id, names in names.map { "\($0):\(id.text)" } })
    }
    return id
  }
}

extension CommandError {
  /// No vault of a set has the record.
  fileprivate static func nowhere(_ word: String) -> CommandError {
    CommandError(
      .notFound, "no_such_record", subject: nil, "no such record in any vault of the set",
      hints: ["`vault list --everywhere` shows them"]
    ).aboutRecord(word)
  }
}
