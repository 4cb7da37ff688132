package import ArgumentParser
package import VaultDocument
package import VaultKit
package import VaultRecords

/// The words or files that a shell can offer for a word.
package enum CompletionResult {
  case words([String])
  /// Paths, which shells know better.
  case files
}

/// The place in a command line where somebody types a word.
package protocol CompletionPlace {
  /// The words before it that are not options.
  var positions: [String] { get }
  /// The vault that the words mean, if any.
  var locked: LockedVault? { get }
  /// The names of the vaults of the set.
  var vaultNames: [String] { get }
  /// The words that begin with the typed text.
  func fitting(_ words: [String]) -> [String]
  /// The words that name records. Each name appears once, because a command asks which of several records is meant. Ids
  /// appear if an id was begun.
  func naming(_ rows: [(label: String, id: RecordID)]) -> [String]
  /// The fields of the kind, or of the record, that stands first.
  ///
  /// - Parameter isOfAny: whether fields of all kinds are meant.
  func fields(ofAnyKind isOfAny: Bool) async -> [RecordField]
}

/// A command with its own completion for one of its arguments.
package protocol PlaceCompleting: ParsableCommand {
  /// The words for an argument. Nil if the usual words for an argument of this name will do.
  static func candidates(for argument: String, _ place: some CompletionPlace) async -> CompletionResult?
}
