// Only with the package's trait `Configuration`, because nobody else needs the imported package.
#if Configuration
  public import Configuration
  internal import Synchronization
  internal import VaultCrypto
  public import VaultDelivery
  public import VaultKit

  /// A provider of swift-configuration whose values come from a vault. All values are marked secret.
  ///
  /// The configuration has references, and the provider has their values. It opens all records at its start, because
  /// `value` does not wait. `fetchValue` opens the record again, and `watchValue` does so periodically. Values stay in
  /// locked memory until they are used.
  public final class VaultProvider: ConfigProvider {
    /// The name in the configuration.
    public let providerName = "VaultProvider"
    private let vault: Vault
    private let references: [[String]: SecretReference]
    private let interval: Duration
    private let current: Mutex<VaultSnapshot>

    /// Opens the values of all references, in one pass.
    ///
    /// - Parameters:
    ///   - vault: an open vault.
    ///   - references: the place of each key's value.
    ///   - interval: how often `watchValue` and `watchSnapshot` look for a changed value.
    /// - Throws: `DeliveryFailure` for the first value that cannot be opened.
    public init(
      _ vault: Vault, _ references: [AbsoluteConfigKey: SecretReference], lookingEvery interval: Duration = .seconds(60)
    ) async throws(DeliveryFailure) {
      let references = Dictionary(references.map { ($0.components, $1) }) { first, _ in first }
      (self.vault, self.references, self.interval) = (vault, references, interval)
      current = Mutex(try await VaultSnapshot(vault, references))
    }

    /// Opens the values of all references that another provider holds as texts: `"database.password":
    /// "cvault://Orders/password"`. This provider must precede the other one, which has the remaining values.
    ///
    /// - Parameter keys: the keys that may be references. The other provider keeps any other text.
    /// - Throws: `ReferenceFault` for an invalid reference; `DeliveryFailure` for the first value that cannot be
    ///   opened.
    public convenience init(
      _ vault: Vault, _ keys: [AbsoluteConfigKey], of provider: some ConfigProvider,
      lookingEvery interval: Duration = .seconds(60)
    ) async throws {
      var references: [AbsoluteConfigKey: SecretReference] = [:]
      for key in keys {
        guard case .string(let text)? = try provider.value(forKey: key, type: .string).value?.content,
          SecretReference.isMeant(by: text)
        else { continue }
        references[key] = try SecretReference(parsing: text)
      }
      try await self.init(vault, references, lookingEvery: interval)
    }

    /// The last opened value, from the start or from `fetchValue`.
    ///
    /// - Throws: ``NotConvertible`` if the value does not have the type.
    public func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
      try current.withLock { $0 }.value(forKey: key, type: type)
    }

    /// Opens the record again.
    ///
    /// - Throws: `DeliveryFailure`; the earlier value is kept.
    public func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult {
      if let reference = references[key.components] {
        let values = try await vault.values(of: [reference])
        current.withLock { $0.values.merge(values.mapValues(\.secret)) { _, new in new } }
      }
      return try value(forKey: key, type: type)
    }

    /// The last opened values.
    public func snapshot() -> any ConfigSnapshot { current.withLock { $0 } }

    /// The first value, and each changed value. A failure is reported once, and the provider tries again.
    nonisolated(nonsending) public func watchValue<Return: ~Copyable>(
      forKey key: AbsoluteConfigKey, type: ConfigType,
      updatesHandler:
        nonisolated(nonsending) (
          _ updates: ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>
        ) async throws -> Return
    ) async throws -> Return {
      let first = Result { try value(forKey: key, type: type) }
      let updates = Updates(first: first, interval: interval) {
        do { return .success(try await self.fetchValue(forKey: key, type: type)) } catch { return .failure(error) }
      } isSame: { old, new in
        switch (old, new) {
        case (.success(let old), .success(let new)): old == new
        case (.failure(let old), .failure(let new)): String(describing: old) == String(describing: new)
        default: false
        }
      }
      return try await updatesHandler(ConfigUpdatesAsyncSequence(updates))
    }

    /// The first state, and each changed state. A state that cannot be opened is skipped.
    nonisolated(nonsending) public func watchSnapshot<Return: ~Copyable>(
      updatesHandler:
        nonisolated(nonsending) (
          _ updates: ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>
        ) async throws -> Return
    ) async throws -> Return {
      let updates = Updates<any ConfigSnapshot>(first: snapshot(), interval: interval) {
        if let new = try? await VaultSnapshot(self.vault, self.references) { self.current.withLock { $0 = new } }
        return self.snapshot()
      } isSame: { old, new in
        (old as? VaultSnapshot)?.hasValues(of: new as? VaultSnapshot) ?? false
      }
      return try await updatesHandler(ConfigUpdatesAsyncSequence(updates))
    }
  }

  extension VaultProvider: CustomStringConvertible, CustomReflectable {
    public var description: String { "VaultProvider[\(references.count) values]" }
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
  }

  /// The value of a key does not have the requested type. The error does not hold the value.
  public struct NotConvertible: Error, Equatable, Sendable, CustomStringConvertible {
    /// The place of the value.
    public let reference: SecretReference
    /// The requested type.
    public let type: ConfigType
    public var description: String { "\(reference) is no \(type.rawValue)" }
  }

  private struct VaultSnapshot: ConfigSnapshot, CustomReflectable {
    let providerName = "VaultProvider"
    let references: [[String]: SecretReference]
    var values: [SecretReference: SecretBytes]

    init(_ vault: Vault, _ references: [[String]: SecretReference]) async throws(DeliveryFailure) {
      self.references = references
      values = try await vault.values(of: references.values).mapValues(\.secret)
    }

    var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }

    func hasValues(of other: VaultSnapshot?) -> Bool {
      references.values.allSatisfy { reference in
        guard let old = values[reference], let new = other?.values[reference] else { return false }
        return old == new
      }
    }

    func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
      guard let reference = references[key.components], let value = values[reference] else {
        return LookupResult(encodedKey: key.components.joined(separator: "."), value: nil)
      }
      guard let content = value.content(as: type) else { throw NotConvertible(reference: reference, type: type) }
      return LookupResult(encodedKey: reference.description, value: ConfigValue(content, isSecret: true))
    }
  }

  extension SecretBytes {
    /// The value as this type; nil if it does not have the type.
    fileprivate func content(as type: ConfigType) -> ConfigContent? {
      withBytes { bytes in
        let bytes = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
        guard type != .bytes else { return .bytes(bytes) }
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        return switch type {
        case .string: .string(text)
        case .int: Int(text).map { .int($0) }
        case .double: Double(text).map { .double($0) }
        case .bool: Bool(text).map { .bool($0) }
        case .bytes, .stringArray, .intArray, .doubleArray, .boolArray, .byteChunkArray: nil
        }
      }
    }
  }

  /// An element, and each changed one, until the task ends.
  private struct Updates<Element: Sendable>: AsyncSequence, Sendable {
    typealias Failure = Never

    let first: Element
    let interval: Duration
    let next: @Sendable () async -> Element
    let isSame: @Sendable (Element, Element) -> Bool

    func makeAsyncIterator() -> Iterator { Iterator(updates: self) }

    struct Iterator: AsyncIteratorProtocol {
      typealias Failure = Never

      let updates: Updates
      var last: Element?

      mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
        guard let old = last else {
          last = updates.first
          return last
        }
        while (try? await Task.sleep(for: updates.interval)) != nil {
          let new = await updates.next()
          guard updates.isSame(old, new) else {
            last = new
            return new
          }
        }
        return nil
      }
    }
  }
#endif
