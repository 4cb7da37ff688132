public import VaultAge
public import VaultKit
public import VaultRecords
public import VaultStorage

/// A vault in memory with what a test wants to have of it: who opens it, its store, its clock.
///
/// It remembers nothing on this machine, needs no file, and is gone with its last reference.
public struct TestVault: Sendable {
  /// The vault, open.
  public let vault: Vault
  /// Where its documents are.
  public let store: MemoryStore
  /// Who opens it.
  public let identity: AgeIdentity
  /// What it takes its times from.
  public let clock: TestClock
  private let options: Vault.Options

  /// Makes a vault for one new identity.
  ///
  /// - Parameters:
  ///   - types: the record types of whoever tests; see `Vault.Options.types`.
  ///   - options: what else is to be set. The clock and the types of it are replaced by the others here.
  /// - Throws: `VaultError` `.inputRefused` for a type whose records could not be read; `.memoryUnavailable`.
  public init(
    types: [any VaultRecord.Type] = [], clock: TestClock = TestClock(),
    options: Vault.Options = Vault.Options(state: nil)
  ) async throws(VaultError) {
    do throws(AgeError) {
      identity = try AgeIdentity.generate()
    } catch {
      throw VaultError(.memoryUnavailable, error.reason, underlying: error)
    }
    (store, self.clock) = (MemoryStore(), clock)
    var options = options
    (options.types, options.now) = (types, { clock.now })
    self.options = options
    vault = try await Vault.create(in: store, slots: [NewSlot(.recipient(identity.recipient))], options: options)
  }

  /// Opens the same vault once more, as another process would, with the same clock and options.
  ///
  /// - Throws: `VaultError` as `Vault.open`.
  public func reopened() async throws(VaultError) -> Vault {
    try await Vault.open(in: store, unlockingWith: .identity(identity), options: options)
  }
}
