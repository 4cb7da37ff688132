import Testing
import VaultDocument
import VaultSealing

@testable import VaultKit

@Suite("Checkpoints: their file without a tree")
struct CheckpointWriterTests {
  private func checkpoint(_ count: Int, following predecessor: Checkpoint? = nil) throws -> Checkpoint {
    let entries = (0..<count).map { number in
      RecordVersion(
        id: .random(), revision: number % 7 == 0 ? 1_234_567 : number + 1,
        mac: (0..<32).map { _ in .random(in: .min ... .max) })
    }
    return try Checkpoint.make(
      following: predecessor, of: VersionList(entries), headerHash: Array(repeating: 9, count: 32), createdAt: .now(),
      under: .random(vaultID: .random()))
  }

  private func tree(_ bytes: [UInt8]) throws -> JSONObject {
    try #require(try JSONParser.parse(bytes, limits: .list).object)
  }

  private func encoding(_ writer: CheckpointWriter, withMAC: Bool) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try writer.forEachTreePiece(withMAC: withMAC) { bytes += $0 }
    return bytes
  }

  @Test(
    "the text is what the tree prints, and the encoding that of the tree", arguments: [0, 1, 2, 1023, 1024, 1025, 1500])
  func sameAsTree(_ count: Int) throws {
    for made in [try checkpoint(count), try checkpoint(count, following: checkpoint(1))] {
      let writer = CheckpointWriter(checkpoint: made)
      let text = try made.fileBytes()
      #expect(try writer.textByteCount() == text.count)
      var document = try tree(text)
      #expect(try JSONValue.object(document).prettyBytes(limits: .list) == text)
      #expect(try JSONValue.object(document).canonicalBytes() == encoding(writer, withMAC: true))
      document["mac"] = nil
      let encoded = try encoding(writer, withMAC: false)
      #expect(JSONValue.object(document).canonicalBytes() == encoded)
      #expect(try writer.treeByteCount() == encoded.count)
      #expect(try Checkpoint(parsing: text).entries.all() == made.entries.all())
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
    #expect(try Checkpoint(parsing: Array((text + "}").utf8)).entries.all() == made.entries.all())
  }

  @Test("a record that stands twice, a line that is none, and a list that is none are refused")
  func refusals() throws {
    let made = try checkpoint(2)
    let text = String(decoding: try made.fileBytes(), as: UTF8.self)
    let ids = try made.entries.all().map(\.id.text)
    let (first, second) = (ids[0], ids[1])
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
