import Configuration
import Foundation
import Synchronization
import VaultAge
import VaultConfiguration
import VaultDelivery
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing

struct WrongResult: Error { let what: String }

/// A service that reads the password of its database from a vault.
///
/// Its configuration holds no secret, only where each is: it can stand in a file, in the environment, in git.
@main
struct Service {
  static let configuration = InMemoryProvider(values: [
    "database.host": "db.example.com",
    "database.port": 5432,
    "database.password": "cvault://Orders/password",
  ])

  static func main() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "vault-service-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let (vault, record) = try await sampleVault(in: folder)
    let reporter = Reporter()
    let secrets = try await VaultProvider(
      vault, ["database.password", "database.host"], of: configuration, lookingEvery: .milliseconds(20))
    let reader = ConfigReader(providers: [secrets, configuration], accessReporter: reporter).scoped(to: "database")

    // The start of a service.
    let host = try reader.requiredString(forKey: "host")
    let port = try reader.requiredInt(forKey: "port")
    let password = try reader.requiredString(forKey: "password")
    try expect((host, port, password) == ("db.example.com", 5432, "sample-password-1"), "the values at the start")

    // Somebody replaces the password while the service runs.
    try await reader.watchString(forKey: "password") { updates in
      var seen: [String?] = []
      for await value in updates {
        seen.append(value)
        guard seen.count < 2 else { break }
        try await vault.update(record, as: Login.self) { @Sendable login in login.password = "sample-password-2" }
      }
      try expect(seen == ["sample-password-1", "sample-password-2"], "what was watched")
    }
    try expect(try await reader.fetchString(forKey: "password") == "sample-password-2", "the value that was fetched")

    // A password is not a number, and no error or report shows it.
    do {
      _ = try reader.requiredInt(forKey: "password")
      throw WrongResult(what: "a number")
    } catch let error as NotConvertible {
      try expect("\(error)" == "cvault://Orders/password is no int", "the error")
    }
    let said = reporter.said + "\(secrets)" + String(reflecting: secrets) + String(reflecting: secrets.snapshot())
    try expect(said.contains("REDACTED") && !said.contains("sample-password"), "the reports")
    do {
      _ = try await VaultProvider(vault, ["database.password": .init(parsing: "cvault://Orders/none")])
      throw WrongResult(what: "a field that is not there")
    } catch is DeliveryFailure {}
    print("Service: \(host):\(port), with a password from a vault that was replaced while it ran, and in no report")
  }

  /// A vault in a folder of its own; a service opens one that is there: `LockedVault(at:)`, and `unlock(with:)`.
  private static func sampleVault(in folder: URL) async throws -> (Vault, RecordID) {
    let identity = try AgeIdentity.generate()
    let vault = try await Vault.create(at: folder.path(), slots: [NewSlot(.recipient(identity.recipient))])
    let id = try await vault.add(Login(title: "Orders", username: "ada", password: "sample-password-1"))
    return (vault, id)
  }

  private static func expect(_ holds: Bool, _ what: String) throws { if !holds { throw WrongResult(what: what) } }
}

/// Keeps what a service would log of each access to its configuration.
final class Reporter: AccessReporter {
  private let events = Mutex("")

  var said: String { events.withLock { $0 } }

  func report(_ event: AccessEvent) { events.withLock { $0 += "\(event)\n" } }
}
