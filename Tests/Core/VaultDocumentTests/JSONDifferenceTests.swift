import Testing
import VaultDocument
import VaultTestSupport

@Suite struct JSONDifferenceTests {
  @Test(
    "only what differs between base and new reaches the old tree",
    arguments: [
      // old, base, new, result
      (#"{"a":1.50,"b":"x"}"#, #"{"a":1.5,"b":"x"}"#, #"{"a":1.5,"b":"y"}"#, #"{"a":1.50,"b":"y"}"#),
      (#"{"a":1.50}"#, #"{"a":1.5}"#, #"{"a":2}"#, #"{"a":2}"#),
      (
        #"{"n":12345678901234567890}"#, #"{"n":1.2345678901234567e19}"#, #"{"n":1.2345678901234567e19}"#,
        #"{"n":12345678901234567890}"#
      ),
      // Members that the type does not know stay; known ones that became nil go.
      (#"{"a":1,"x":{"y":[1]}}"#, #"{"a":1}"#, #"{"a":2}"#, #"{"a":2,"x":{"y":[1]}}"#),
      (#"{"a":1,"o":2}"#, #"{"a":1,"o":2}"#, #"{"a":1}"#, #"{"a":1}"#),
      (#"{"a":1,"o":null}"#, #"{"a":1}"#, #"{"a":1}"#, #"{"a":1,"o":null}"#),
      (#"{"a":1}"#, #"{"a":1}"#, #"{"a":1,"o":2}"#, #"{"a":1,"o":2}"#),
      // So they do inside an object that comes or goes as a whole.
      (#"{"o":{"a":1,"u":1}}"#, #"{"o":{"a":1}}"#, "{}", #"{"o":{"u":1}}"#),
      (#"{"o":{"a":{"b":1}}}"#, #"{"o":{"a":{"b":1}}}"#, "{}", "{}"),
      (#"{"o":{"u":1}}"#, "{}", #"{"o":{"a":1}}"#, #"{"o":{"a":1,"u":1}}"#),
      // A default that decoding fills in is not written until it is changed.
      (#"{"a":1}"#, #"{"a":1,"d":0}"#, #"{"a":1,"d":0}"#, #"{"a":1}"#),
      (#"{"a":1}"#, #"{"a":1,"d":0}"#, #"{"a":1,"d":5}"#, #"{"a":1,"d":5}"#),
      // Arrays of equal length item by item, else whole.
      (#"{"l":[1.0,2.0]}"#, #"{"l":[1,2]}"#, #"{"l":[1,3]}"#, #"{"l":[1.0,3]}"#),
      (#"{"l":[1.0,2.0]}"#, #"{"l":[1,2]}"#, #"{"l":[1,2,3]}"#, #"{"l":[1,2,3]}"#),
      (#"{"l":[1.0,2.0]}"#, #"{"l":[1,2]}"#, #"{"l":[1,2]}"#, #"{"l":[1.0,2.0]}"#),
      (#"{"l":[{"u":1,"a":1}]}"#, #"{"l":[{"a":1}]}"#, #"{"l":[{"a":2}]}"#, #"{"l":[{"a":2,"u":1}]}"#),
      // A value that decoding turns into another type keeps its form until it is changed.
      (#"{"zip":87112}"#, #"{"zip":"87112"}"#, #"{"zip":"87112"}"#, #"{"zip":87112}"#),
      (#"{"zip":87112}"#, #"{"zip":"87112"}"#, #"{"zip":"1"}"#, #"{"zip":"1"}"#),
      (#"{"o":{"u":1,"a":1}}"#, #"{"o":{"a":1}}"#, #"{"o":"s"}"#, #"{"o":"s"}"#),
      ("1.0", "1", "1", "1.0"), ("1.0", "1", "2", "2"),
    ])
  func rule(old: String, base: String, new: String, result: String) throws {
    #expect(try utf8(json(old).applying(differenceFrom: json(base), to: json(new)).compactBytes()) == result)
  }

  @Test("an edit from NFC to NFD is a change")
  func normalisation() throws {
    let old = try json("{\"a\":\"\u{e9}\"}")
    let new = try json("{\"a\":\"e\u{301}\"}")
    #expect(old.applying(differenceFrom: old, to: new) == new)
  }

  @Test("a member that the encoder spells in other bytes is the same member, under its old name")
  func spelling() throws {
    let old = try json("{\"e\u{301}\":1.0,\"x\":1}")
    let base = try json("{\"\u{e9}\":1}")
    #expect(old.applying(differenceFrom: base, to: base) == old)
    #expect(try old.applying(differenceFrom: base, to: json("{\"\u{e9}\":2}")) == json("{\"e\u{301}\":2,\"x\":1}"))
    #expect(try old.applying(differenceFrom: base, to: json("{}")) == json(#"{"x":1}"#))
  }

  @Test("with old as base the result is new; with new as base it is old")
  func identities() throws {
    var generator = SeededGenerator.announced(for: "differences of random trees")
    for _ in 0..<2_000 {
      let old = try RandomTree.value(depth: 4, using: &generator)
      let new = try RandomTree.value(depth: 4, using: &generator)
      #expect(old.applying(differenceFrom: new, to: new) == old)
      let result = old.applying(differenceFrom: old, to: new)
      // A name may keep the spelling that the old tree has.
      #expect(try JSONParser.parse(try result.prettyBytes()) == result)
      if !"\(utf8(try old.compactBytes()))".utf8.contains(where: { $0 >= 0x80 }) { #expect(result == new) }
    }
  }
}
