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
/// is all that it takes: the kind is `service-account`, the members are learned from the type's `init(from:)`, and
/// `name` names a record. Say more where that is not enough; ``DescribedRecord`` has rules, nested objects and words
/// for prompts.
public protocol VaultRecord: Codable, Sendable {
  /// The name of the kind in files and on the command line: `[a-z][a-z0-9-]{0,63}`. The default is the type's name in
  /// kebab case.
  static var kindName: String { get }
  /// The version of the encoded form, from 1.
  static var schema: Int { get }
  /// What the kind is for, a sentence.
  static var summary: String { get }
  /// The members of the encoded form, all of them, in the order in which a person is asked for them. The default is
  /// what the type asks a decoder for.
  static var content: [MemberSchema] { get }
  /// What single members may be that cannot be learned, by their paths (`mana_cost`, `address.zip`); the rest is
  /// learned. A type that takes few values needs an example: `["mana_cost": .text.example("{3}{W}")]`. The default is
  /// nothing.
  static var described: [String: ValueSchema] { get }
  /// The style of the names in files, where properties have Swift's own: ``KeyStyle/snake`` writes `accessKey` as
  /// `access_key`. The default is nil: names are as the type has them. Paths are those of the file.
  static var keyStyle: KeyStyle? { get }
  /// The members that name a record in lists: the first of them that it has. The default is `name`, `title` or `label`,
  /// else the first readable text that every record has.
  static var titlePaths: [String] { get }
  /// The ways from older schemas to this one.
  static var migrations: [Migration] { get }
  /// Where else clear input may have members, and where they belong: other spellings, and names without their object.
  static var inputPaths: [(source: String, target: String)] { get }
  /// Whether every record whose members fit ``content`` decodes: nothing else is required, restricted or converted.
  ///
  /// Checking a whole vault then need not decode each record. The default is false.
  static var schemaMatchesType: Bool { get }

  /// Derives readable members from others, or refuses them where they contradict each other; the default does nothing.
  ///
  /// - Parameters:
  ///   - members: the members after a change, sealed ones in clear or as tokens.
  ///   - before: the members before it; nil for a new record.
  /// - Throws: ``RecordError`` `.invalidValue`.
  static func completed(_ members: JSONObject, before: JSONObject?) throws(RecordError) -> JSONObject

  /// Readable members at the top that say how many bytes a sealed one of base64 stands for: they follow it.
  static var byteCounts: [(of: String, at: String)] { get }

  /// The members that ``warnings(about:)`` looks at.
  static var watchedPaths: Set<String> { get }

  /// What is odd about clear members but no reason to refuse them: fixed sentences without values.
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
  /// - Throws: ``RecordError`` `.sealing`, `.invalidValue` for what has no JSON form.
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
  /// Codable's errors in our words: theirs can hold the value.
  init(coding error: any Error) {
    if let error = error as? RecordError {
      self = error
      return
    }
    let path = error.codingPath
    if let sealing = error.sealingError {
      switch sealing.code {
      case .clearText:
        self.init(.sealing, "holds clear text where a sealed value belongs", path: path, underlying: sealing)
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
      self.init(.invalidValue, "has no form in JSON, as a number that is not finite", path: path)
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
    // That of a tree's encoder; what others say of their path is not to be relied on.
    case EncodingError.invalidValue(_, let context): MemberPath(keys: context.codingPath).description
    default: ""
    }
  }
}
