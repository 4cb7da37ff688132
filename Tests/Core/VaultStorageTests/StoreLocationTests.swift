import Testing
import VaultDocument
import VaultStorage

@Suite("Places of documents") struct StoreLocationTests {
  private let id = "ab000000-0000-0000-0000-0000000000ff"

  @Test("every place has one path, and the path leads back to it")
  func paths() throws {
    let id = try #require(Identifier(parsing: id))
    let expected: [StoreLocation: String] = [
      .header: "vault.json", .checkpoint: "checkpoint.jsonl", .slot(id): "slots/\(id).age",
      .record(id): "records/ab/\(id).json", .trash(id): "trash/\(id).json",
    ]
    for (location, path) in expected {
      #expect(location.relativePath == path)
      #expect(path.hasSuffix(location.fileName))
      #expect(StoreLocation(relativePath: path) == location)
    }
  }

  @Test(
    "a path in any other spelling leads nowhere",
    arguments: [
      "", "/", ".", "..", "vault.json/", "/vault.json", "./vault.json", "VAULT.JSON", "vault.jsonx", "slots", "slots/",
      "slots/ID.json", "slots/../vault.json", "trash/ID.age", "trash//ID.json", "trash/x/ID.json", "records/ID.json",
      "records/AB/ID.json", "records/ac/ID.json", "records/ab/ID.JSON", "records/ab/ID.json/",
      "records/ab/../ab/ID.json", "records/ab/ID.json\u{0}", "records/../../etc/passwd", "records/ab/ID",
      "other/ab/ID.json", "records/ab/ID.json\n",
    ])
  func otherSpellings(_ path: String) {
    let path = path.split(separator: "ID", omittingEmptySubsequences: false).joined(separator: id)
    #expect(StoreLocation(relativePath: path) == nil)
    #expect(StoreLocation(relativePath: path.uppercased()) == nil)
  }

  @Test("the checkpoint may take 512 MiB, everything else 16 MiB")
  func limits() throws {
    let id = try #require(Identifier(parsing: id))
    #expect(StoreLocation.checkpoint.byteLimit == 536_870_912)
    for location in [StoreLocation.header, .slot(id), .record(id), .trash(id)] {
      #expect(location.byteLimit == 16_777_216)
    }
  }
}
