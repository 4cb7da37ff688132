import Benchmark
import VaultAge
import VaultDocument
import VaultKit
import VaultRecords
import VaultStorage

/// A whole vault in memory: the costs without a disk.
func vaultBenchmarks() {
  let identity = known { try AgeIdentity.generate() }

  Benchmark("unlock with an identity · VaultKit", configuration: .init(scalingFactor: .one)) { benchmark in
    let store = MemoryStore()
    _ = try await Vault.create(
      in: store, slots: [NewSlot(.recipient(identity.recipient))], options: Vault.Options(state: nil))
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations {
      blackHole(
        try await LockedVault(store: store).unlock(with: .identities([identity]), options: Vault.Options(state: nil)))
    }
    benchmark.stopMeasurement()
  }
  Benchmark("add 1,000 customers as one batch · VaultKit", configuration: .init(scalingFactor: .one)) { benchmark in
    let vault = try await Vault.create(
      in: MemoryStore(), slots: [NewSlot(.recipient(identity.recipient))], options: Vault.Options(state: nil))
    guard let kind = vault.kinds["customer"] else { return benchmark.error("there is no kind of customers") }
    let customers = Array(repeating: Sample.clear, count: 1_000)
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations { blackHole(try await vault.add(customers, kind: kind)) }
    benchmark.stopMeasurement()
  }
}
