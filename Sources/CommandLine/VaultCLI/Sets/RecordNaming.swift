package import ArgumentParser
package import VaultKit
package import VaultTerminal

/// A command with words that name records, also `NAME:RECORD` of a vault in a set.
package protocol RecordNaming: ParsableCommand {
  var vault: VaultOptions { get set }
  var recordWords: [String] { get set }
}

extension RecordNaming {
  /// Takes the name of the vault out of the words; they are left as they are where an option names the vault, or no
  /// vault of the set has the name.
  mutating func takeVaultFromWords() throws {
    let marked = recordWords.contains { $0.utf8.contains(UInt8(ascii: ":")) && !SecretReference.isMeant(by: $0) }
    guard marked, !vault.isGiven, let found = try FoundSet.find(vault.vaults) else { return }
    let set = found.set
    let words = recordWords.map { SetWord($0, in: set) }
    let names = Set(words.map(\.name))
    guard names != [nil] else { return }
    guard let name = names.first ?? nil, names.count == 1 else {
      throw CommandError.usage("RECORD", "the words name records of more than one vault", "take one vault at a time")
    }
    vault.names = [name]
    recordWords = words.map(\.record)
  }
}

/// A word that names a record, and maybe its vault before it.
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

/// A command whose words are all such.
package protocol ManyRecordsNaming: RecordNaming {
  var record: [String] { get set }
}

extension ManyRecordsNaming {
  package var recordWords: [String] {
    get { record }
    set { record = newValue }
  }
}
