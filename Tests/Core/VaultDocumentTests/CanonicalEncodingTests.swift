import Testing
import VaultDocument
import VaultTestSupport

@Suite struct CanonicalEncodingTests {
  @Test("ENC is the counted label, the number of items, then each counted item")
  func enc() {
    #expect(Hex.encode(CanonicalEncoding.enc("ab")) == "000000026162" + "00000000")
    #expect(
      Hex.encode(CanonicalEncoding.enc("ab", [[1, 2, 3], []])) == "000000026162" + "00000002" + "00000003010203"
        + "00000000")
  }

  @Test("ENC of other items is other bytes, also where a join would be the same")
  func injective() {
    let encodings = [
      CanonicalEncoding.enc("a", [[1, 2], [3]]), CanonicalEncoding.enc("a", [[1], [2, 3]]),
      CanonicalEncoding.enc("a", [[1, 2, 3]]), CanonicalEncoding.enc("a", [[1, 2, 3], []]),
      CanonicalEncoding.enc("a"), CanonicalEncoding.enc("a", [[]]), CanonicalEncoding.enc("ab", [[1, 2, 3]]),
    ]
    #expect(Set(encodings).count == encodings.count)
  }

  @Test("a builder gives the bytes that ENC of finished items gives")
  func builder() throws {
    let id = Identifier.random()
    let value = try json(#"{"a":[1,"x"]}"#)
    var builder = CanonicalEncoding.Builder("ecv/1/record-mac", itemCount: 4)
    builder.append(id)
    builder.append("text")
    builder.append([UInt8](repeating: 7, count: 300))
    builder.append(canonical: value)
    let items = [id.bytes, Array("text".utf8), [UInt8](repeating: 7, count: 300), value.canonicalBytes()]
    #expect(builder.finish() == CanonicalEncoding.enc("ecv/1/record-mac", items))
  }

  @Test("a builder that is given another number of items than announced stops the program")
  func wrongCount() async {
    await #expect(processExitsWith: .failure) {
      let builder = CanonicalEncoding.Builder("label", itemCount: 1)
      _ = builder.finish()
    }
  }

  @Test(
    "T of each type",
    arguments: [
      ("null", "00"), ("false", "01"), ("true", "02"), ("1.50", "0300000004312e3530"), (#""é""#, "0400000002c3a9"),
      (#""\u0000""#, "040000000100"), ("[]", "0500000000"), ("{}", "0600000000"),
      ("[null,[true]]", "0500000002000500000001" + "02"),
      (
        #"{"b":1,"a":{"":null}}"#,
        "0600000002" + "0000000161" + "0600000001" + "00000000" + "00" + "0000000162" + "030000000131"
      ),
    ])
  func tree(text: String, hex: String) throws { #expect(Hex.encode(try json(text).canonicalBytes()) == hex) }

  @Test("T does not depend on white space or on the order of members, and on nothing else")
  func independence() throws {
    let value = try json(#"{"a":1,"b":[true,"x"]}"#)
    #expect(try json("{\n \"b\" : [ true , \"\\u0078\" ] , \"a\" : 1 }").canonicalBytes() == value.canonicalBytes())
    for other in [#"{"a":1.0,"b":[true,"x"]}"#, #"{"a":"1","b":[true,"x"]}"#, #"{"a":1,"b":["x",true]}"#, #"{"a":1}"#] {
      #expect(try json(other).canonicalBytes() != value.canonicalBytes())
    }
    #expect(try json("\"\u{e9}\"").canonicalBytes() != json("\"e\u{301}\"").canonicalBytes())
  }

  @Test("two random trees have the same T exactly when they are equal")
  func randomTrees() throws {
    var generator = SeededGenerator.announced(for: "T of random trees")
    var seen: [[UInt8]: JSONValue] = [:]
    for _ in 0..<3_000 {
      let value = try RandomTree.value(depth: 3, using: &generator)
      let bytes = value.canonicalBytes()
      if let other = seen.updateValue(value, forKey: bytes) { #expect(other == value) }
      #expect(try JSONParser.parse(try value.compactBytes()).canonicalBytes() == bytes)
    }
  }

  @Test("T of a tree too deep to write needs no deep recursion")
  func deep() {
    var value = JSONValue.null
    for _ in 0..<1_000 { value = .array([value]) }
    #expect(value.canonicalBytes().count == 5_001)
  }
}
