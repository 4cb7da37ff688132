package import VaultCLI
import VaultKit
import VaultSets
import VaultTerminal

extension Pack {
  package static let sets = Pack(
    commands: ["move": { MoveCommand.self }, "vaults": { VaultsCommand.self }]
  ) { $0.sets = Sets() }
}

/// The part of the pack in every run.
private struct Sets: SetKeeper {
  func find(_ option: String?) throws -> (any VaultNames)? { try FoundSet.find(option) }

  func placing(_ vault: VaultOptions) throws -> (any VaultNames)? { try FoundSet.placing(vault) }

  func location(_ vault: VaultOptions) throws -> VaultLocation {
    let name = try vault.nameInSet()
    return try FoundSet.required(vault.vaults).member(name).location()
  }

  /// Does nothing if an option names the vault. A name that the set does not have is refused if there is no other
  /// vault: elsewhere the word may be the name of a record.
  func takeVault(fromWordsOf command: inout any RecordNaming) throws {
    let (words, vault) = (command.recordWords, command.vault)
    let marked = words.first { $0.utf8.contains(UInt8(ascii: ":")) && !SecretReference.isMeant(by: $0) }
    guard let marked, !vault.isGiven, let set = try FoundSet.find(vault.vaults) else { return }
    let parts = words.map(set.parts)
    let names = Set(parts.map(\.name))
    guard names != [nil] else {
      if try vault.vaults != nil || !VaultLocation.find(vault).hasVault {
        _ = try set.member(String(marked.prefix { $0 != ":" }))
      }
      return
    }
    guard let name = names.first ?? nil, names.count == 1 else {
      throw CommandError.usage(
        "RECORD", "the records are in more than one vault", "name records of one vault at a time")
    }
    command.vault.names = [name]
    command.recordWords = parts.map(\.record)
  }

  func run(_ command: some RunsOverSet) async throws { try await RunOverSet(command).run(command) }
}
