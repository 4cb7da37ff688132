public import VaultCrypto
internal import VaultDocument
public import VaultKit

/// The value of a reference, from a verified record.
public struct DeliveredValue: Sendable {
  /// The reference.
  public let reference: SecretReference
  /// The verified record of the reference.
  public let record: OpenRecord
  /// The value, in locked memory.
  public let secret: SecretBytes
  /// Whether the value is sealed, or contains a sealed value.
  public let isSealed: Bool

  /// The sealed values inside: the value itself, and the password in an address.
  package func sealedValues() throws -> [SecretBytes] {
    guard isSealed else { return [] }
    let path = try MemberPath(parsing: "password")
    guard reference.view == .url, (try? record.value(at: path)) != nil else { return [secret] }
    return [secret, try record.secret(at: path)]
  }

  /// The values that the field had before, and for an address the passwords in earlier ones. A one-time code has none.
  package func formerValues() throws -> [SecretBytes] {
    guard isSealed, reference.view != .otp else { return [] }
    let path = try reference.path ?? MemberPath(parsing: "password")
    return try record.formerSecrets(at: path).map(record.secret)
  }
}

/// Why a reference has no value.
public struct DeliveryFailure: Error {
  /// The reference without a value.
  public let reference: SecretReference
  /// A `VaultError`, a ``ReferenceFault``, or a `CryptoError` if memory cannot be locked.
  public let reason: any Error
}

extension Vault {
  /// The values of a whole configuration: all of them, or none.
  ///
  /// Each record is opened and verified only once, for all its fields.
  ///
  /// - Parameter references: may contain a reference more than once.
  /// - Throws: ``DeliveryFailure`` for the first value that cannot be opened.
  public func values(
    of references: some Sequence<SecretReference>
  ) async throws(DeliveryFailure) -> [SecretReference: DeliveredValue] {
    try await values(of: references, found: [:])
  }

  /// The values, with the results of an earlier look-up. Without an index each look-up by name reads every record.
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
