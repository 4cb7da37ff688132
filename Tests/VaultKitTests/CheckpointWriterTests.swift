import Testing
import VaultDocument
import VaultSealing

@testable import VaultKit

@Suite("Checkpoints: their file without a tree")
struct CheckpointWriterTests {
  private func checkpoint(_ count: Int, following predecessor: Checkpoint? = nil) throws -> Checkpoint {
    let entries = (0..<count).map { number in
      Checkpoint.Entry(
        id: .random(), revision: number % 7 == 0 ? 1_234_567 : number + 1,
        mac: (0..<32).map { _ in .random(in: .min ... .max) })
    }
    return try Checkpoint.make(
      following: predecessor, of: entries, headerHash: Array(repeating: 9, count: 32), createdAt: .now(),
      under: .random(vaultID: .random()))
  }

  private func tree(_ bytes: [UInt8]) throws -> JSONObject {
    try #require(try JSONParser.parse(bytes, limits: .list).object)
  }

  @Test(
    "the text is what the tree prints, and the encoding that of the tree", arguments: [0, 1, 2, 511, 512, 513, 1500])
  func sameAsTree(_ count: Int) throws {
    for made in [try checkpoint(count), try checkpoint(count, following: checkpoint(1))] {
      let writer = CheckpointWriter(checkpoint: made)
      var document = try tree(writer.text())
      #expect(try JSONValue.object(document).prettyBytes(limits: .list) == writer.text())
      #expect(JSONValue.object(document).canonicalBytes() == writer.tree(withMAC: true).flatMap(\.self))
      document["mac"] = nil
      let encoded = writer.tree(withMAC: false).flatMap(\.self)
      #expect(JSONValue.object(document).canonicalBytes() == encoded)
      #expect(writer.treeByteCount == encoded.count)
      #expect(try Checkpoint(parsing: writer.text()).entries == made.entries)
    }
  }

  @Test("a list in another order is the same list")
  func order() throws {
    let made = try checkpoint(3)
    let document = try tree(made.fileBytes())
    let records = try #require(document["records"]?.object)
    var text = "{\"records\":{"
    text += try records.reversed().map {
      "\"\($0.name)\":\(String(decoding: try $0.value.compactBytes(), as: UTF8.self))"
    }
    .joined(separator: ",")
    text += "}"
    for (name, value) in document where name != "records" {
      text += ",\"\(name)\":\(String(decoding: try value.compactBytes(), as: UTF8.self))"
    }
    #expect(try Checkpoint(parsing: Array((text + "}").utf8)).entries == made.entries)
  }

  @Test("a record that stands twice, a line that is none, and a list that is none are refused")
  func refusals() throws {
    let made = try checkpoint(2)
    let text = String(decoding: try made.fileBytes(), as: UTF8.self)
    let (first, second) = (made.entries[0].id.text, made.entries[1].id.text)
    let broken = [
      text.replacing(second, with: first),
      text.replacing(first, with: "x" + first.dropFirst()),
      text.replacing("\"\(first)\" : [", with: "\"\(first)\" : [ 1,"),
      text.replacing("\"records\" : {", with: "\"records\" : [], \"others\" : {"),
      text.replacing("\"root\"", with: "\"records\" : {}, \"root\""),
      "[]", "", "{}",
    ]
    for text in broken {
      #expect(throws: VaultError(.damaged, "")) { try Checkpoint(parsing: Array(text.utf8)) }
    }
  }
}
