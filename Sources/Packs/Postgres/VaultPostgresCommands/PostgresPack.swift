package import VaultCLI
import VaultPostgresStore

extension Pack {
  /// Vaults in a database.
  package static let postgres = Pack(commands: ["store": { StoreCommand.self }]) {
    $0.database = { .postgres(password: $0) }
  }
}
