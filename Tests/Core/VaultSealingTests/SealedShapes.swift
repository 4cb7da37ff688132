import FoundationEssentials
import VaultDocument
import VaultSealing
import VaultFields

/// Every place that Codable has for a sealed member.
enum Shape: CaseIterable {
  case optional, arrayElement, dictionaryValue, enumPayload, nestedKeyed, nestedUnkeyed, superEncoder, insideSealed

  /// How many tokens stand in the encoded form.
  var tokenCount: Int { self == .insideSealed ? 1 : 2 }
}

/// Every encoder, and key strategies of both kinds.
enum Wire: CaseIterable {
  case json, jsonSnakeKeys, jsonKebabKeys, propertyListXML, propertyListBinary, ownWriter

  func encode(_ value: some Encodable, _ context: SealingContext?) throws -> [UInt8] {
    switch self {
    case .ownWriter: return try DocumentForm.json.encode(value, with: context)
    case .propertyListXML: return try DocumentForm.propertyList.encode(value, with: context)
    case .propertyListBinary: return try DocumentForm.binaryPropertyList.encode(value, with: context)
    case .json, .jsonSnakeKeys, .jsonKebabKeys:
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      encoder.userInfo[.sealingContext] = context
      if self == .jsonSnakeKeys { encoder.keyEncodingStrategy = .convertToSnakeCase }
      if self == .jsonKebabKeys { encoder.keyEncodingStrategy = .style(.kebab) }
      return [UInt8](try encoder.encode(value))
    }
  }

  func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8], _ context: SealingContext?) throws -> Value {
    switch self {
    case .ownWriter: return try DocumentForm.json.decode(type, from: bytes, with: context)
    case .propertyListXML, .propertyListBinary:
      return try DocumentForm.propertyList.decode(type, from: bytes, with: context)
    case .json, .jsonSnakeKeys, .jsonKebabKeys:
      let decoder = JSONDecoder()
      decoder.userInfo[.sealingContext] = context
      if self == .jsonSnakeKeys { decoder.keyDecodingStrategy = .convertFromSnakeCase }
      if self == .jsonKebabKeys { decoder.keyDecodingStrategy = .style(.camel) }
      return try decoder.decode(type, from: Data(bytes))
    }
  }
}

typealias Member = Codable & Equatable & Sendable

struct OptionalMembers<Secret: Member>: Member {
  var firstSecret: Secret?
  var otherSecret: Secret?
  var noSecret: Secret?
}

struct ArrayMembers<Secret: Member>: Member {
  var allSecrets: [Secret]
  var noSecrets: [Secret] = []
}

struct DictionaryMembers<Secret: Member>: Member { var secretsByName: [String: Secret] }

enum Payload<Secret: Member>: Member {
  case oneSecret(Secret)
  case twoSecrets(first: Secret, secondSecret: Secret)
}

struct NestedKeyed<Secret: Member>: Member {
  var firstSecret: Secret
  var otherSecret: Secret

  enum CodingKeys: String, CodingKey { case outerObject, innerObject, firstSecret, otherSecret }

  init(_ first: Secret, _ other: Secret) { (firstSecret, otherSecret) = (first, other) }

  init(from decoder: any Decoder) throws {
    let top = try decoder.container(keyedBy: CodingKeys.self)
    let outer = try top.nestedContainer(keyedBy: CodingKeys.self, forKey: .outerObject)
    firstSecret = try outer.decode(Secret.self, forKey: .firstSecret)
    let inner = try outer.nestedContainer(keyedBy: CodingKeys.self, forKey: .innerObject)
    otherSecret = try inner.decode(Secret.self, forKey: .otherSecret)
  }

  func encode(to encoder: any Encoder) throws {
    var top = encoder.container(keyedBy: CodingKeys.self)
    var outer = top.nestedContainer(keyedBy: CodingKeys.self, forKey: .outerObject)
    try outer.encode(firstSecret, forKey: .firstSecret)
    var inner = outer.nestedContainer(keyedBy: CodingKeys.self, forKey: .innerObject)
    try inner.encode(otherSecret, forKey: .otherSecret)
  }
}

/// `[first, [{"innerObject" : other}]]`
struct NestedUnkeyed<Secret: Member>: Member {
  var firstSecret: Secret
  var otherSecret: Secret

  enum CodingKeys: String, CodingKey { case innerObject }

  init(_ first: Secret, _ other: Secret) { (firstSecret, otherSecret) = (first, other) }

  init(from decoder: any Decoder) throws {
    var top = try decoder.unkeyedContainer()
    firstSecret = try top.decode(Secret.self)
    var items = try top.nestedUnkeyedContainer()
    otherSecret = try items.nestedContainer(keyedBy: CodingKeys.self).decode(Secret.self, forKey: .innerObject)
  }

  func encode(to encoder: any Encoder) throws {
    var top = encoder.unkeyedContainer()
    try top.encode(firstSecret)
    var items = top.nestedUnkeyedContainer()
    var object = items.nestedContainer(keyedBy: CodingKeys.self)
    try object.encode(otherSecret, forKey: .innerObject)
  }
}

class Base<Secret: Member>: Codable {
  let firstSecret: Secret
  init(_ secret: Secret) { firstSecret = secret }
}

final class Derived<Secret: Member>: Base<Secret>, Equatable {
  let otherSecret: Secret

  enum CodingKeys: String, CodingKey { case otherSecret, parentPart }

  init(_ first: Secret, _ other: Secret) {
    otherSecret = other
    super.init(first)
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    otherSecret = try container.decode(Secret.self, forKey: .otherSecret)
    try super.init(from: container.superDecoder(forKey: .parentPart))
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(otherSecret, forKey: .otherSecret)
    try super.encode(to: container.superEncoder(forKey: .parentPart))
  }

  static func == (left: Derived, right: Derived) -> Bool {
    left.firstSecret == right.firstSecret && left.otherSecret == right.otherSecret
  }
}

struct InsideSealed<Secret: Member>: Member { var sealedPart: Sealed<OptionalMembers<Secret>> }
