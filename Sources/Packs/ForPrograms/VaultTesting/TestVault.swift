public import VaultAge
public import VaultKit
public import VaultRecords
public import VaultStorage

/// A vault in memory for a test, with its identity, its store and its clock.
///
/// It remembers nothing on this machine, needs no file, and disappears with its last reference.
public struct TestVault: Sendable {
  /// The open vault.
  public let vault: Vault
  /// The store with its documents.
  public let store: MemoryStore
  /// The identity that opens it.
  public let identity: AgeIdentity
  /// The source of its times.
  public let clock: TestClock
  private let options: Vault.Options

  /// Makes a vault for one new identity.
  ///
  /// - Parameters:
  ///   - types: the record types of the test; see `Vault.Options.types`.
  ///   - options: the other options. Their clock and types are replaced by the arguments above.
  /// - Throws: `VaultError` `.inputRefused` for a type whose records could not be read; `.memoryUnavailable`.
  public init(
    types: [any VaultRecord.Type] = [], clock: TestClock = TestClock(),
    options: Vault.Options = Vault.Options(state: nil)
  ) async throws(VaultError) {
    let slot: NewSlot
    do throws(AgeError) {
      identity = try AgeIdentity.generate()
      slot = NewSlot(.recipient(try identity.recipient))
    } catch {
      throw VaultError(.memoryUnavailable, error.reason, underlying: error)
    }
    (store, self.clock) = (MemoryStore(), clock)
    var options = options
    (options.types, options.now) = (types, { clock.now })
    self.options = options
    vault = try await Vault.create(in: store, slots: [slot], options: options)
  }

  /// Opens the same vault again, as another process would, with the same clock and options.
  ///
  /// - Throws: `VaultError` as `Vault.open`.
  public func reopened() async throws(VaultError) -> Vault {
    try await Vault.open(in: store, unlockingWith: .identity(identity), options: options)
  }
}
