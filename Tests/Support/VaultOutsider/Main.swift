import VaultAge
import VaultKit
import VaultPostgresStore
import VaultRecords

/// A program of another author: it uses only the public parts of the libraries. `DatabaseTLSTests` runs it, because the
/// way OpenSSL was started before a connection depends on the process.
///
/// Each word is a step, in the given order: `folder=PATH` and `database=ADDRESS` make a vault there, store a login and
/// read it back; `identity` makes an identity. The password of the database is `PGPASSWORD`'s.
@main struct Outsider {
  static func main() async throws {
    for word in CommandLine.arguments.dropFirst() {
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      switch parts[0] {
      case "folder", "database":
        print(parts[0], try await storeAndRead(at: VaultPlace(parts[1], database: .postgres())))
      default: print(parts[0], try AgeIdentity.generate().recipient.text.prefix(4))
      }
    }
  }

  private static func storeAndRead(at place: VaultPlace) async throws -> Int {
    let identity = try AgeIdentity.generate()
    var options = Vault.Options(state: nil)
    options.state = nil
    let made = try await Vault.create(
      at: place, makingTables: true, slots: [NewSlot(.recipient(identity.recipient), label: "own")], options: options)
    let id = try await made.add(Login(title: "mail", username: "ada"))
    let opened = try await Vault.open(at: place, unlockingWith: .identity(identity), options: options)
    _ = try await opened.record(id)
    return try await opened.list().count
  }
}
