public import VaultDocument
public import VaultSealing

/// A Codable type that can be stored as a record; its `EncryptedCodableString` and `Sealed` members are secret.
///
/// ```swift
/// struct ServiceAccount: VaultRecord {
///   var name: String
///   var token: EncryptedCodableString
///   var host: URL?
/// }
/// ```
///
/// Nothing else is needed: the kind is `service-account`, the members are learned from the type's `init(from:)`, and
/// `name` is the title. If that is not enough, describe more; ``DescribedRecord`` adds rules, nested objects and words
/// for prompts.
public protocol VaultRecord: Codable, Sendable {
  /// The name of the kind in files and on the command line: `[a-z][a-z0-9-]{0,63}`. The default is the type's name in
  /// kebab case.
  static var kindName: String { get }
  /// The version of the encoded form, from 1.
  static var schema: Int { get }
  /// The purpose of the kind, a sentence.
  static var summary: String { get }
  /// All members of the encoded form, in the order in which a person is asked for them. By default they are learned
  /// from the type's decoding.
  static var content: [MemberSchema] { get }
  /// Descriptions of single members that cannot be learned, by path (`mana_cost`, `address.zip`); the others are
  /// learned. A type that accepts few values needs an example: `["mana_cost": .text.example("{3}{W}")]`. The default is
  /// empty.
  static var described: [String: ValueSchema] { get }
  /// The style of the names in files: ``KeyStyle/snake`` writes the property `accessKey` as `access_key`. The default,
  /// nil, keeps the names of the type. Paths are those of the file.
  static var keyStyle: KeyStyle? { get }
  /// The members for the title in lists; the first that a record has is used. The default is `name`, `title` or
  /// `label`, else the first readable text that every record has.
  static var titlePaths: [String] { get }
  /// The migrations from older schemas to this one.
  static var migrations: [Migration] { get }
  /// Other places of members in clear input, and their targets: other spellings, and names without their object.
  static var inputPaths: [(source: String, target: String)] { get }
  /// Whether every record whose members fit ``content`` decodes: the type requires, restricts and converts nothing
  /// else.
  ///
  /// Checking a whole vault then need not decode each record. The default is false.
  static var schemaMatchesType: Bool { get }

  /// Derives readable members from others, or refuses members that contradict each other. The default does nothing.
  ///
  /// - Parameters:
  ///   - members: the members after a change, sealed ones in clear or as tokens.
  ///   - before: the members before it; nil for a new record.
  /// - Throws: ``RecordError`` `.invalidValue`.
  static func completed(_ members: JSONObject, before: JSONObject?) throws(RecordError) -> JSONObject

  /// Readable members at the top level that hold the byte count of a sealed base64 member and are updated with it.
  static var byteCounts: [(of: String, at: String)] { get }

  /// The members that ``warnings(about:)`` reads.
  static var watchedPaths: Set<String> { get }

  /// Warnings about unusual clear members that are nevertheless accepted: fixed sentences without values.
  static func warnings(about members: JSONObject) -> [(path: String, text: String)]
}

extension VaultRecord {
  public static var kindName: String { KeyStyle.kebab.name(for: "\(Self.self)") }
  public static var content: [MemberSchema] { RecordedContent(of: self).whole }
  public static var titlePaths: [String] {
    let texts = content.filter { $0.value.isText && !$0.value.isSealed }
    let usual = ["name", "title", "label"].first { name in texts.contains { $0.name == name } }
    return (usual ?? texts.first { $0.isRequired }?.name).map { [$0] } ?? []
  }
  public static var described: [String: ValueSchema] { [:] }
  public static var keyStyle: KeyStyle? { nil }
  public static var schema: Int { 1 }
  public static var summary: String { "" }
  public static var migrations: [Migration] { [] }
  public static var inputPaths: [(source: String, target: String)] { [] }
  public static var schemaMatchesType: Bool { false }
  public static func completed(_ members: JSONObject, before: JSONObject?) throws(RecordError) -> JSONObject { members }
  public static var byteCounts: [(of: String, at: String)] { [] }
  public static var watchedPaths: Set<String> { [] }
  public static func warnings(about members: JSONObject) -> [(path: String, text: String)] { [] }

  /// Encodes to a record's own members; sealed ones become tokens of `context`.
  ///
  /// - Throws: ``RecordError`` `.sealing`, `.invalidValue` for a value that has no JSON form.
  public func encoded(in context: SealingContext) throws(RecordError) -> JSONObject {
    do {
      guard case .object(let members) = try TreeEncoder(sealingWith: context, style: Self.keyStyle).encode(self) else {
        throw RecordError(.wrongType, "a record must be encoded as an object")
      }
      return members
    } catch {
      throw RecordError(coding: error)
    }
  }

  /// Decodes a record's own members with `context`.
  ///
  /// - Throws: ``RecordError`` `.missingMember`, `.wrongType`, `.invalidValue`, `.sealing`.
  public static func decoded(from members: JSONObject, in context: SealingContext) throws(RecordError) -> Self {
    do {
      return try TreeDecoder(openingWith: context, style: keyStyle).decode(from: .object(members))
    } catch {
      throw RecordError(coding: error)
    }
  }
}

extension RecordError {
  /// Codable's errors in our words, because theirs can hold the value.
  init(coding error: any Error) {
    if let error = error as? RecordError {
      self = error
      return
    }
    let path = error.codingPath
    if let sealing = error.sealingError {
      switch sealing.code {
      case .clearText:
        self.init(.sealing, "must be sealed, but it is clear text", path: path, underlying: sealing)
      default: self.init(.sealing, sealing.reason, path: path, underlying: sealing)
      }
      return
    }
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      self.init(.missingMember, "is required", path: MemberPath(keys: context.codingPath + [key]).description)
    case DecodingError.valueNotFound:
      self.init(.missingMember, "is required", path: path)
    case DecodingError.typeMismatch(let type, _):
      self.init(.wrongType, "must be \(Self.name(of: type))", path: path)
    case DecodingError.dataCorrupted(let context)
    where (context.underlyingError as? DocumentError)?.code == .invalidDate:
      self.init(.invalidValue, "is not a date in ISO 8601", path: path)
    case let error as DocumentError:
      self.init(.invalidValue, error.reason)
    case EncodingError.invalidValue:
      self.init(.invalidValue, "cannot be written as JSON, like a number that is not finite", path: path)
    default:
      self.init(.invalidValue, "is not a valid value", path: path)
    }
  }

  private static func name(of type: Any.Type) -> String {
    switch type {
    case is String.Type: "text"
    case is Bool.Type: "true or false"
    case is any BinaryInteger.Type: "a whole number"
    case is any BinaryFloatingPoint.Type: "a number"
    case is [String: Any].Type, is any KeyedDecodingContainerProtocol.Type: "an object"
    case is [Any].Type: "an array"
    default: "of another type"
    }
  }
}

extension Error {
  fileprivate var codingPath: String {
    switch self as any Error {
    case DecodingError.dataCorrupted(let context), DecodingError.keyNotFound(_, let context),
      DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      MemberPath(keys: context.codingPath).description
    // The path from a tree's encoder; other encoders do not report it reliably.
    case EncodingError.invalidValue(_, let context): MemberPath(keys: context.codingPath).description
    default: ""
    }
  }
}
