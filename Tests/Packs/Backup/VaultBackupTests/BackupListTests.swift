import Testing
import VaultBackup
import VaultCare
import VaultDocument
import VaultKit
import VaultStorage

@Suite("The list of a backup")
struct BackupListTests {
  private static func id(_ number: UInt8) -> RecordID { RecordID(bytes: [UInt8](repeating: number, count: 16)) }

  private func tallied(_ files: [BackupList.File]) throws -> FileSummary {
    let tally = try FileTally()
    for file in files { try tally.take(file) }
    return try tally.finish()
  }

  @Test("the line of a file is an array of its path, its hash and its size, in the compact form")
  func lines() throws {
    let places: [StoreLocation] = [.header, .checkpoint, .slot(Self.id(1)), .record(Self.id(2)), .trash(Self.id(3))]
    for member in places.map(ArchiveMember.document) + [.gitFile(".gitignore")] {
      let file = try BackupList.File(member, Array(member.vaultPath.utf8))
      let tree = JSONValue.array([
        .string(member.vaultPath), .string(Hex.encode(file.sha256)), .number(JSONNumber(member.vaultPath.utf8.count)),
      ])
      #expect(try file.line == tree.compactBytes() + [UInt8(ascii: "\n")])
    }
  }

  @Test("what tells files apart is different with one id, kind, hash, size, place or file changed")
  func summaries() throws {
    let (hash, otherHash) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
    func file(_ place: StoreLocation, _ size: Int, _ hash: [UInt8]) -> BackupList.File {
      BackupList.File(.document(place), byteCount: size, sha256: hash)
    }
    let second = StoreLocation.record(Self.id(2))
    let (one, two, third) = (
      file(.record(Self.id(1)), 1, hash), file(second, 1, hash), file(.record(Self.id(3)), 1, hash)
    )
    let own = try tallied([one, two])
    #expect(try tallied([one, two]) == own)
    #expect(own.count(of: .record) == 2)
    #expect(own.count(of: .trash) == 0)
    let others: [[BackupList.File]] = [
      [], [one], [one, two, third], [two, one], [one, third], [one, file(.trash(Self.id(2)), 1, hash)],
      [one, file(second, 2, hash)], [one, file(second, 1, otherHash)],
    ]
    for other in others { #expect(try tallied(other).hash != own.hash) }
  }

  @Test("the head says which state of which vault it is of; a later format and other members are told as such")
  func head() async throws {
    let bench = try await BackupBench(records: 0)
    let key = bench.vault.backupListKey
    let time = try Timestamp(parsing: "2026-11-21T01:40:28Z")
    let members = BackupList.members(of: bench.vault.header, createdAt: time)
    func list(_ changes: (inout JSONObject) -> Void = { _ in }) throws -> BackupList {
      var members = members
      changes(&members)
      let head = ListHead(members, itemHash: [UInt8](repeating: 7, count: 32), file: ArchiveMember.listName)
      return try BackupList(key.authenticated(head))
    }
    let made = try list()
    #expect(made.vaultID == bench.vault.header.vaultID)
    #expect(made.rootID == bench.vault.header.root.id)
    #expect(made.createdAt == time)
    #expect(made.headerRevision == bench.vault.header.revision)
    try key.authenticate(made.head)
    let later = String(decoding: made.head.line, as: UTF8.self).replacing("\"format\":1", with: "\"format\":2")
    #expect(throws: VaultError(.newerFormat, "")) {
      var reader = try ListReader(file: ArchiveMember.listName)
      try reader.take(Array(later.utf8))
    }
    #expect(throws: VaultError(.damaged, "")) { try list { $0["note"] = .string("x") } }
    #expect(throws: VaultError(.damaged, "")) { try list { $0["vault"] = nil } }
  }
}
