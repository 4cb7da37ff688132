public import VaultDocument
public import VaultRecords

/// A record on its way out.
public struct ExportedRecord: Sendable {
  /// Its id, a UUID.
  public let id: String
  /// The name of its kind.
  public let kind: String
  /// What names it in lists; may be empty.
  public let name: String
  /// Its members: sealed ones in clear, as tokens or absent.
  public let members: JSONObject
  /// What is attached to it, as far as it goes out: nothing where the format has no place for it.
  public var attachments: [ExportedAttachment] = []
  private let schema: RecordKind?
  private let sealedPaths: Set<MemberPath>

  /// - Parameters:
  ///   - schema: what its kind is; nil for one that this program does not know.
  ///   - sealedPaths: where sealed values stand, by the paths of their tokens.
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

  /// Every value that is no object or array, or is empty, with its path.
  var leaves: [(path: MemberPath, value: JSONValue)] { JSONValue.object(members).leaves().filter { !$0.0.isRoot } }

  /// The part of the path that leads to a sealed value; nil for what is readable.
  func sealedPath(of path: MemberPath) -> MemberPath? {
    for count in 1...max(1, path.components.count) {
      let prefix = MemberPath(Array(path.components.prefix(count)))
      if sealedPaths.contains(prefix) || schema?.value(at: prefix)?.isSealed == true { return prefix }
    }
    return nil
  }

  /// Whether the kind has bytes there, as their base64.
  func isBytes(_ path: MemberPath) -> Bool { schema?.value(at: path)?.isBytes == true }

  func isSealed(_ path: MemberPath) -> Bool { sealedPath(of: path) != nil }

  /// The name of the member that is sealed at a path: that of the map where all values of a map are.
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

/// A file on its way out with its record.
public struct ExportedAttachment: Sendable {
  /// What it is called.
  public let name: String
  /// All of it.
  public let bytes: [UInt8]

  /// A file by its name and content.
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
  /// A string itself, anything else as JSON in one line.
  func plainText(in record: ExportedRecord) throws(ExportError) -> String {
    if case .string(let text) = self { return text }
    do throws(DocumentError) {
      return String(decoding: try compactBytes(limits: .exchange), as: UTF8.self)
    } catch {
      throw ExportError("has a value that has no form as JSON", in: record, underlying: error)
    }
  }

  /// Whether there is nothing in it that a text could hold: null, no text, no items.
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
