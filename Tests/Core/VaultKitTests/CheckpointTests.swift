import Testing
import VaultCrypto
import VaultDocument
import VaultSealing
import VaultTestSupport
import VaultKit

@Suite("Checkpoints")
struct CheckpointTests {
  private static let now = Timestamp.now()
  private let vaultID = VaultID.random()

  private func root() throws -> RootKey { try RootKey.random(vaultID: vaultID) }

  private func entry(_ id: RecordID = .random(), _ revision: Int = 1, _ byte: UInt8 = 7) -> RecordVersion {
    RecordVersion(id: id, revision: revision, mac: Array(repeating: byte, count: 32))
  }

  private func make(
    _ records: [RecordVersion], following predecessor: Checkpoint? = nil, under root: RootKey
  ) throws -> Checkpoint {
    try Checkpoint.make(
      following: predecessor, of: VersionList(records), headerHash: Array(repeating: 1, count: 32), createdAt: Self.now,
      under: root)
  }

  @Test("those of the vectors authenticate, have the hash that follows, and are made again byte for byte")
  func vectors() throws {
    var predecessor: Checkpoint?
    try OwnVectors.forEach("checkpoints") { one in
      let root = try one.rootKey(one.id("vault_id"))
      let checkpoint = try Checkpoint(parsing: one.file("file"))
      try checkpoint.authenticate(under: root)
      #expect(try checkpoint.hash() == one.hex("hash"), "\(one.place)")
      #expect(try checkpoint.previous == predecessor?.hash(), "\(one.place)")
      let made = try Checkpoint.make(
        following: predecessor, of: checkpoint.entries, headerHash: checkpoint.headerHash,
        createdAt: checkpoint.createdAt, under: root)
      #expect(try made.fileBytes() == one.file("file"), "\(one.place)")
      predecessor = checkpoint
    }
    #expect(predecessor?.sequence == 2)
  }

  @Test("a record is found by its id, and of an id that stands twice the higher revision counts")
  func lookup() throws {
    let twice = RecordID.random()
    let records = (0..<100).map { _ in entry() } + [entry(twice, 3, 3), entry(twice, 2, 2)]
    let checkpoint = try make(records, under: root())
    #expect(checkpoint.entries.count == 101)
    for record in records.prefix(100) { #expect(try checkpoint.entries.entry(of: record.id) == record) }
    #expect(try checkpoint.entries.entry(of: twice) == entry(twice, 3, 3))
    #expect(try checkpoint.entries.entry(of: .random()) == nil)
    #expect(try make([], under: root()).entries.entry(of: twice) == nil)
  }

  @Test("made again under another root key it lists the same, and the old key no longer takes it")
  func anotherRoot() throws {
    let (old, new) = try (root(), root())
    let first = try make([entry()], under: old)
    let second = try make([entry()], following: first, under: old)
    let again = try second.authenticatedAgain(under: new)
    try Checkpoint(parsing: again.fileBytes()).authenticate(under: new)
    #expect(throws: VaultError(.damaged, "")) { try again.authenticate(under: old) }
    #expect(again.sequence == 2)
    #expect(again.previous == second.previous)
    #expect(try again.entries.all() == second.entries.all())
    #expect(throws: VaultError(.damaged, "")) {
      try again.authenticate(under: Keyring(current: old, entries: []))
    }
  }

  @Test("one of another vault does not authenticate")
  func anotherVault() throws {
    let root = try root()
    let other = try root.withKey { key in try RootKey(SecretBytes(copying: key), vaultID: .random()) }
    #expect(throws: VaultError(.damaged, "")) { try make([entry()], under: root).authenticate(under: other) }
  }
}
