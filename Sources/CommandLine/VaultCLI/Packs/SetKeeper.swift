package import ArgumentParser
package import VaultDocument
package import VaultKit
package import VaultRecords
package import VaultTerminal

/// A pack that gives vaults names, in the files of sets.
package protocol SetKeeper: Sendable {
  /// The set of `--vaults`, of `CVAULT_VAULTS`, or of the nearest file of a set. Nil without a set.
  func find(_ option: String?) throws -> (any VaultNames)?
  /// The set that decides where new records belong. Nil if the vault is known without it.
  func placing(_ vault: VaultOptions) throws -> (any VaultNames)?
  /// The vault of `--in NAME`, which the name stands for as this machine knows it.
  func location(_ vault: VaultOptions) throws -> VaultLocation
  /// Makes `NAME:RECORD` in the words of a command the option `--in NAME`.
  func takeVault(fromWordsOf command: inout any RecordNaming) throws
  /// Runs a command in several vaults, and ends with the worst exit code.
  func run(_ command: some RunsOverSet) async throws
}

/// A set of vaults.
package protocol VaultNames {
  /// The path of its file.
  var path: String { get }
  var names: [String] { get }

  /// The parts of `NAME:RECORD`. The name is nil if the word names no vault of the set.
  func parts(of word: String) -> (name: String?, record: String)
  /// The kinds of the first vault that has the kind, or the built-in kinds.
  func kinds(knowing name: String) -> KindCatalog
  /// Whether the kind alone decides which vault gets a record.
  func isDecided(by kind: String) -> Bool
  /// The one vault whose rule matches a record.
  func name(of kind: String, _ described: RecordKind?, _ fields: JSONObject) throws -> String
  /// Does the same work for several vaults, as one run.
  func run(in names: [String], _ global: GlobalOptions, _ body: (String) async throws -> Void) async throws
}

/// A vault that a command found by its name in a set.
package protocol NamedVault {
  var name: String { get }
  /// The name and the file of the set, for messages.
  var words: String { get }
  /// The other users who could have written the target of the name. Nil if nobody could.
  var stranger: String? { get }
  /// Whether the set was only found by searching.
  var isOfFoundSet: Bool { get }

  /// Whether a person has accepted the name on this machine.
  func isAccepted(_ state: KnownVaults?) throws -> Bool
  /// The locked vault, if it is the one that the name stands for.
  func opened() throws -> LockedVault
  /// Refuses a vault that is not the one that the name stands for.
  func check(_ locked: LockedVault) throws
  /// Remembers the vault of the name, unless it is already known.
  ///
  /// - Parameters:
  ///   - isAccepted: whether the user has confirmed it.
  ///   - slots: the present slots, if something will be written.
  func remember(_ state: KnownVaults?, isAccepted: Bool, slots: [Slot]?, _ messages: Messages)
  /// Tells the user which keys were added since this machine last wrote to the vault.
  ///
  /// Returns the new slots, or all slots if this machine never wrote.
  func noteReaders(of vault: Vault, _ state: KnownVaults?, _ messages: Messages) throws -> [Slot]
}

/// The vaults of one run over a set.
package protocol SetRun {
  var members: [any NamedVault] { get }
  /// The one record that a word means in all vaults that have it.
  func id(of word: String) async throws -> RecordID
  /// The record that a word means, as the first vault has it, and the names of all vaults that have it.
  func holders(of word: String) async throws -> (record: StoredRecord, vaults: [String])
}

package struct EverywhereOptions: ParsableArguments {
  @Flag(help: "Run in all vaults of the set.")
  package var everywhere = false

  package init() {}
}

/// A command that can run in several vaults of a set, once in each.
package protocol RunsOverSet: ParsableCommand {
  var everywhere: EverywhereOptions { get }
  var vault: VaultOptions { get set }
  var global: GlobalOptions { get }

  /// The command for all vaults, after the checks that are possible before the first vault.
  ///
  /// - Parameter run: the vaults.
  func prepared(_ run: any SetRun) async throws -> Self
  /// The command for one vault; nil if there is nothing to do.
  func adapted(to member: any NamedVault) throws -> Self?
  /// Whether a vault may lack what the command looks for, as long as another vault has it.
  var seeks: Bool { get }
}

extension RunsOverSet {
  package func prepared(_ run: any SetRun) async throws -> Self { self }
  package func adapted(to member: any NamedVault) throws -> Self? { self }
  package var seeks: Bool { false }
  /// Whether the command runs on more than one vault.
  var isForSeveral: Bool { everywhere.everywhere || vault.names.count > 1 }
}

/// A command with words that name records, also as `NAME:RECORD` for a vault of a set.
package protocol RecordNaming: ParsableCommand {
  var vault: VaultOptions { get set }
  var recordWords: [String] { get set }
}

/// A command with one such word.
package protocol OneRecordNaming: RecordNaming {
  var record: String { get set }
}

extension OneRecordNaming {
  package var recordWords: [String] {
    get { [record] }
    set { record = newValue[0] }
  }
}

/// A command with only such words.
package protocol ManyRecordsNaming: RecordNaming {
  var record: [String] { get set }
}

extension ManyRecordsNaming {
  package var recordWords: [String] {
    get { record }
    set { record = newValue }
  }
}

extension Packs {
  /// The keeper of sets; nil if the program has no such pack.
  package static var sets: (any SetKeeper)? { first(\.sets) }

  static func requiredSets() throws -> any SetKeeper {
    try required(\.sets, called: "sets: it knows no names of vaults", .noVault, "no_set")
  }
}
