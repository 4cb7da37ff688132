import VaultDocument
import VaultKit
import VaultTerminal

/// Commands of other programs, and the way to the same thing here.
package enum WordsElsewhere {
  package static let hints: [String: String] = [
    "rename": "`vault set RECORD title=NEW` renames a login; `vault kinds show KIND` lists the fields",
    "duplicate": "`vault show RECORD --json` shows the fields of a record, and `vault add` stores another one",
    "undo": "`vault restore RECORD` brings a removed record back, `vault restore RECORD FIELD --former` the value "
      + "before, and `vault import --undo` takes an import back",
    "share": "`vault key add --recipient age1… --label NAME` lets another person open the vault",
    "sync": "`vault git setup --commit` lets git keep a vault; `git pull` and `git push` exchange the changes",
    "push": "`vault git setup --commit` lets git keep a vault; `git push` sends the changes",
    "pull": "`vault git setup --commit` lets git keep a vault; `git pull` gets the changes",
    "passwd": "`vault key change-passphrase SLOT` changes a passphrase; `vault set` changes a password in a record",
    "recipients": "`vault key list` shows who can open the vault",
    "config": "`vault status` shows which settings apply and why",
    "version": "`vault --version` shows the version",
    "new": "`vault add KIND NAME` stores a record, and `vault init` makes a vault",
    "clip": "`vault copy RECORD` puts a secret into the clipboard",
    "grep": "`vault find TEXT --in-secrets` also searches what is sealed",
    "open": "`vault unlock` asks for the key once; commands after it do not ask",
    "login": "`vault unlock` asks for the key once; `vault add login NAME` stores a login",
    "logout": "`vault lock` lets the agent drop the key",
    "password": "`vault generate` makes a password, and `vault get RECORD` shows one",
  ]
}

/// A record name where a command is expected.
enum RecordInPlaceOfCommand {
  /// The error with a hint, if its words begin with the name of a record.
  static func hinted(_ error: any Error, _ arguments: [String]) async -> any Error {
    guard error is CommandError, let name = arguments.first, !name.hasPrefix("-"), name != "help",
      var told = CommandNames.unknown(arguments), CommandNames.named(arguments).path == "vault",
      let location = try? VaultLocation.find(nil as String?), location.hasVault, !location.isDatabase,
      let records = try? await LockedVault(at: location.path).records(named: name), !records.isEmpty
    else { return error }
    told.hints.insert("a record has this name: `vault get \(Printable.argument(name.shellQuoted))`", at: 0)
    return told
  }
}
