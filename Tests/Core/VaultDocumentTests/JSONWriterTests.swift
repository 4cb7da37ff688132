import Testing
import VaultDocument
import VaultTestSupport

@Suite struct JSONWriterTests {
  @Test("the form of vault files: sorted members, two spaces, ' : ', slashes as they are, one final newline")
  func form() throws {
    let value = try json(#"{"b":{"c":[1,true,null]},"a":"x/y"}"#)
    let expected = """
      {
        "a" : "x/y",
        "b" : {
          "c" : [
            1,
            true,
            null
          ]
        }
      }

      """
    #expect(utf8(try value.prettyBytes()) == expected)
    #expect(utf8(try value.compactBytes()) == #"{"a":"x/y","b":{"c":[1,true,null]}}"#)
  }

  @Test("empty containers print as Foundation prints them")
  func emptyContainers() throws {
    let value = try json(#"{"a":[],"b":{},"c":[[],{}]}"#)
    #expect(utf8(try json("[]").prettyBytes()) == "[\n\n]\n")
    #expect(try value.prettyBytes(finalNewline: false) == foundationBytes(value))
    #expect(utf8(try value.compactBytes()) == #"{"a":[],"b":{},"c":[[],{}]}"#)
  }

  @Test("every scalar up to U+2FFF, alone in a string and in a name, prints as Foundation prints it")
  func everyScalar() throws {
    for number in UInt32(0)..<0x3000 {
      guard let scalar = Unicode.Scalar(number) else { continue }
      let value = JSONValue.object(try JSONObject([("x\(scalar)", .string("\(scalar)"))]))
      #expect(try value.prettyBytes(finalNewline: false) == foundationBytes(value), "U+\(String(number, radix: 16))")
    }
  }

  @Test("names are sorted by raw UTF-8 bytes, which is also what JSONEncoder does on Linux")
  func order() throws {
    // By canonical equivalence "e\u{301}" would come after "z"; by UTF-16 the last two would change places.
    let names = ["", "A", "a", "e\u{301}", "z", "\u{e9}t", "\u{ff5e}", "\u{1F600}"]
    let value = JSONValue.object(try JSONObject(names.reversed().map { ($0, .null) }))
    #expect(value.object?.names.map { Array($0.utf8) } == names.map { Array($0.utf8) })
    #expect(try value.prettyBytes(finalNewline: false) == foundationBytes(value))
  }

  @Test("random trees print to the bytes that JSONEncoder prints, and read back as they were")
  func randomTrees() throws {
    var generator = SeededGenerator.announced(for: "JSON writer against JSONEncoder")
    let count = 3_000
    for index in 0..<count {
      let value = try RandomTree.value(depth: 5, using: &generator)
      let written = try value.prettyBytes()
      #expect(try JSONParser.parse(written) == value, "tree \(index)")
      #expect(try JSONParser.parse(try value.compactBytes()) == value, "tree \(index)")
      #expect(try written.dropLast() == foundationBytes(value)[...], "tree \(index)")
      #expect(try value.compactBytes() == foundationBytes(value, pretty: false), "tree \(index)")
    }
    print("JSON writer against JSONEncoder: \(count) random trees run")
  }

  @Test("numbers are written as their literal")
  func numbers() throws {
    let text = "[1.50,12345678901234567890,1E+2,-0]"
    #expect(utf8(try json(text).compactBytes()) == text)
  }

  @Test("a tree deeper than 64 is not written")
  func tooDeep() {
    var value = JSONValue.null
    for _ in 0..<64 { value = .array([value]) }
    #expect(refusal { () throws(DocumentError) in try value.prettyBytes() } == .tooDeep)
    #expect(refusal { () throws(DocumentError) in try value.compactBytes() } == .tooDeep)
  }

  @Test("a tree that would be larger than the limit is not written")
  func tooLarge() throws {
    let limits = JSONLimits(byteCount: 6)
    #expect(try JSONValue.string("abcd").compactBytes(limits: limits).count == 6)
    #expect(
      refusal { () throws(DocumentError) in try JSONValue.string("abcde").compactBytes(limits: limits) } == .tooLarge)
    #expect(
      refusal { () throws(DocumentError) in try JSONValue.string("abcd").prettyBytes(limits: limits) } == .tooLarge)
  }

  @Test("canonically equivalent names that code has put side by side are not written")
  func equivalentNames() {
    var object = JSONObject()
    object["\u{e9}"] = 1
    object["e\u{301}"] = 2
    #expect(object.count == 2)
    #expect(refusal { () throws(DocumentError) in try JSONValue.object(object).prettyBytes() } == .duplicateMember)
  }
}
