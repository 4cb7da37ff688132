import Testing
import VaultDocument
import VaultTestSupport
import VaultIndex

@Suite("The texts of a folder") struct RecordTextTests {
  private func text(_ values: String..., flag: Bool? = nil) -> RecordText {
    var text = RecordText()
    for value in values { text.add(value) }
    if let flag { text.add(flag) }
    return text
  }

  private func id(_ number: UInt8) -> RecordID { RecordID(bytes: [number] + [UInt8](repeating: 7, count: 15)) }

  private func folder(_ texts: RecordText...) throws -> IndexedFolder {
    var folder = IndexedFolder(IndexMark(nil, readAt: .now()))
    for (number, text) in zip(UInt8.min..., texts) {
      let row = IndexRow(id: id(number), kind: "login", name: "", revision: 1, createdAt: .now(), updatedAt: .now())
      folder.append(row, mark: folder.mark, text: text)
    }
    return folder
  }

  private func found(_ probes: [String], in folder: IndexedFolder) -> [Int] {
    folder.search(probes.map { IndexProbe(Array($0.utf8), where: nil) })
  }

  @Test("every record is found by every part of every value, and by no other")
  func search() throws {
    let folder = try folder(text("Ada Lovelace", "Paris"), text(), text("Grace", "Arlington"), text("PARIS", "Ada"))
    #expect(found(["paris"], in: folder) == [0, 3])
    #expect(found(["ada", "paris"], in: folder) == [0, 3])
    #expect(found(["e"], in: folder) == [0, 2])
    #expect(found(["eparis"], in: folder).isEmpty, "values do not run together")
    #expect(found(["adagrace"], in: folder).isEmpty, "records do not run together")
    #expect(found(["arlington"], in: folder) == [2])
    #expect(found([""], in: folder) == [0, 1, 2, 3], "an empty probe says nothing")
    #expect(found(["ada", ""], in: folder) == [0, 3])
    #expect(found(["zed", "ada"], in: folder).isEmpty)
    #expect(try found(["ada"], in: self.folder()).isEmpty)
  }

  @Test("a value that may not be in normal form C makes its record a candidate of every search")
  func irregular() throws {
    let folder = try folder(text("Zoe\u{308}"), text("Zo\u{EB}"), text("Zoe"))
    #expect(found(["zo\u{EB}"], in: folder) == [0, 1])
    #expect(found(["paris"], in: folder) == [0])
    #expect(RecordText.key(of: "Zoe\u{308}") == nil)
    #expect(RecordText.key(of: "ZO\u{CB}") == Array("zo\u{EB}".utf8))
  }

  @Test("true and false are candidates, but no text finds them")
  func flags() throws {
    let text = text("x", flag: true)
    #expect(try found(["true"], in: folder(text)) == [0])
    let probe = Array("true".utf8)
    #expect(unsafe !text.bytes.withUnsafeBytes { unsafe RecordText.contains($0, probe: probe) { $0 == "true" } })
    #expect(
      unsafe self.text("true").bytes.withUnsafeBytes { unsafe RecordText.contains($0, probe: probe) { $0 == "true" } })
  }
}
