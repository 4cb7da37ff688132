@_exported public import VaultDocument
public import VaultSealing

/// Why the content of a record was refused.
///
/// `path` is the member path of the field; nil for the record as a whole. No error holds a field's value.
public typealias RecordError = Fault<RecordLayer>

/// The content of records, and the kinds that say what it may be.
public enum RecordLayer: FaultLayer {}

extension RecordError {
  /// An error about one field, or about the record as a whole.
  public init(_ code: Code, _ reason: String, path: String = "", underlying: SealingError? = nil) {
    self.init(layer: code, reason, path: path.isEmpty ? nil : path, underlying: underlying)
  }
}

extension FaultCode<RecordLayer> {
  /// A required member is absent.
  public static var missingMember: Self { Self() }
  /// A value of another JSON type is needed.
  public static var wrongType: Self { Self() }
  /// The value is of the right type but not valid.
  public static var invalidValue: Self { Self() }
  /// The kind has no such member.
  public static var unknownMember: Self { Self() }
  /// The member `$vault` belongs to the vault.
  public static var reservedMember: Self { Self() }
  /// No kind has this name.
  public static var unknownKind: Self { Self() }
  /// A JSON Schema uses something that declared kinds do not have, or contradicts itself; `path` leads to it.
  public static var invalidSchema: Self { Self() }
  /// A sealed field could not be sealed or opened; `underlying` says why.
  public static var sealing: Self { Self() }
}
