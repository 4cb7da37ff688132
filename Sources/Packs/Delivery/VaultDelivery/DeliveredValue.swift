public import VaultCrypto
internal import VaultDocument
public import VaultKit

/// The value that a reference means, of a record that was verified.
public struct DeliveredValue: Sendable {
  /// What was asked for.
  public let reference: SecretReference
  /// The record that it means, verified.
  public let record: OpenRecord
  /// The value, in locked memory.
  public let secret: SecretBytes
  /// Whether it is, or holds, a sealed value.
  public let isSealed: Bool

  /// The sealed values in it: itself, and the password that an address holds.
  package func sealedValues() throws -> [SecretBytes] {
    guard isSealed else { return [] }
    let path = try MemberPath(parsing: "password")
    guard reference.view == .url, (try? record.value(at: path)) != nil else { return [secret] }
    return [secret, try record.secret(at: path)]
  }
}

/// Why the value of a reference cannot be had.
public struct DeliveryFailure: Error {
  /// The reference that has no value.
  public let reference: SecretReference
  /// A `VaultError`, a ``ReferenceFault``, or a `CryptoError` where memory cannot be locked.
  public let reason: any Error
}

extension Vault {
  /// The values of a whole configuration: all of them, or none.
  ///
  /// Each record is opened and verified once, however many of its fields are wanted.
  ///
  /// - Parameter references: may name one value more than once.
  /// - Throws: ``DeliveryFailure`` of the first that cannot be had.
  public func values(
    of references: some Sequence<SecretReference>
  ) async throws(DeliveryFailure) -> [SecretReference: DeliveredValue] {
    try await values(of: references, found: [:])
  }

  /// The same with what was looked up already: without an index a name is looked for in every record.
  package func values(
    of references: some Sequence<SecretReference>, found: [SecretReference: ReferencedField]
  ) async throws(DeliveryFailure) -> [SecretReference: DeliveredValue] {
    var (values, opened): ([SecretReference: DeliveredValue], [RecordID: OpenRecord]) = ([:], [:])
    for reference in references where values[reference] == nil {
      do {
        let field: ReferencedField
        if let known = found[reference] { field = known } else { field = try await locked.field(of: reference) }
        var record = opened[field.record.id]
        if record == nil { record = try await self.record(named: field.record.id.text) }
        guard let record else { continue }
        opened[record.id] = record
        try reference.requireName(of: record)
        values[reference] = DeliveredValue(
          reference: reference, record: record, secret: try record.value(of: reference),
          isSealed: field.sealedAt != nil || reference.view == .url)
      } catch {
        throw DeliveryFailure(reference: reference, reason: error)
      }
    }
    return values
  }
}
