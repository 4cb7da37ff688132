// Only with the package's trait `Configuration`: nobody else fetches what this imports.
#if Configuration
  public import Configuration
  internal import Synchronization
  internal import VaultCrypto
  public import VaultDelivery
  public import VaultKit

  /// A provider of swift-configuration whose values come from a vault, all of them marked secret.
  ///
  /// The configuration names references, and the provider has their values: from its start, since `value` does not
  /// wait; `fetchValue` opens the record again, and `watchValue` does so from time to time. Until it is asked for, a
  /// value lies in locked memory.
  public final class VaultProvider: ConfigProvider {
    /// What the configuration calls it.
    public let providerName = "VaultProvider"
    private let vault: Vault
    private let references: [[String]: SecretReference]
    private let interval: Duration
    private let current: Mutex<VaultSnapshot>

    /// Has the values of all references, in one pass.
    ///
    /// - Parameters:
    ///   - vault: an open one.
    ///   - references: where the value of each key is.
    ///   - interval: after which time `watchValue` and `watchSnapshot` look whether a value is another one.
    /// - Throws: `DeliveryFailure` of the first that cannot be had.
    public init(
      _ vault: Vault, _ references: [AbsoluteConfigKey: SecretReference], lookingEvery interval: Duration = .seconds(60)
    ) async throws(DeliveryFailure) {
      let references = Dictionary(references.map { ($0.components, $1) }) { first, _ in first }
      (self.vault, self.references, self.interval) = (vault, references, interval)
      current = Mutex(try await VaultSnapshot(vault, references))
    }

    /// Has the values of all references that another provider holds as texts: `"database.password":
    /// "cvault://Orders/password"`. It goes before that one, which has the rest.
    ///
    /// - Parameter keys: those that may be references; one that has another text is left to the other provider.
    /// - Throws: `ReferenceFault` of a text that is meant as a reference, and is none; `DeliveryFailure` of the first
    ///   that cannot be had.
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

    /// The value as it was opened last: at the start, or by `fetchValue`.
    ///
    /// - Throws: ``NotConvertible`` where it has no such form.
    public func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
      try current.withLock { $0 }.value(forKey: key, type: type)
    }

    /// Opens the record again.
    ///
    /// - Throws: `DeliveryFailure`; the value that was there stays.
    public func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult {
      if let reference = references[key.components] {
        let values = try await vault.values(of: [reference])
        current.withLock { $0.values.merge(values.mapValues(\.secret)) { _, new in new } }
      }
      return try value(forKey: key, type: type)
    }

    /// The values as they were opened last.
    public func snapshot() -> any ConfigSnapshot { current.withLock { $0 } }

    /// What was there at first, and every other value from then on. A failure is told once, and looked at again.
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

    /// What was there at first, and every other state from then on; one that cannot be had is left out.
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

  /// The value of a key is of another form than was asked for. It never says the value.
  public struct NotConvertible: Error, Equatable, Sendable, CustomStringConvertible {
    /// Where the value is.
    public let reference: SecretReference
    /// What was asked for.
    public let type: ConfigType
    public var description: String { "\(reference) is no \(type.rawValue)" }
  }

  /// The values at one time.
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
    /// Itself in the form that a service asks for; nil where it is no such thing.
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

  /// An element, and each that is another than the one before it, as long as its task runs.
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
