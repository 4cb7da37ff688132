import Testing
import VaultAge
import VaultCare
import VaultDocument
import VaultFileStore
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTestSupport

@Suite("Records that move to another vault")
struct MovingTests {
  /// Moves both records as a program does: into the other vault, then to the trash of this one.
  private func move(_ source: Vault, _ destination: Vault, _ ids: [RecordID]) async throws {
    var records: [OpenRecord] = []
    for id in ids { records.append(try await source.record(id)) }
    try await destination.take(records)
    try await source.remove(ids)
  }

  private func copies(_ vault: RotationVault, _ other: RotationVault) throws -> (RotationVault, RotationVault) {
    (try vault.copy(to: "source"), try other.copy(to: "target"))
  }

  @Test(
    "after a death at any call, in either vault, each record is whole in one of them or in both, and a move finishes it"
  )
  func death() async throws {
    let (template, other) = (try await RotationVault.make(), try await RotationVault.make())
    var both = 0
    for isInTarget in [true, false] {
      for number in 1... {
        let (from, to) = try copies(template, other)
        let dying = FaultyFileOperations(.dying, at: number, recorder: SimulatedDisk(), countsChangesAlone: true)
        let quiet = RotationVault.quiet
        let source = try await from.open(nil, isInTarget ? quiet : dying)
        let destination = try await to.open(nil, isInTarget ? dying : quiet)
        _ = try? await move(source, destination, from.live)
        let comment: Comment = "\(isInTarget ? "target" : "source"), call \(number) (\(dying.reachedCall ?? "none"))"
        both += try await expectKept(from, to, comment)
        try await finish(from, to, comment)
        guard dying.reachedCall != nil else { break }
      }
    }
    #expect(both > 0, "some deaths are between the two vaults")
  }

  /// Expects each record in one vault at least; how many are in both.
  private func expectKept(_ from: RotationVault, _ to: RotationVault, _ comment: Comment) async throws -> Int {
    var both = 0
    for (id, name) in zip(from.live, ["one", "two"]) {
      var count = 0
      for vault in [from, to] {
        guard let customer = try? await vault.open().record(id, as: Customer.self).value else { continue }
        #expect(try customer.accessKey.reveal() == "key of " + name, comment)
        count += 1
      }
      #expect(count > 0, comment)
      if count == 2 { both += 1 }
    }
    return both
  }

  private func finish(_ from: RotationVault, _ to: RotationVault, _ comment: Comment) async throws {
    let (source, destination) = (try await from.open(), try await to.open())
    for id in from.live where (try? await source.record(id)) != nil { try await move(source, destination, [id]) }
    for id in from.live {
      #expect(throws: Never.self, comment) { _ = try destination.locked.record(id) }
      #expect(throws: VaultError.self, comment) { _ = try source.locked.record(id) }
    }
    for vault in [source, destination] { #expect(try await vault.verify().faults.isEmpty, comment) }
  }

  @Test(
    "each is sealed anew, at its sealing time, as a revision above those that were ever here, and another one is kept")
  func sealing() async throws {
    let (from, to) = (try await RotationVault.make(), try await RotationVault.make())
    let (source, destination, id) = (try await from.open(), try await to.open(), from.live[0])
    let before = try await source.record(id)
    try await move(source, destination, [id])
    let there = try await destination.record(id)
    #expect(there.envelope.revision == before.envelope.revision + 1)
    #expect(there.envelope.createdAt == before.envelope.createdAt)
    #expect(there.fields != before.fields)
    #expect(try there.revealed() == before.revealed())
    try await move(destination, source, [id])
    #expect(try await source.record(id).envelope.revision > there.envelope.revision)
    #expect(try await source.listedTrash().records.map(\.id) == [from.removed], "it is not in the trash any more")
    try await destination.add(
      RecordInput(#require(destination.kinds["login"]), JSONObject(ascending: [("title", .string("x"))])),
      id: from.live[1])
    await #expect(throws: VaultError(.alreadyExists, "")) {
      try await destination.take([source.record(from.live[0]), source.record(from.live[1])])
    }
    #expect(throws: VaultError.self, "all or none") { _ = try destination.locked.record(id) }
  }
}
