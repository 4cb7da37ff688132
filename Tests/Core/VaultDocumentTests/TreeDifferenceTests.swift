import Testing
import VaultDocument

@Suite struct TreeDifferenceTests {
  @Test(
    "two trees differ in their leaves, each with its path and what it was and is",
    arguments: [
      (#"{"a":1,"b":{"c":"x"}}"#, #"{"a":1,"b":{"c":"y"}}"#, ["b.c: x → y"]),
      (#"{"a":1}"#, #"{"b":"x"}"#, ["a: 1 → -", "b: - → x"]),
      (#"{"a":{"b":1,"c":2}}"#, #"{"a":"x"}"#, ["a.b: 1 → -", "a.c: 2 → -", "a: - → x"]),
      (#"{"a":{}}"#, #"{"a":[]}"#, ["a: {} → []"]),
      (#"{"a":1.50}"#, #"{"a":1.5}"#, ["a: 1.50 → 1.5"]),
      // Unchanged items at the beginning and the end of a list are not a difference.
      (#"{"a":["x","y","z"]}"#, #"{"a":["y","z"]}"#, ["a[0]: x → -"]),
      (#"{"a":["x","z"]}"#, #"{"a":["x","y","z"]}"#, ["a[1]: - → y"]),
      (#"{"a":["x","x"]}"#, #"{"a":["x"]}"#, ["a[1]: x → -"]),
      (#"{"a":["x","y","z"]}"#, #"{"a":["q","z"]}"#, ["a[0]: x → q", "a[1]: y → -"]),
      (#"{"a":["x","y"]}"#, #"{"a":["y","x"]}"#, ["a[0]: x → y", "a[1]: y → x"]),
      // Two spellings of one text are two names.
      ("{\"\u{E9}\":1}", "{\"e\u{301}\":1}", ["e\u{301}: - → 1", "\u{E9}: 1 → -"]),
      (#"{"a":1}"#, #"{"a":1}"#, []),
    ])
  func leaves(_ old: String, _ new: String, _ expected: [String]) throws {
    let (old, new) = (try JSONParser.parse(Array(old.utf8)), try JSONParser.parse(Array(new.utf8)))
    func text(_ value: JSONValue?) throws -> String {
      guard let value else { return "-" }
      return try value.string ?? String(decoding: value.compactBytes(), as: UTF8.self)
    }
    let found = try new.differences(from: old).flatMap(\.leaves).map {
      "\($0.path): \(try text($0.before)) → \(try text($0.after))"
    }
    #expect(found.elementsEqual(expected) { Array($0.utf8) == Array($1.utf8) }, "\(found)")
    #expect(old.differences(from: new).flatMap(\.leaves).count == expected.count, "as many in the other direction")
  }

  @Test("what came or went as a whole is one difference")
  func whole() throws {
    let (old, new) = (try JSONParser.parse(Array("{}".utf8)), try JSONParser.parse(Array(#"{"a":[1,{"b":2}]}"#.utf8)))
    #expect(new.differences(from: old) == [TreeDifference(path: .root.appending("a"), before: nil, after: new["a"])])
    #expect(old.differences(from: new).flatMap(\.leaves).map(\.path.description) == ["a[0]", "a[1].b"])
  }
}
