import Testing
import VaultDocument
import VaultKit
import VaultStorage

@testable import VaultBackup

@Suite("The list of a backup, read as it comes")
struct BackupListTests {
  private let files: FileList
  private let summary: FileSummary
  private let head: BackupList.Head
  private static let mac = [UInt8](repeating: 7, count: 32)

  init() async throws {
    let bench = try await BackupBench(records: 0)
    var files = FileList()
    let places = [StoreLocation.header] + (0..<3).map { StoreLocation.record(Self.id($0)) } + [.trash(Self.id(9))]
    for (number, place) in places.enumerated() {
      files.append(try BackupList.File(.document(place), Array("file \(number)".utf8)))
    }
    files.append(try BackupList.File(.gitFile(".gitignore"), []))
    self.files = files
    let tally = try FileTally()
    for file in files { try tally.take(file) }
    summary = try tally.finish()
    head = BackupList.Head(of: bench.vault.header, createdAt: try Timestamp(parsing: "2026-11-21T01:40:28Z"))
  }

  private static func id(_ number: UInt8) -> RecordID { RecordID(bytes: [UInt8](repeating: number, count: 16)) }

  private var text: String {
    let writer = BackupListWriter(files: files, head: head)
    var bytes: [UInt8] = []
    #expect(throws: Never.self) { try writer.forEachPieceOfText { bytes += $0 } }
    bytes += head.textEnd(mac: Self.mac)
    #expect(bytes.count == writer.byteCount)
    return String(decoding: bytes, as: UTF8.self)
  }

  @discardableResult
  private func read(_ text: String, piece: Int = .max) throws(VaultError) -> BackupList {
    var reader = try BackupListReader(expecting: summary)
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      try reader.take(Array(rest.prefix(piece)))
      rest = rest.dropFirst(piece)
    }
    return try reader.finish()
  }

  @Test("a list says the same in pieces of any size", arguments: [1, 2, 7, 64, 500, Int.max])
  func pieces(_ size: Int) throws {
    let list = try read(text, piece: size)
    #expect(list.mac == Self.mac)
    #expect(list.head.root.utf8.elementsEqual(head.root.utf8))
    #expect(list.createdAt.text == "2026-11-21T01:40:28Z")
  }

  @Test("a list in another form of JSON says the same", arguments: [3, 64, Int.max])
  func forms(_ size: Int) throws {
    let spaced = text.replacing(",", with: " ,\r\n\t  ").replacing(":{", with: " : {").replacing("[", with: " [ \n")
    let escaped = text.replacing("records/", with: #"\u0072ecords\/"#).replacing("\"files\"", with: #""f\u0069les""#)
    let document = try #require(try JSONParser.parse(text).object)
    let members = try document.reversed().map { name, value in
      "\"\(name)\":" + String(decoding: try value.compactBytes(), as: UTF8.self)
    }
    for form in [spaced, " \n" + spaced + "\n\n", escaped, "{" + members.joined(separator: ",") + "}"] {
      #expect(try read(form, piece: size).mac == Self.mac)
    }
  }

  @Test("what is no list of these files in JSON is refused, in pieces of any size", arguments: [1, 64, Int.max])
  func refused(_ size: Int) throws {
    let entry = #"{"path":"records/00/"#
    let faults = [
      "", "[]", "[[]]", "{}", "{\"files\":[]}", "\u{FEFF}" + text, text + "x", text + text, "[" + text + "]",
      text.replacing("[", with: "[,"), text.replacing("]", with: ",]"), text.replacing("},{", with: "},,{"),
      text.replacing("},{", with: "}{"), text.replacing("},{", with: "} {"), text.replacing("]", with: "}"),
      text.replacing("]", with: "]]"), text.replacing("[", with: "[["), text.replacing("[", with: "{"),
      text.replacing("\"size\":6", with: "\"size\":6 0"), text.replacing("\"size\":6", with: "\"size\":6.0"),
      text.replacing("\"size\":6", with: "\"size\":6,\"size\":6"), text.replacing("\"size\":6", with: "\"size\":[6]"),
      text.replacing(entry, with: "null," + entry), text.replacing(entry, with: "\"" + entry),
      text.replacing("\"format\"", with: "\"files\":[],\"format\""), text.replacing("\"files\"", with: "\"more\""),
      text.replacing("\"format\"", with: "\"more\":[],\"format\""),
      text.replacing("\"format\"", with: "\"format\":1,\"format\""),
      String(text.dropLast()), text.replacing("[", with: "[\"" + String(repeating: "x", count: 5000) + "\","),
      text.replacing("\"format\"", with: "\"" + String(repeating: "x", count: 70_000) + "\":1,\"format\""),
    ]
    for fault in faults {
      #expect(throws: VaultError.self, "\(fault.prefix(200))") { try read(fault, piece: size) }
    }
  }

  @Test("files in another order, twice, left out or of another content are refused", arguments: [1, 64, Int.max])
  func otherFiles(_ size: Int) throws {
    let start = try #require(text.firstRange(of: "[{")).upperBound
    let end = try #require(text.firstRange(of: "}]")).lowerBound
    let entries = text[start..<end].split(separator: "},{").map(String.init)
    func list(_ entries: [String]) -> String {
      String(text[..<start]) + entries.joined(separator: "},{") + String(text[end...])
    }
    #expect(try read(list(entries), piece: size).mac == Self.mac)
    // The .gitignore, three records, one in the trash, the header.
    try #require(entries.count == 6)
    var swapped = entries
    swapped.swapAt(1, 2)
    let other = entries.map { entry -> String in
      let (head, digits) = (entry.prefix { $0 != "0" }, entry.drop { $0 != "0" })
      return head + "1" + digits.dropFirst()
    }
    let turned = Array(entries[1...] + entries[..<1])
    let (doubled, more) = (Array(entries[..<2] + entries[1...]), Array(entries + entries[5...]))
    let orders: [[String]] = [
      swapped, turned, entries.reversed(), more, doubled, Array(entries.dropFirst()), Array(entries.dropLast()), other,
    ]
    for order in orders {
      #expect(throws: VaultError.self, "\(order)") { try read(list(order), piece: size) }
    }
  }

  @Test("what tells files apart is different with one id, kind, hash, size or file changed")
  func summaries() throws {
    let (hash, otherHash) = (try FileHash(of: [1]), try FileHash(of: [2]))
    func file(_ place: StoreLocation, _ size: Int, _ hash: FileHash) -> BackupList.File {
      BackupList.File(.document(place), byteCount: size, sha256: hash)
    }
    func tallied(_ files: [BackupList.File]) throws -> FileSummary {
      let tally = try FileTally()
      for file in files { try tally.take(file) }
      return try tally.finish()
    }
    let second = StoreLocation.record(Self.id(2))
    let (one, two) = (file(.record(Self.id(1)), 1, hash), file(second, 1, hash))
    let third = file(.record(Self.id(3)), 1, hash)
    let own = try tallied([one, two])
    let others: [[BackupList.File]] = [
      [], [one], [one, two, third], [two, one], [one, third], [one, file(.trash(Self.id(2)), 1, hash)],
      [one, file(second, 2, hash)], [one, file(second, 1, otherHash)],
    ]
    #expect(try tallied([one, two]) == own)
    for other in others { #expect(try tallied(other) != own) }
  }

  @Test("a list of a later format is told as such, whatever its entries are")
  func laterFormat() throws {
    let later = text.replacing("\"format\":1", with: "\"format\":2").replacing("\"size\"", with: "\"bytes\"")
    let error = #expect(throws: VaultError.self) { try read(later) }
    #expect(error?.code == .newerFormat)
  }

  @Test("the MAC covers the tree that the text has")
  func mac() async throws {
    let bench = try await BackupBench(records: 0)
    let key = bench.vault.backupListKey
    let document = try #require(try JSONParser.parse(text).object)
    var members = document
    members["mac"] = nil
    let tree = JSONValue.object(members).canonicalBytes()
    let own = try BackupListWriter(files: files, head: head).mac(by: key)
    #expect(own == (try key.mac(treeByteCount: tree.count) { take throws(VaultError) in try take(tree) }))
  }
}
