import Testing
import VaultDelivery
import VaultDocument
import VaultSystem
import VaultTestSupport

@Suite("Notes for the next lock")
struct KeyNoteTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.path + "/run/cvault" }
  private var notes: KeyNotes { KeyNotes(in: PrivateFolder(path)) }
  private let first = VaultID.random()
  private let second = VaultID.random()

  private func leave(_ text: String, for vault: VaultID, named name: String) throws {
    try notes.leave(JSONObject([("text", .string(text))]), for: vault, named: name)
  }

  private func texts() throws -> [String] { try notes.all().compactMap { $0.content["text"]?.string }.sorted() }

  @Test("notes are there until they are dropped, each for its vault, and the folder is its owner's alone")
  func kept() throws {
    #expect(try notes.all().isEmpty)
    try leave("one", for: first, named: "a1")
    try leave("two", for: first, named: "b2")
    try leave("three", for: second, named: "a1")
    try leave("four", for: first, named: "b2")
    #expect(try texts() == ["four", "one", "three"])
    #expect(FileTree.mode(of: path) == 0o700)
    for name in FileTree.names(in: path) { #expect(FileTree.mode(of: path + "/" + name) == 0o600) }
    for note in try notes.all() where note.vault == first { notes.drop(note) }
    #expect(try texts() == ["three"])
  }

  @Test("what is no note is left alone; what a process that died has left goes with the next")
  func others() throws {
    try leave("one", for: first, named: "a1")
    let name = try #require(FileTree.names(in: path).first)
    for (other, text) in [
      ("note-", "{}"), ("note-x-a1", "{}"), (name + "2", "[]"), (name + "3", "{"), ("agent-x", "{}"),
      (".\(name).00000000.tmp", "{\"text\":"),
    ] {
      FileTree.write(Array(text.utf8), to: path + "/" + other)
    }
    #expect(try texts() == ["one"])
    try leave("two", for: first, named: "b2")
    #expect(try texts() == ["one", "two"])
    #expect(FileTree.names(in: path).allSatisfy { !$0.hasSuffix(".tmp") })
    FileTree.setMode(0o777, of: path)
    #expect(throws: PrivateFolderError.self) { try notes.all() }
    #expect(throws: PrivateFolderError.self) { try leave("three", for: first, named: "c3") }
  }
}
