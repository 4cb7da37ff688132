import Testing
import VaultAgent
import VaultDocument
import VaultTestSupport

@Suite("Notes for the next lock")
struct AgentNoteTests {
  private let folder = TemporaryFolder()
  private var place: AgentPlace { AgentPlace(folder: folder.path + "/run/cvault") }
  private let first = VaultID.random()
  private let second = VaultID.random()

  private func leave(_ text: String, for vault: VaultID, named name: String) throws {
    try place.leave(JSONObject([("text", .string(text))]), for: vault, named: name)
  }

  private func texts() throws -> [String] { try place.notes().compactMap { $0.content["text"]?.string }.sorted() }

  @Test("notes are there until they are dropped, each for its vault, and the folder is its owner's alone")
  func kept() throws {
    #expect(try place.notes().isEmpty)
    try leave("one", for: first, named: "a1")
    try leave("two", for: first, named: "b2")
    try leave("three", for: second, named: "a1")
    try leave("four", for: first, named: "b2")
    #expect(try texts() == ["four", "one", "three"])
    #expect(FileTree.mode(of: place.folder) == 0o700)
    for name in FileTree.names(in: place.folder) { #expect(FileTree.mode(of: place.folder + "/" + name) == 0o600) }
    for note in try place.notes() where note.vault == first { place.drop(note) }
    #expect(try texts() == ["three"])
    #expect(try place.vaults().isEmpty, "a note is no agent")
  }

  @Test("what is no note is left alone; what a process that died has left goes with the next")
  func others() throws {
    try leave("one", for: first, named: "a1")
    let name = try #require(FileTree.names(in: place.folder).first)
    for (other, text) in [
      ("note-", "{}"), ("note-x-a1", "{}"), (name + "2", "[]"), (name + "3", "{"), ("agent-x", "{}"),
      (".\(name).00000000.tmp", "{\"text\":"),
    ] {
      FileTree.write(Array(text.utf8), to: place.folder + "/" + other)
    }
    #expect(try texts() == ["one"])
    try leave("two", for: first, named: "b2")
    #expect(try texts() == ["one", "two"])
    #expect(FileTree.names(in: place.folder).allSatisfy { !$0.hasSuffix(".tmp") })
    FileTree.setMode(0o777, of: place.folder)
    #expect(throws: AgentError.self) { try place.notes() }
    #expect(throws: AgentError.self) { try leave("three", for: first, named: "c3") }
  }
}
