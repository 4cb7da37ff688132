import Testing
import VaultDocument
import VaultTestSupport

@Suite("Reading along a tree") struct JSONMatcherTests {
  @Test("what is written reads as the tree it was written from, and as no other")
  func written() throws {
    var random = SeededGenerator(seed: 41)
    var trees: [JSONValue] = []
    for _ in 0..<300 { trees.append(try RandomTree.value(depth: 4, using: &random)) }
    for (index, tree) in trees.enumerated() {
      let other = trees[(index + 1) % trees.count]
      for bytes in [try tree.prettyBytes(), try tree.compactBytes()] {
        #expect(JSONParser.reads(bytes, as: tree))
        #expect(JSONParser.reads(bytes, as: other) == (tree == other))
      }
    }
  }

  @Test("a tree is pretty in its own printed form, and in no other bytes")
  func pretty() throws {
    var random = SeededGenerator(seed: 43)
    for _ in 0..<300 {
      let tree = try RandomTree.value(depth: 4, using: &random)
      let bytes = try tree.prettyBytes()
      #expect(tree.isPretty(bytes))
      #expect(!tree.isPretty(try tree.compactBytes()) && !tree.isPretty(bytes + bytes) && !tree.isPretty([]))
      for _ in 0..<20 {
        let index = Int.random(in: bytes.indices, using: &random)
        var (changed, added, removed) = (bytes, bytes, bytes)
        changed[index] = UInt8.random(in: .min ... .max, using: &random)
        added.insert(UInt8.random(in: .min ... .max, using: &random), at: index)
        removed.remove(at: index)
        for other in [changed, added, removed] { #expect(tree.isPretty(other) == (other == bytes)) }
      }
    }
  }

  @Test("a byte that is changed, removed or added is noticed exactly when the parser reads another tree")
  func everyByte() throws {
    let tree = try JSONParser.parse(
      #"{"a" : [1, 20.5e3, true, null, "x\"\\\ny"], "b" : {"c" : "\u00e9", "d" : [], "e" : {}}, "f" : false}"#)
    let bytes = try tree.prettyBytes()
    for index in bytes.indices {
      for byte in Array(" 1\"\\,".utf8) + [0, 0xFF] {
        var changed = bytes
        changed[index] = byte
        var added = bytes
        added.insert(byte, at: index)
        for bytes in [changed, added] {
          #expect(JSONParser.reads(bytes, as: tree) == ((try? JSONParser.parse(bytes)) == tree), "\(byte) at \(index)")
        }
      }
      var removed = bytes
      removed.remove(at: index)
      #expect(JSONParser.reads(removed, as: tree) == ((try? JSONParser.parse(removed)) == tree), "without \(index)")
      // The newline at the end may be missing.
      #expect(JSONParser.reads(Array(bytes[..<index]), as: tree) == (index == bytes.count - 1), "the first \(index)")
    }
  }

  @Test("escapes that say the same are the same; members in another order are not")
  func spelling() throws {
    let tree = try JSONParser.parse(#"{"a" : "/é", "b" : 1}"#)
    #expect(JSONParser.reads(Array(#"{"\u0061":"\/\u00e9","b":1}"#.utf8), as: tree))
    #expect(!JSONParser.reads(Array(#"{"b":1,"a":"/é"}"#.utf8), as: tree))
    #expect(!JSONParser.reads(Array(#"{"a":"/é","b":1.0}"#.utf8), as: tree))
    #expect(!JSONParser.reads(Array(#"{"a":"/é","b":1}x"#.utf8), as: tree))
  }
}
