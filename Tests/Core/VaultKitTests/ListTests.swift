import Testing
import VaultCrypto
import VaultDocument
import VaultSealing
import VaultKit

@Suite("Lists: a head, and items line by line")
struct ListTests {
  private static let file = "list.jsonl"

  private func text(_ items: [String], _ members: JSONObject = JSONObject()) throws -> [UInt8] {
    let lines = items.flatMap { Array($0.utf8) + [UInt8(ascii: "\n")] }
    var hasher = try ItemHasher()
    try hasher.take(lines)
    return ListHead(members, itemHash: try hasher.finish(), file: Self.file).line + lines
  }

  private func read(_ bytes: [UInt8], piece: Int = .max) throws(VaultError) -> [String] {
    var (items, rest): ([String], ArraySlice<UInt8>) = ([], bytes[...])
    var reader = try ListReader(file: Self.file)
    while !rest.isEmpty {
      try reader.take(Array(rest.prefix(piece))) { items.append(String(decoding: $0, as: UTF8.self)) }
      rest = rest.dropFirst(piece)
    }
    _ = try reader.finish()
    return items
  }

  @Test("its items are the same in pieces of any size", arguments: [1, 2, 7, 64, 100, Int.max])
  func pieces(_ size: Int) throws {
    let long = "[\"" + String(repeating: "é", count: 2000) + "\"]"
    for items in [[], ["[]"], ["[1]", long, "[2]"], (0..<50).map { "[\($0)]" }] {
      #expect(try read(text(items), piece: size) == items)
    }
  }

  @Test("whatever is not written so is refused, in pieces of any size", arguments: [1, 64, Int.max])
  func refused(_ size: Int) throws {
    let good = String(decoding: try text(["[1]", "[2]"]), as: UTF8.self)
    let lines = good.split(separator: "\n").map(String.init)
    let broken = [
      "", "\n", "{}", "{}\n", "[]\n", "[1]\n[2]\n", lines[0], lines[0] + "\n", lines[0] + "\n[1]\n",
      lines[0] + "\n[2]\n[1]\n", String(good.dropLast()), good + "\n", good + "[3]\n", good + good, " " + good,
      "\n" + good,
      "\u{FEFF}" + good, good.replacing("\n", with: "\r\n"), good.replacing(":", with: ": "),
      good.replacing("[1]", with: "[ 1]"), good.replacing("[2]", with: "2"), good.replacing("[2]", with: "{}"),
      String(decoding: try text(["1"]), as: UTF8.self), String(decoding: try text([""]), as: UTF8.self),
      String(decoding: try text(["[" + String(repeating: "1", count: 5000) + "]"]), as: UTF8.self),
      "{\"items\":\"" + String(repeating: "0", count: 70_000) + "\"}\n",
    ]
    for text in broken {
      #expect(throws: VaultError(.damaged, ""), "\(text.prefix(80))") { try read(Array(text.utf8), piece: size) }
    }
  }

  @Test("a list of a newer format is told as such, whatever else there is")
  func newer() throws {
    for head in ["{\"format\":2}", "{ \"unknown\" : [1], \"format\" : 2 }"] {
      for rest in ["", "[1]\n", "{}\n", "no line"] {
        let text = Array((head + "\n" + rest).utf8)
        #expect(throws: VaultError(.newerFormat, "")) { try read(text) }
        #expect(throws: VaultError(.newerFormat, "")) { try Checkpoint(parsing: text) }
      }
    }
  }

  @Test("both sides of a conflict of git are told as such, at the head and among the items")
  func conflicts() throws {
    let good = String(decoding: try text(["[1]", "[2]"]), as: UTF8.self)
    for text in [
      "<<<<<<< HEAD\n" + good, good.replacing("[2]\n", with: "<<<<<<< HEAD\n[2]\n=======\n[3]\n>>>>>>> other\n"),
    ] {
      let error = #expect(throws: VaultError.self) { try read(Array(text.utf8)) }
      #expect(error?.reason.contains("conflict") == true)
    }
  }

  @Test("it authenticates under its root key and as its kind of list alone; its hash is the same under any")
  func authentication() throws {
    let vaultID = VaultID.random()
    let (root, other) = (try RootKey.random(vaultID: vaultID), try RootKey.random(vaultID: vaultID))
    let plain = ListHead(JSONObject(), itemHash: [UInt8](repeating: 7, count: 32), file: Self.file)
    let head = try plain.authenticated(as: .checkpoint, under: root)
    try head.authenticate(as: .checkpoint, under: root)
    let again = try ListHead(parsing: head.line.dropLast(), file: Self.file)
    try again.authenticate(as: .checkpoint, under: root)
    #expect(throws: VaultError(.damaged, "")) { try head.authenticate(as: .checkpoint, under: other) }
    #expect(throws: VaultError(.damaged, "")) { try head.authenticate(as: .backupList, under: root) }
    let renewed = try head.authenticated(as: .checkpoint, under: other)
    #expect(try renewed.hash() == head.hash())
    #expect(renewed.line != head.line)
    let another = ListHead(JSONObject(), itemHash: [UInt8](repeating: 8, count: 32), file: Self.file)
    #expect(try another.authenticated(as: .checkpoint, under: root).hash() != head.hash())
  }
}
