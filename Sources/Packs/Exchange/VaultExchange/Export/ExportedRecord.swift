public import VaultDocument
public import VaultRecords

/// A record to export.
public struct ExportedRecord: Sendable {
  /// Its id, a UUID.
  public let id: String
  /// The name of its kind.
  public let kind: String
  /// The name for lists; may be empty.
  public let name: String
  /// The members. A sealed member is in clear, a token, or absent.
  public internal(set) var members: JSONObject
  /// The attachments to export; empty if the format has no place for them.
  public var attachments: [ExportedAttachment] = []
  /// The former values of sealed members to export, the newest of each member first.
  public var former: [ExportedFormerValue] = []
  private let schema: RecordKind?
  private let sealedPaths: Set<MemberPath>

  /// - Parameters:
  ///   - schema: the kind; nil if this program does not know it.
  ///   - sealedPaths: the paths of the sealed values, which are the paths of their tokens.
  public init(
    id: String, kind: String, name: String, members: JSONObject, schema: RecordKind?, sealedPaths: Set<MemberPath>
  ) {
    self.id = id
    self.kind = kind
    self.name = name
    self.members = members
    self.schema = schema
    self.sealedPaths = sealedPaths
  }

  /// Every scalar and every empty object or array, with its path.
  var leaves: [(path: MemberPath, value: JSONValue)] { JSONValue.object(members).leaves().filter { !$0.0.isRoot } }

  /// The beginning of the path that leads to a sealed value; nil if the value is readable.
  func sealedPath(of path: MemberPath) -> MemberPath? {
    for count in 1...max(1, path.components.count) {
      let prefix = MemberPath(Array(path.components.prefix(count)))
      if sealedPaths.contains(prefix) || schema?.value(at: prefix)?.isSealed == true { return prefix }
    }
    return nil
  }

  /// Whether the kind has bytes at the path, which are written as base64.
  func isBytes(_ path: MemberPath) -> Bool { schema?.value(at: path)?.isBytes == true }

  func isSealed(_ path: MemberPath) -> Bool { sealedPath(of: path) != nil }

  /// The name of the member that is sealed at a path. If a whole map is sealed, the name of the map.
  func sealedName(at path: MemberPath) -> String {
    let names = path.components.compactMap { if case .member(let name) = $0 { name } else { nil } }
    guard names.count > 1, let schema else { return names.first ?? "" }
    let parent = schema.value(at: MemberPath(Array(path.components.dropLast())))
    if case .object(let rule)? = parent?.form, !rule.members.contains(where: { $0.name == names[names.count - 1] }) {
      return names[names.count - 2]
    }
    return names[names.count - 1]
  }
}

/// A former value of a sealed member, in clear.
public struct ExportedFormerValue: Sendable {
  /// The path of the member.
  public let path: MemberPath
  /// The value, as in the members.
  public let value: JSONValue
  /// When it was sealed.
  public let sealedAt: Timestamp
  /// When the present value was sealed; nil if the member is gone.
  public let replacedAt: Timestamp?

  /// Makes a value of its place and its times.
  public init(path: MemberPath, value: JSONValue, sealedAt: Timestamp, replacedAt: Timestamp?) {
    (self.path, self.value, self.sealedAt, self.replacedAt) = (path, value, sealedAt, replacedAt)
  }
}

/// An attachment to export with its record.
public struct ExportedAttachment: Sendable {
  /// The name of the attachment.
  public let name: String
  /// The whole content.
  public let bytes: [UInt8]

  /// Makes an attachment of a name and its content.
  public init(name: String, bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }
}

extension MemberPath {
  fileprivate var isRoot: Bool { components.isEmpty }

  /// The name of the first member.
  var top: String {
    if case .member(let name)? = components.first { name } else { "" }
  }
}

extension JSONValue {
  /// A string itself, any other value as JSON on one line.
  func plainText(in record: ExportedRecord) throws(ExportError) -> String {
    if case .string(let text) = self { return text }
    do throws(DocumentError) {
      return String(decoding: try compactBytes(limits: .exchange), as: UTF8.self)
    } catch {
      throw ExportError.notJSON(in: record, underlying: error)
    }
  }

  /// Whether the value holds nothing that a text could hold: null, an empty text, or no items.
  var isVoid: Bool {
    switch self {
    case .null: true
    case .string(let text): text.isEmpty
    case .array(let items): items.isEmpty
    case .object(let members): members.isEmpty
    case .bool, .number: false
    }
  }
}
