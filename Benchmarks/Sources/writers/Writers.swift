import Foundation
import VaultAge
import VaultDocument
import VaultKit
import VaultPostgresStore
import VaultRecords

/// Clients that each keep a vault open and change a record again and again, as a service does, without the start of a
/// process for each change.
///
///     writers PLACE IDENTITY-FILE CLIENTS SECONDS
///
/// Prints the changes that were made, the seconds that they took and the longest that one waited, in seconds.
@main
struct Writers {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count == 4, let clients = Int(arguments[3]), let seconds = Double(arguments[4]), clients > 0 else {
      throw Misuse(usage: "writers PLACE IDENTITY-FILE CLIENTS SECONDS")
    }
    let file = try Data(contentsOf: URL(filePath: arguments[2]))
    let identities = try AgeIdentityFile.parse(RawSpan(_elements: Array(file).span))
    let place = try VaultPlace(arguments[1], database: .postgres())
    var vaults: [Vault] = []
    for _ in 0..<clients {
      var options = Vault.Options(state: nil)
      options.lockTimeout = .seconds(60)
      options.state = nil
      vaults.append(try await Vault.open(at: place, unlockingWith: .identities(identities), options: options))
    }
    let ids = try await vaults[0].locked.list().map(\.id)
    let start = ContinuousClock.now
    let runs = try await withThrowingTaskGroup(of: (count: Int, longest: Duration).self) { group in
      for (index, vault) in vaults.enumerated() {
        group.addTask {
          // Of twenty records, so that some meet at the same one.
          try await change(ids[index % min(20, ids.count)], of: vault, as: index, until: start + .seconds(seconds))
        }
      }
      var runs: [(count: Int, longest: Duration)] = []
      for try await run in group { runs.append(run) }
      return runs
    }
    let took = (ContinuousClock.now - start) / .seconds(1)
    let longest = runs.map { $0.longest }.max() ?? .zero
    print(runs.reduce(0) { $0 + $1.count }, took, longest / .seconds(1))
  }

  private static func change(
    _ id: RecordID, of vault: Vault, as client: Int, until end: ContinuousClock.Instant
  ) async throws -> (count: Int, longest: Duration) {
    var (count, longest) = (0, Duration.zero)
    while ContinuousClock.now < end {
      let start = ContinuousClock.now
      try await vault.update(id, as: Customer.self) { $0.city = "City \(client)-\(count)" }
      longest = max(longest, ContinuousClock.now - start)
      count += 1
    }
    return (count, longest)
  }
}

struct Misuse: Error { let usage: String }
