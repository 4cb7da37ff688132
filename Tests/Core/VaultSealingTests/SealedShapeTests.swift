import Testing
import VaultDocument
import VaultSealing

private let marker = "marker-9e41-secret"

/// A document of one shape, encoded and checked without its type being known outside.
private struct Check {
  let shape: Shape
  let wire: Wire
  let isText: Bool

  /// Calls `body` with the shape's value, its secrets being strings or values of another type.
  func withValue(_ body: (any (Codable & Equatable)) throws -> Void) throws {
    if isText {
      try body(value(EncryptedCodableString(marker), EncryptedCodableString(marker + "-2")))
    } else {
      try body(value(Sealed([marker, "x"]), Sealed([marker, "y"])))
    }
  }

  private func value<Secret: Member>(_ first: Secret, _ other: Secret) -> any (Codable & Equatable) {
    let pair = OptionalMembers(firstSecret: first, otherSecret: other)
    return switch shape {
    case .optional: pair
    case .arrayElement: ArrayMembers(allSecrets: [first, other])
    case .dictionaryValue: DictionaryMembers(secretsByName: ["one name": first, "other_name": other])
    case .enumPayload: Payload.twoSecrets(first: first, secondSecret: other)
    case .nestedKeyed: NestedKeyed(first, other)
    case .nestedUnkeyed: NestedUnkeyed(first, other)
    case .superEncoder: Derived(first, other)
    case .insideSealed: InsideSealed(sealedPart: Sealed(pair))
    }
  }

  func decode<Value: Decodable>(
    as value: Value, _ bytes: [UInt8], _ context: SealingContext?
  ) throws -> Value {
    try wire.decode(Value.self, bytes, context)
  }

  func isEqual<Value: Codable & Equatable>(_ value: Value, _ bytes: [UInt8], _ context: SealingContext) throws -> Bool {
    try decode(as: value, bytes, context) == value
  }

  /// The tokens of a document, in the order of its tree.
  func tokens(in bytes: [UInt8]) throws -> [String] {
    var tokens: [String] = []
    try wire.decode(JSONValue.self, bytes, nil).forEachString { _, text in
      if SealedToken.hasTokenShape(text) { tokens.append(text) }
    }
    return tokens
  }
}

@Suite("A sealed field in every shape and every encoder")
struct SealedShapeTests {
  static let combinations = Shape.allCases.flatMap { shape in Wire.allCases.map { (shape, $0) } }

  @Test("comes back equal, is a token, and keeps it while unchanged", arguments: combinations, [true, false])
  func roundTrip(combination: (Shape, Wire), isText: Bool) throws {
    let check = Check(shape: combination.0, wire: combination.1, isText: isText)
    let context = try applicationContext()
    try check.withValue { value in
      let bytes = try check.wire.encode(value, context)
      #expect(try check.isEqual(value, bytes, context))
      #expect(try check.tokens(in: bytes).count == check.shape.tokenCount)
      #expect(!bytes.contains(Array(marker.utf8)))
      let again = try check.wire.encode(check.decode(as: value, bytes, context), context)
      #expect(try check.tokens(in: again) == check.tokens(in: bytes))
    }
  }

  @Test("throws without a context, both ways", arguments: combinations, [true, false])
  func noContext(combination: (Shape, Wire), isText: Bool) throws {
    let check = Check(shape: combination.0, wire: combination.1, isText: isText)
    try check.withValue { value in
      #expect { try check.wire.encode(value, nil) } throws: { $0.sealingError?.code == .noContext }
      let bytes = try check.wire.encode(value, applicationContext())
      #expect { try check.decode(as: value, bytes, nil) } throws: { $0.sealingError?.code == .noContext }
    }
  }

  @Test(
    "does not open in another context, nor where one token was moved there", arguments: combinations, [true, false])
  func otherContext(combination: (Shape, Wire), isText: Bool) throws {
    let check = Check(shape: combination.0, wire: combination.1, isText: isText)
    let (here, there) = (try applicationContext("here"), try applicationContext("there"))
    try check.withValue { value in
      let bytes = try check.wire.encode(value, here)
      #expect { try check.decode(as: value, bytes, there) } throws: { $0.sealingError?.code == .foreignToken }
      let moved = try #require(try check.tokens(in: bytes).last)
      let target = try check.wire.encode(value, there)
      let replaced = try #require(try check.tokens(in: target).last)
      let tree = try check.wire.decode(JSONValue.self, target, nil).replacing(replaced, with: moved)
      let forged = try check.wire.encode(tree, nil)
      #expect(try check.tokens(in: forged).count == check.shape.tokenCount)
      #expect { try check.decode(as: value, forged, there) } throws: { $0.sealingError?.code == .foreignToken }
    }
  }
}

extension JSONValue {
  fileprivate func replacing(_ old: String, with new: String) -> JSONValue {
    switch self {
    case .string(old): return .string(new)
    case .array(let items): return .array(items.map { $0.replacing(old, with: new) })
    case .object(let members):
      var result = members
      for (name, value) in members { result[name] = value.replacing(old, with: new) }
      return .object(result)
    default: return self
    }
  }
}
