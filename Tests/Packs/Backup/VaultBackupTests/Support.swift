import Testing
import VaultBackup
import VaultDocument
import VaultTestSupport

/// A moment, from its text.
func time(_ text: String) -> Timestamp {
  guard let time = try? Timestamp(parsing: text) else { preconditionFailure("a test names a time that is none") }
  return time
}

func backupName(_ time: Timestamp, stem: String = "team") -> BackupName {
  guard let name = BackupName(stem: stem, time: time) else { preconditionFailure("a test names a backup wrongly") }
  return name
}

/// Two vaults.
enum Vaults {
  static let one = Identifier(bytes: [UInt8](repeating: 1, count: 16))
  static let two = Identifier(bytes: [UInt8](repeating: 2, count: 16))
}
