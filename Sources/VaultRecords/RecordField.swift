public import VaultDocument
internal import VaultSealing

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

extension RecordField {
  /// Whether the member is there, whatever it holds.
  func isPresent(in members: JSONObject) -> Bool {
    (try? JSONValue.object(members).value(at: path)) != nil
  }

  /// Whether the member of a record is what this field says; sealed values as tokens.
  func fits(_ members: JSONObject) -> Bool {
    var value = JSONValue.object(members)
    for component in path.components {
      guard case .member(let name) = component, case .object(let object) = value else { return false }
      guard let next = object[name], !next.isNull else { return !isRequired }
      value = next
    }
    guard case .string(let text) = value else { return false }
    // Text that has the shape of a token but is readable is damage, which is for others to explain.
    guard isSealed == SealedToken.hasTokenShape(text) else { return false }
    return isSealed || type == .text || (try? Timestamp(parsing: text)) != nil
  }
}
