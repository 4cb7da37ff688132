import ArgumentParser

/// The commands and options of `vault`, and nothing behind them: `get` prints a constant.
///
/// When `vault` gains a command or an option it is added here: `Scripts/bench` says so, and `vault
/// --experimental-dump-help` lists them all. They are asynchronous as most of the vault's are.
@main
struct VaultFloor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vault",
    abstract: "An encrypted vault for credentials: a folder of JSON files whose secrets are sealed.",
    version: "1.0.0",
    subcommands: [
      InitFloor.self, AddFloor.self, ShowFloor.self, GetFloor.self, SetFloor.self, UnsetFloor.self, EditFloor.self,
      ListFloor.self, FindFloor.self, RemoveFloor.self, TrashFloor.self, ExportFloor.self, ImportFloor.self,
      KindsFloor.self, MigrateFloor.self, VerifyFloor.self, CheckpointFloor.self, LintFloor.self, AcceptFloor.self,
      RepairFloor.self, SlotFloor.self, RotateFloor.self, DueFloor.self, StatusFloor.self, DoctorFloor.self,
      FingerprintFloor.self, PinFloor.self, GenerateFloor.self, BackupFloor.self,
    ])
}
