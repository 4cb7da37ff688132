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
