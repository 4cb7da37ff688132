import FoundationEssentials
import Testing
import VaultCrypto
import VaultDocument
import VaultSealing

private class Vessel: Codable {
  var name = "base"
}

private final class Steamer: Vessel {
  var size = 3

  private enum CodingKeys: CodingKey { case size }

  override init() { super.init() }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try super.init(from: container.superDecoder())
    size = try container.decode(Int.self, forKey: .size)
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try super.encode(to: container.superEncoder())
    try container.encode(size, forKey: .size)
  }
}

private enum Outline: Codable, Equatable {
  case circle(radius: Double)
  case line
}

private struct Everything: Codable, Equatable {
  var text = "ä\u{0}\n\"/"
  var flag = false
  var numbers: [Double] = [0, -0.0, 1, 0.1, 1e20, 2.5e-300, -1.5e300, 3]
  var floats: [Float] = [0.1, 16_777_216]
  var integers: [Int64] = [.min, .max, 0]
  var unsigned: [UInt64] = [0, .max]
  var small: [Int8] = [-128, 127]
  var bytes = Data([0, 1, 255])
  var date = Date(timeIntervalSinceReferenceDate: 619_552_896.5)
  var url = URL(string: "https://example.com/a?b=c")
  var decimal = Decimal(string: "1234567890.0987654321")
  var none: Int?
  var nested: [[String: [Int]]] = [["a": [1], "": []], [:]]
  var keyed: [Int: String] = [1: "one"]
  var pairs = [Outline.circle(radius: 2), .line]
  var optional: [Int?] = [1, nil]
  var tree: JSONValue = .array([.null, .object(JSONObject()), .bool(true)])
}

@Suite("Values as trees, with no text in between")
struct TreeCoderTests {
  private func viaText(_ value: some Encodable) throws -> JSONValue {
    try JSONParser.parse([UInt8](JSONEncoder.sealing(with: .locked).encode(value)))
  }

  @Test("a tree is what the text of JSONEncoder says, and is read as JSONDecoder reads that")
  func sameAsText() throws {
    let all = Everything()
    let tree = try TreeEncoder().encode(all)
    #expect(try tree == viaText(all))
    #expect(try TreeDecoder().decode(Everything.self, from: tree) == all)
    let derived = Steamer()
    #expect(try TreeEncoder().encode(derived) == viaText(derived))
    #expect(try TreeDecoder().decode(Steamer.self, from: viaText(derived)).name == "base")
    #expect(try TreeEncoder().encode([1, 2]) == .array([1, 2]))
    #expect(try TreeEncoder().encode("text") == "text")
  }

  @Test(
    "what JSONDecoder refuses is refused, at the same place",
    arguments: [
      #"{"text":1}"#, #"{"flag":1}"#, #"{"numbers":["x"]}"#, #"{"integers":[1.5]}"#,
      #"{"integers":[9223372036854775808]}"#,
      #"{"unsigned":[-1]}"#, #"{"small":[128]}"#, #"{"bytes":"?"}"#, #"{"date":"yesterday"}"#,
      #"{"nested":[{"a":[null]}]}"#,
      #"{"pairs":[{"square":{}}]}"#, #"{"text":null}"#, #"{"url":5}"#, #"{"numbers":{}}"#, #"{"nested":[[]]}"#,
      #"{"numbers":[1e999]}"#, #"{"integers":[1e2,1.0]}"#, #"{"flag":"true"}"#, #"{"keyed":[]}"#, #"{"decimal":"1"}"#,
    ])
  func sameRefusals(_ text: String) throws {
    var object = try #require(try viaText(Everything()).object)
    for (name, value) in try #require(try JSONParser.parse([UInt8](text.utf8)).object) { object[name] = value }
    let bytes = Data(try JSONValue.object(object).compactBytes())
    let ours = Result { try TreeDecoder().decode(Everything.self, from: .object(object)) }
    let theirs = Result { try JSONDecoder.opening(with: .locked).decode(Everything.self, from: bytes) }
    switch (ours, theirs) {
    case (.success(let mine), .success(let other)): #expect(mine == other)
    case (.failure(let mine), .failure(let other)):
      // JSONDecoder does not say where a number is that does not fit.
      #expect([.root, CodingFailure(mine).path].contains(CodingFailure(other).path))
    default: Issue.record("\(text): \(ours) and \(theirs)")
    }
  }

  @Test("sealed members take the context, and without one say so")
  func sealing() throws {
    let context = try SealingContext(applicationKey: .random(count: 32), bound: ["test"])
    let secret: [String: EncryptedCodableString] = ["a": "marker"]
    let tree = try TreeEncoder(sealingWith: context).encode(secret)
    #expect(SealedToken.hasTokenShape(try #require(tree["a"]?.string)))
    #expect(try TreeDecoder(openingWith: context).decode([String: EncryptedCodableString].self, from: tree) == secret)
    #expect { try TreeEncoder().encode(secret) } throws: { $0.sealingError?.code == .noContext }
    #expect { try TreeDecoder().decode([String: EncryptedCodableString].self, from: tree) } throws: {
      $0.sealingError?.code == .noContext
    }
  }

  @Test("what has no form in JSON is refused without its value")
  func unencodable() throws {
    for value in [Double.nan, .infinity] { #expect(throws: EncodingError.self) { try TreeEncoder().encode(value) } }
    #expect(throws: EncodingError.self) { try TreeEncoder().encode(Date.distantPast.addingTimeInterval(-1e12)) }
  }
}
