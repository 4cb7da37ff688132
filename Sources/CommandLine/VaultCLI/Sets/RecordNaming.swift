package import ArgumentParser
package import VaultKit
package import VaultTerminal

/// A command with words that name records, also as `NAME:RECORD` for a vault of a set.
package protocol RecordNaming: ParsableCommand {
  var vault: VaultOptions { get set }
  var recordWords: [String] { get set }
}

extension RecordNaming {
  /// Removes the vault name from the words. Does nothing if an option names the vault, or if the set has no such vault.
  mutating func takeVaultFromWords() throws {
    let marked = recordWords.contains { $0.utf8.contains(UInt8(ascii: ":")) && !SecretReference.isMeant(by: $0) }
    guard marked, !vault.isGiven, let found = try FoundSet.find(vault.vaults) else { return }
    let set = found.set
    let words = recordWords.map { SetWord($0, in: set) }
    let names = Set(words.map(\.name))
    guard names != [nil] else { return }
    guard let name = names.first ?? nil, names.count == 1 else {
      throw CommandError.usage(
        "RECORD", "the words name records of more than one vault", "name records of one vault at a time")
    }
    vault.names = [name]
    recordWords = words.map(\.record)
  }
}

/// A word that names a record, perhaps with its vault in front.
package struct SetWord {
  package let name: String?
  package let record: String

  package init(_ word: String, in set: VaultSet) {
    let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let isMeant = parts.count == 2 && !SecretReference.isMeant(by: word) && set[String(parts[0])] != nil
    (name, record) = isMeant ? (String(parts[0]), String(parts[1])) : (nil, word)
  }
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
