public import VaultSealing

/// Why the content of a record was refused.
///
/// Two errors are equal if their codes are. No error holds a field's value.
public struct RecordError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of failure. New codes may be added in later versions.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Name: String {
      case missingMember, wrongType, invalidValue, unknownMember, reservedMember, unknownKind, invalidSchema, sealing
    }
    private let name: Name

    public var description: String { name.rawValue }

    /// A required member is absent.
    public static let missingMember = Code(name: .missingMember)
    /// The value has the wrong JSON type.
    public static let wrongType = Code(name: .wrongType)
    /// The value has the right type but is not valid.
    public static let invalidValue = Code(name: .invalidValue)
    /// The kind has no such member.
    public static let unknownMember = Code(name: .unknownMember)
    /// The member `$vault` belongs to the vault.
    public static let reservedMember = Code(name: .reservedMember)
    /// No kind has this name.
    public static let unknownKind = Code(name: .unknownKind)
    /// A JSON Schema uses an unsupported keyword or contradicts itself; `path` leads to it.
    public static let invalidSchema = Code(name: .invalidSchema)
    /// A sealed field could not be sealed or opened; `underlying` says why.
    public static let sealing = Code(name: .sealing)
  }

  /// The kind of failure, for programs.
  public let code: Code
  /// A fixed sentence without any content of the record.
  public let reason: String
  /// The member path of the field; empty for the record as a whole.
  public let path: String
  /// Why a value could not be sealed or opened, with the code ``Code/sealing``.
  public let underlying: SealingError?

  /// An error about one field, or about the record as a whole.
  public init(_ code: Code, _ reason: String, path: String = "", underlying: SealingError? = nil) {
    self.code = code
    self.reason = reason
    self.path = path
    self.underlying = underlying
  }

  public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }

  public static func == (left: RecordError, right: RecordError) -> Bool { left.code == right.code }
}
