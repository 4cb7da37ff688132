public import VaultCrypto
public import VaultSealing

/// Holds the key that wraps data keys and never gives it out: a key management service, a security module, or a vault.
public protocol DataKeyProvider: Sendable {
  /// Wraps a data key of 32 bytes.
  func wrap(_ key: SecretBytes) async throws -> [UInt8]
  /// Unwraps a data key.
  func unwrap(_ wrapped: [UInt8]) async throws -> SecretBytes
}

/// Application keys that a ``DataKeyProvider`` has wrapped. Each is unwrapped once and kept in locked memory.
///
/// The application stores the wrapped keys, which are not secret, beside the rows that are sealed under them.
public actor DataKeys {
  private let provider: any DataKeyProvider
  /// The wrapped keys to store, the newest first.
  public private(set) var wrapped: [[UInt8]]
  private var opened: [[UInt8]: Task<SecretBytes, any Error>] = [:]

  /// - Parameter wrapped: the stored keys, the newest first; empty for a new table.
  public init(_ wrapped: [[UInt8]] = [], provider: any DataKeyProvider) {
    self.wrapped = wrapped
    self.provider = provider
  }

  /// The context of all the keys, as made by ``SealingContext/init(keys:bound:)``.
  ///
  /// - Throws: the errors of the provider; ``SealingError`` `.wrongByteCount` if there is no key yet, or one does not
  ///   have 32 bytes.
  public func context(bound: [String]) async throws -> SealingContext {
    var keys: [SecretBytes] = []
    for key in wrapped { keys.append(try await opened(key)) }
    return try SealingContext(keys: keys, bound: bound)
  }

  /// Makes a new key for sealing from now on and has it wrapped.
  ///
  /// - Returns: the wrapped key, which must be stored before anything is sealed under it.
  /// - Throws: the errors of the provider; `CryptoError` if there is no locked memory or no randomness.
  public func addKey() async throws -> [UInt8] {
    let key = try SecretBytes.random(count: 32)
    let new = try await provider.wrap(key)
    opened[new] = Task { key }
    wrapped.insert(new, at: 0)
    return new
  }

  /// Forgets a key under which nothing is sealed any more.
  public func remove(_ key: [UInt8]) {
    wrapped.removeAll { $0 == key }
    opened[key] = nil
  }

  /// Concurrent callers share one request to the provider; a failed request is repeated.
  private func opened(_ key: [UInt8]) async throws -> SecretBytes {
    let task = opened[key] ?? Task { [provider] in try await provider.unwrap(key) }
    opened[key] = task
    do {
      return try await task.value
    } catch {
      if opened[key] == task { opened[key] = nil }
      throw error
    }
  }
}
