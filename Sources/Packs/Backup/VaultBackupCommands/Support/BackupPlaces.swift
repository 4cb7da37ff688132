import VaultAge
import VaultBackup
import VaultCLI
import VaultDocument
import VaultKit
import VaultSystem
import VaultTerminal

/// The part of the pack in other commands.
struct BackupPlaces: BackupKeeping {
  /// The number of folders that are remembered for a vault.
  private static let folderLimit = 8

  func folders(of vault: VaultID) -> [String] {
    guard let path = StateLocation.path, let bytes = try? KnownVaults(directory: path).document(.backups, of: vault),
      let members = try? JSONParser.parse(bytes), members["format"]?.int == 1
    else { return [] }
    return members["folders"]?.array?.compactMap(\.string) ?? []
  }

  func newest(of vault: VaultID, in folder: String) throws -> KeptBackup? {
    let rows = try BackupDirectory(at: folder).listing().newest().filter { $0.entry?.vaultID == vault }
    guard let row = rows.max(by: { $0.name.time < $1.name.time }) else { return nil }
    return KeptBackup(path: System.join(folder, row.name.fileName), time: row.name.time)
  }

  func prove(_ path: String, with identity: AgeIdentity, _ global: GlobalOptions) async throws -> ProvenBackup {
    let contents = try await BackupContents(of: BackupFile.argument(path), with: [.identity(identity)])
    let vault = try await contents.vault.unlock(with: .identities([identity]), options: global.vaultOptions(nil))
    try contents.authenticate(with: vault)
    return ProvenBackup(
      vault: contents.vault.header.vaultID, recordCount: contents.recordCount, isAttested: contents.isAttested)
  }

  /// Remembers the folder of a new backup, the latest first. If that fails, only `--verbose` says so.
  func remember(_ folder: String, of vault: VaultID, _ messages: Messages) {
    guard let path = StateLocation.path, let folder = ProcessEnvironment.realPath(folder) else { return }
    let known = folders(of: vault)
    guard known.first != folder else { return }
    let latest = Array(([folder] + known.filter { $0 != folder }).prefix(Self.folderLimit))
    let document = JSONValue.members(["folders": latest, "format": 1])
    do {
      try KnownVaults(directory: path).keep(document.compactBytes(), as: .backups, of: vault)
    } catch {
      messages.detail("the folder of the backup is not remembered: \(CommandError(any: error).reason)")
    }
  }
}
