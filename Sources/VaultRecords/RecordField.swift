public import VaultDocument

/// One member of a kind of record.
public struct RecordField: Sendable {
  /// What a readable value or an opened secret is.
  public enum ValueType: String, Sendable {
    case text
    case date
  }

  /// Where the member stands in the record.
  public let path: MemberPath
  /// What a prompt calls it.
  public let label: String
  public let type: ValueType
  /// Whether the type seals it.
  public let isSealed: Bool
  public let isRequired: Bool

  public init(
    _ path: String, _ label: String, type: ValueType = .text, sealed: Bool = false, required: Bool = false
  ) {
    do {
      self.path = try MemberPath(parsing: path)
    } catch {
      preconditionFailure("the path of a field is written in source code and must be well formed")
    }
    self.label = label
    self.type = type
    isSealed = sealed
    isRequired = required
  }
}
