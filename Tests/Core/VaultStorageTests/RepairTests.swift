import Testing
import VaultDocument
import VaultFileStore
import VaultStorage
import VaultTestSupport

@Suite("What a repair needs of the store") struct StoreRepairTests {
  private let id = RecordID(bytes: [0xab] + Array(repeating: 1, count: 15))
  private let staged = "cd000000-0000-0000-0000-000000000001"

  private func makeMalformed() throws -> StoreFolder {
    let vault = try StoreFolder()
    try vault.store.apply([.put(.record(id), [1])])
    FileTree.write([9], to: vault[".journal.json"])
    FileTree.write([8], to: vault[".staging/" + staged])
    return vault
  }

  @Test("without the journal, records are read as their files are")
  func withoutJournal() throws {
    let vault = try makeMalformed()
    #expect(throws: StoreError(.malformedJournal, reason: "")) { try vault.store.read(.record(id)) }
    let view = try vault.store.withoutJournal()
    #expect(try view.read(.record(id)) == [1])
    #expect(try view.records(inFolder: id.folder) == [id])
  }

  @Test("a journal set aside takes its staged files along, and the vault can be written again")
  func setAside() throws {
    let vault = try makeMalformed()
    let aside = try AsideFolder(creatingAt: vault.path + ".aside")
    try vault.store.withLock(.exclusive) { (lock) throws(StoreError) in
      try vault.store.setAsideJournalAndStagedChanges(in: aside, under: lock)
    }
    #expect(FileTree.contents(of: aside.path + "/journal.json") == [9])
    #expect(FileTree.contents(of: aside.path + "/staged-" + staged) == [8])
    #expect(FileTree.names(in: vault[".staging"]).isEmpty)
    try vault.store.apply([StoreChange(.record(id), from: [1], to: [2])])
    #expect(try vault.store.read(.record(id)) == [2])
  }

  @Test("whatever stands in a record's place can be set aside, a link as the link it is")
  func setAsideLink() throws {
    let vault = try makeMalformed()
    FileTree.remove(vault[".journal.json"])
    FileTree.remove(vault[.record(id)])
    FileTree.link(vault[.record(id)], to: "/etc/hostname")
    let aside = try AsideFolder(creatingAt: vault.path + ".aside")
    try vault.store.withLock(.exclusive) { (lock) throws(StoreError) in
      try vault.store.setAside(.record(id), in: aside, as: "link", under: lock)
    }
    #expect(FileTree.isLink(aside.path + "/link"))
    #expect(try vault.store.read(.record(id)) == nil)
  }

  @Test("a folder aside is new, for its owner only, ignored by git, and no file in it is written twice")
  func folder() throws {
    let vault = try makeMalformed()
    let aside = try AsideFolder(creatingAt: vault.path + ".aside")
    #expect(FileTree.mode(of: aside.path) == 0o700)
    #expect(FileTree.contents(of: aside.path + "/.gitignore") == Array("*\n".utf8))
    #expect(throws: StoreError(.alreadyExists, reason: "")) { try AsideFolder(creatingAt: aside.path) }
    try aside.write([1], to: "file")
    #expect(FileTree.mode(of: aside.path + "/file") == 0o600)
    #expect(throws: StoreError.self) { try aside.write([2], to: "file") }
    #expect(FileTree.contents(of: aside.path + "/file") == [1])
  }
}
