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

  /// Does nothing if an option names the vault, or if the set has no such vault.
  func takeVault(fromWordsOf command: inout any RecordNaming) throws {
    let (words, vault) = (command.recordWords, command.vault)
    let marked = words.contains { $0.utf8.contains(UInt8(ascii: ":")) && !SecretReference.isMeant(by: $0) }
    guard marked, !vault.isGiven, let set = try FoundSet.find(vault.vaults) else { return }
    let parts = words.map(set.parts)
    let names = Set(parts.map(\.name))
    guard names != [nil] else { return }
    guard let name = names.first ?? nil, names.count == 1 else {
      throw CommandError.usage(
        "RECORD", "the words name records of more than one vault", "name records of one vault at a time")
    }
    command.vault.names = [name]
    command.recordWords = parts.map(\.record)
  }

  func run(_ command: some RunsOverSet) async throws { try await RunOverSet(command).run(command) }
}
