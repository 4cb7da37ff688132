import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultTerminal

// How commands that add a key or take one away prepare to run in each vault of a set.

extension KeyCommand.Add: RunsOverSet {
  func prepared(_ run: any SetRun) async throws -> Self {
    guard !passphrase, generateIdentity == nil else {
      throw CommandError.usage(
        "key add --everywhere", "needs a recipient (age1…)", "`age-keygen -y identity.txt` prints the recipient")
    }
    return self
  }
}

extension KeyCommand.Remove: RunsOverSet {
  func prepared(_ run: any SetRun) async throws -> Self {
    try run.requireSlot(slot)
    return self
  }

  func adapted(to member: any NamedVault) throws -> Self? { try member.opened().header.holds(slot) ? self : nil }
}

extension RekeyCommand: RunsOverSet {
  func prepared(_ run: any SetRun) async throws -> Self {
    for word in dropKey + keyPassphraseFile.map({ String($0.prefix { $0 != "=" }) }) { try run.requireSlot(word) }
    return self
  }

  /// If the command only drops keys, a vault without these keys is done already, or never had them.
  func adapted(to member: any NamedVault) throws -> Self? {
    let header = try member.opened().header
    var command = self
    command.dropKey = dropKey.filter(header.holds)
    command.keyPassphraseFile = keyPassphraseFile.filter { header.holds(String($0.prefix { $0 != "=" })) }
    guard !dropKey.isEmpty, command.dropKey.isEmpty, header.unfinishedRotation == nil else { return command }
    global.messages.note("the vault has no such key and stays as it is")
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
  /// Refuses a slot that no vault of the set has. Unreadable vaults are reported when their turn comes.
  fileprivate func requireSlot(_ word: String) throws {
    let headers = members.compactMap { try? $0.opened().header }
    guard !headers.contains(where: { $0.holds(word) || $0.unfinishedRotation != nil }) else { return }
    throw CommandError(
      .notFound, "no_such_slot", subject: word.isEmpty ? "SLOT \"\"" : word, "no vault of the set has this slot",
      hints: ["nothing was changed; `vault vaults list` shows who has a key"])
  }
}
