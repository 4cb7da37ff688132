import Testing
import VaultDocument
import VaultTestSupport

@testable import VaultIndex

@Suite("The texts of a folder in one piece") struct RecordTextTests {
  private func text(_ values: String..., flag: Bool? = nil) -> RecordText {
    var text = RecordText()
    for value in values { text.add(value) }
    if let flag { text.add(flag) }
    return text
  }

  private func id(_ number: UInt8) -> RecordID { RecordID(bytes: [number] + [UInt8](repeating: 7, count: 15)) }

  private func piece(_ texts: RecordText...) throws -> [UInt8] {
    try FolderTexts.encode(
      texts.enumerated().map {
        (id: id(UInt8($0.offset)), bytes: $0.element.bytes, isIrregular: $0.element.isIrregular)
      })
  }

  private func found(_ probes: [String], in piece: [UInt8]) throws -> [UInt8] {
    var found: [UInt8] = []
    try unsafe piece.withUnsafeBytes { (bytes) throws -> Void in
      unsafe try FolderTexts(bytes).search(probes.map { Array($0.utf8) }) { id, _ in found.append(id.folder) }
    }
    return found.sorted()
  }

  @Test("every record is found by every part of every value, and by no other")
  func search() throws {
    let piece = try piece(text("Ada Lovelace", "Paris"), text(), text("Grace", "Arlington"), text("PARIS", "Ada"))
    #expect(try found(["paris"], in: piece) == [0, 3])
    #expect(try found(["ada", "paris"], in: piece) == [0, 3])
    #expect(try found(["e"], in: piece) == [0, 2])
    #expect(try found(["eparis"], in: piece).isEmpty, "values do not run together")
    #expect(try found(["adagrace"], in: piece).isEmpty, "records do not run together")
    #expect(try found(["arlington"], in: piece) == [2])
    #expect(try found([""], in: piece) == [0, 1, 2, 3], "an empty probe says nothing")
    #expect(try found(["ada"], in: self.piece()).isEmpty)
  }

  @Test("a value that may not be in normal form C makes its record a candidate of every search")
  func irregular() throws {
    let piece = try piece(text("Zoe\u{308}"), text("Zo\u{EB}"), text("Zoe"))
    #expect(try found(["zo\u{EB}"], in: piece) == [0, 1])
    #expect(try found(["paris"], in: piece) == [0])
    #expect(RecordText.key(of: "Zoe\u{308}") == nil && RecordText.key(of: "ZO\u{CB}") == Array("zo\u{EB}".utf8))
  }

  @Test("true and false are candidates, but no text finds them")
  func flags() throws {
    let text = text("x", flag: true)
    #expect(try found(["true"], in: piece(text)) == [0])
    let probe = Array("true".utf8)
    #expect(unsafe !text.bytes.withUnsafeBytes { unsafe RecordText.contains($0, probe: probe) { $0 == "true" } })
    #expect(
      unsafe self.text("true").bytes.withUnsafeBytes { unsafe RecordText.contains($0, probe: probe) { $0 == "true" } })
  }

  @Test("a piece is read back as it was written")
  func roundTrip() throws {
    let texts = [text("a", "b"), text(), text("e\u{301}", flag: false)]
    let all = try unsafe piece(texts[0], texts[1], texts[2]).withUnsafeBytes { (bytes) throws in
      try unsafe FolderTexts(bytes).all
    }
    for (number, text) in texts.enumerated() {
      let read = try #require(all[id(UInt8(number))])
      #expect(read.bytes == text.bytes && read.isIrregular == text.isIrregular)
    }
    #expect(all.count == 3)
  }

  @Test("any changed or missing byte of a piece is noticed")
  func damage() throws {
    let piece = try piece(text("Ada Lovelace", "Paris"), text("Grace", "Arlington"), text("PARIS"))
    for index in piece.indices {
      for change in [UInt8(1), 0x80, 0xFF] {
        var damaged = piece
        damaged[index] ^= change
        #expect(throws: IndexFailure.self, "byte \(index)") { try found(["ada"], in: damaged) }
      }
      #expect(throws: IndexFailure.self, "\(index) bytes") { try found(["ada"], in: Array(piece.prefix(index))) }
    }
  }
}
