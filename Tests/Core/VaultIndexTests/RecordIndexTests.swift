import Testing
import VaultDocument
import VaultStorage
import VaultTestSupport
import VaultIndex

@Suite("The files of an index") struct RecordIndexTests {
  private let temporary = TemporaryFolder()
  private var place: IndexPlace { IndexPlace(directory: temporary.path + "/cache/cvault", name: "ab") }
  private var file: String { place.path + "/03" }

  private func open(_ identity: [UInt8] = [1]) throws(TextFault) -> RecordIndex {
    try RecordIndex(at: place, identity: identity)
  }

  private let mark = IndexMark(
    StoreStamp(inode: 1, byteCount: 1, modified: 1, changed: 1), readAt: .now())

  private func id(_ number: UInt8) -> RecordID { RecordID(bytes: [3, number] + [UInt8](repeating: 0, count: 14)) }

  private func append(
    _ name: String, _ number: UInt8, kind: String = "login", at seconds: Int64 = 0, to folder: inout IndexedFolder
  ) throws {
    let time = try Timestamp(secondsSinceEpoch: seconds, nanoseconds: Int32(number))
    var text = RecordText()
    text.add(name)
    let row = IndexRow(
      id: id(number), kind: kind, name: name, revision: 2, createdAt: time, updatedAt: time)
    folder.append(row, mark: mark, text: text)
  }

  private func folder(_ names: String...) throws -> IndexedFolder {
    var folder = IndexedFolder(mark)
    for (number, name) in zip(UInt8.min..., names) { try append(name, number, to: &folder) }
    return folder
  }

  private func names(_ folder: IndexedFolder?) -> [String]? {
    folder.map { folder in folder.indices.map { folder.row($0).name } }
  }

  private func kept(_ identity: [UInt8] = [1]) throws -> [String]? {
    names(try open(identity).folder(3, withTexts: true))
  }

  @Test("a folder is read back as it was kept, with its texts or without")
  func roundTrip() throws {
    var written = try folder("Ada", "", "Zoe\u{308}")
    let time = try Timestamp(secondsSinceEpoch: -5, nanoseconds: 999_999_999)
    written.append(
      IndexRow(id: id(7), kind: "wifi", name: "last", revision: .max, createdAt: time, updatedAt: .now()), mark: mark,
      text: RecordText())
    written.append(watched: id(8), mark)
    try open().keep(written, as: 3)
    for withTexts in [true, false] {
      let read = try #require(try open().folder(3, withTexts: withTexts))
      #expect(read.texts == (withTexts ? written.texts : nil))
      #expect(read.entries.count == 5)
      #expect(read.indices.map(read.isWatched) == [false, false, false, false, true])
      #expect(names(read) == ["Ada", "", "Zoe\u{308}", "last", ""])
      #expect(read.key(0).map(Array.init) == Array("ada".utf8))
      #expect(read.key(2) == nil)
      #expect(!read.isOrderedByKey)
      let row = read.row(3)
      #expect(row.id == id(7))
      #expect(row.kind == "wifi")
      #expect(row.revision == .max)
      #expect(row.createdAt == time)
      #expect(row.updatedAt == written.row(3).updatedAt)
      #expect(
        read.mark(3).isCurrent(StoreStamp(inode: 1, byteCount: 1, modified: 1, changed: 1))
          == mark.isCurrent(
            StoreStamp(inode: 1, byteCount: 1, modified: 1, changed: 1)))
    }
    #expect(try open().folder(4, withTexts: true) == nil, "never kept")
    #expect(IndexPlace(directory: place.directory, name: "ab").byteCount == FileTree.contents(of: file)?.count)
  }

  @Test("what is kept replaces what was there, and some of it can be taken over")
  func updates() throws {
    let old = try folder("Ada", "Bea", "Cid")
    try open().keep(old, as: 3)
    var new = IndexedFolder(mark)
    new.append(0, of: old)
    try append("Adam", 1, to: &new)
    new.append(2, of: old)
    try open().keep(new, as: 3)
    #expect(try kept() == ["Ada", "Adam", "Cid"])
    let read = try #require(try open().folder(3, withTexts: true))
    #expect(read.search([IndexProbe("ad", fallback: []) { $0.contains("ad") }]) == [0, 1])
    #expect(read.search([IndexProbe("cid", fallback: [], where: nil)]) == [2])
    #expect(names(read.keeping([1])) == ["Adam"])
    #expect(names(read.keeping([])) == [])
  }

  @Test("folder and files are their owner's alone, and nothing else is left there")
  func modes() throws {
    try open().keep(folder("Ada"), as: 3)
    #expect(FileTree.mode(of: place.directory) == 0o700)
    #expect(FileTree.mode(of: place.path) == 0o700)
    #expect(FileTree.mode(of: file) == 0o600)
    #expect(FileTree.names(in: place.path) == ["03"])
  }

  @Test("what was kept of another vault or of another folder is as if it were not there")
  func identity() throws {
    try open().keep(folder("Ada"), as: 3)
    #expect(try kept() == ["Ada"])
    #expect(try kept([2]) == nil)
    #expect(try kept([1, 0]) == nil)
    FileTree.write(FileTree.contents(of: file) ?? [], to: place.path + "/04")
    FileTree.setMode(0o600, of: place.path + "/04")
    #expect(try open().folder(4, withTexts: false) == nil)
    try open([2]).keep(folder("Bea"), as: 3)
    #expect(try kept([2]) == ["Bea"])
  }

  @Test("a link, a hard link, a folder, or a file that others may read is not read, and a link is not followed")
  func foreignFiles() throws {
    try open().keep(folder("Ada"), as: 3)
    let other = temporary.path + "/other"
    let bytes = FileTree.contents(of: file) ?? []
    FileTree.write(bytes, to: other)
    FileTree.setMode(0o600, of: other)
    FileTree.remove(file)
    FileTree.link(file, to: other)
    #expect(try kept() == nil)
    try open().keep(folder("Bea"), as: 3)
    #expect(try kept() == ["Bea"])
    #expect(!FileTree.isLink(file))
    #expect(FileTree.contents(of: other) == bytes, "what the link led to was left alone")
    FileTree.setMode(0o640, of: file)
    #expect(try kept() == nil)
    FileTree.remove(file)
    FileTree.makeFolder(file)
    #expect(try kept() == nil)
    #expect(throws: TextFault.self) { try open().keep(folder("Ada"), as: 3) }
    for folder in [place.path, place.directory] {
      FileTree.setMode(0o755, of: folder)
      #expect(throws: TextFault.self) { try open() }
      FileTree.setMode(0o700, of: folder)
    }
    FileTree.remove(place.path)
    FileTree.link(place.path, to: temporary.path)
    #expect(throws: TextFault.self) { try open() }
  }

  @Test("a file in writing is left to its writer, and to nobody who died long ago")
  func writers() throws {
    try open().keep(folder("Ada"), as: 3)
    FileTree.write(Array("half".utf8), to: file + ".new")
    try open().keep(folder("Bea"), as: 3)
    #expect(try kept() == ["Ada"])
    FileTree.setTime(1_000_000_000, of: file + ".new")
    try open().keep(folder("Bea"), as: 3)
    #expect(try kept() == ["Bea"])
    #expect(FileTree.names(in: place.path) == ["03"])
  }

  @Test("any changed, missing or further byte of a file is noticed")
  func damage() throws {
    try open().keep(folder("Ada Lovelace", "Grace", "", "Zoe\u{308}"), as: 3)
    let good = FileTree.contents(of: file) ?? []
    let index = try open()
    func isNoticed(_ bytes: [UInt8]) -> Bool {
      FileTree.write(bytes, to: file)
      return index.folder(3, withTexts: true) == nil
    }
    for place in good.indices {
      for change in [UInt8(1), 0x80, 0xFF] {
        var damaged = good
        damaged[place] ^= change
        #expect(isNoticed(damaged), "byte \(place)")
      }
      #expect(isNoticed(Array(good.prefix(place))), "\(place) bytes")
    }
    #expect(isNoticed(good + [0]))
    #expect(isNoticed(Array("hello".utf8)))
    #expect(isNoticed([UInt8](repeating: 0xA5, count: 9000)))
    FileTree.write(good, to: file)
    #expect(index.folder(3, withTexts: true) != nil)
  }
}
