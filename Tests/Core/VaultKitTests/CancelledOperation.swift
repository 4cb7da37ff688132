import Testing
import VaultCare
import VaultCrypto
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTestSupport
import VaultRepair

/// Something that a vault is asked for, whose answer is known when it was done whole.
struct CancelledOperation: Sendable, CustomTestStringConvertible, CustomStringConvertible {
  struct Subject: Sendable {
    let bench: CancellationBench
    let folder: TemporaryFolder
    let vault: Vault
    let store: any RecordStore

    /// A record that operations may change.
    var id: RecordID { bench.live[0] }
    var locked: LockedVault { vault.locked }
  }

  typealias Work = @Sendable () async throws -> String

  /// Records that no operation changes.
  static let kept = 2..<6

  let description: String
  /// Whether it waits for others: then a task that is cancelled before does nothing.
  let locks: Bool
  /// The preparation, which is not cancelled, and the work, which may be.
  let prepare: @Sendable (Subject) async throws -> Work

  var testDescription: String { description }

  private static func reading<Answer>(
    _ description: String, locks: Bool = true, _ work: @escaping @Sendable (Subject) async throws -> Answer
  ) -> CancelledOperation {
    CancelledOperation(description: description, locks: locks) { subject in
      { "\(try await work(subject))" }
    }
  }

  private static func writing<Answer>(
    _ description: String, _ work: @escaping @Sendable (Subject) async throws -> Answer
  ) -> CancelledOperation {
    CancelledOperation(description: description, locks: true) { subject in
      { "\(try await work(subject))" }
    }
  }
}

extension CancelledOperation {
  /// Operations that do not change the vault.
  static var reading: [CancelledOperation] { queries + listings }

  /// Operations that may change it.
  static var writing: [CancelledOperation] { records + replacing + trash + others + slots }

  private static var queries: [CancelledOperation] {
    [
      reading("unlock", locks: false) { try await $0.bench.open($0.store).header.revision },
      reading("record", locks: false) { try await $0.vault.record($0.id).name },
      reading("get", locks: false) { try await $0.vault.record($0.id, as: Customer.self).value.name },
      reading("record(named:)", locks: false) { try await $0.vault.record(named: "number 5").id },
      reading("recordToRemove", locks: false) { try await $0.vault.recordToRemove(named: "number 5").id },
      reading("resolve", locks: false) { try await $0.locked.resolve("number 5") },
      reading("records(named:)", locks: false) { try await $0.locked.records(named: "number 5").map(\.id) },
      reading("acceptance", locks: false) { "nothing to accept: \(try await $0.vault.editReview(of: $0.id) == nil)" },
    ]
  }

  private static var listings: [CancelledOperation] {
    [
      reading("list", locks: false) { try await $0.vault.list().map(\.id) },
      reading("list without a key", locks: false) { try await $0.locked.list().map(\.id) },
      reading("records(of:)") { try await $0.vault.records(of: Customer.self).map(\.name) },
      reading("forEachOpenRecord") { subject in
        var names: [String] = []
        try await subject.vault.forEachOpenRecord { names.append($0.name) }
        return names
      },
      reading("forEachOpenRecord on all cores") { subject in
        var names: [String] = []
        try await subject.vault.forEachOpenRecord({ $0.name }, consume: { names.append($0) })
        return names
      },
      reading("verify") { subject in
        let found = try await subject.vault.verify()
        return [found.recordCount, found.trashedCount, found.slotCount, found.faults.count]
      },
      reading("lint") { subject in
        let found = try await VaultLint(store: subject.store, options: RotationVault.options).check()
        return [found.recordCount, found.trashedCount, found.findings.count]
      },
      reading("trash") { try await $0.vault.trash().map(\.id) },
      reading("migrationPlan") { try await $0.vault.migrationPlan().records.count },
      reading("repairPlan") { try await $0.vault.repairPlan().steps.count },
    ]
  }

  private static var records: [CancelledOperation] {
    [
      writing("add") { subject in
        _ = try await subject.vault.add(RotationVault.customer("new"))
        return try subject.locked.recordCount()
      },
      writing("update") { try await $0.vault.update($0.id, as: Customer.self) { $0.city = "Santa Fe" } },
      writing("edit") { try await $0.vault.edit($0.id, [.set(.root.appending("name"), to: "edited")]) },
      writing("remove") { subject in
        try await subject.vault.remove([subject.id, subject.bench.live[1]])
        return try subject.locked.recordCount()
      },
      CancelledOperation(description: "accept", locks: true) { subject in
        let bytes = try #require(try subject.store.read(.record(subject.id)))
        let edited = Array(String(decoding: bytes, as: UTF8.self).replacing("number 0", with: "by hand").utf8)
        try subject.store.apply([StoreChange(.record(subject.id), from: bytes, to: edited)])
        let review = try #require(try await subject.vault.editReview(of: subject.id))
        return {
          do {
            try await subject.vault.accept([review])
          } catch {
            // It was not a good record before; after restoring its bytes, the vault is unchanged.
            try? subject.store.apply([StoreChange(.record(subject.id), from: edited, to: bytes)])
            throw error
          }
          return try await subject.vault.record(subject.id).name
        }
      },
      CancelledOperation(description: "bringBack", locks: true) { subject in
        let bytes = try #require(try subject.store.read(.record(subject.id)))
        let old = try subject.vault.restorableRecord(bytes, at: .record(subject.id))
        try await subject.vault.edit(subject.id, [.set(.root.appending("name"), to: "edited")])
        return { "\(try await subject.vault.bringBack([old]).count)" }
      },
    ]
  }

  /// Operations that put all records in place at once if possible.
  static var replacing: [CancelledOperation] {
    [
      writing("add three") { try await add(3, to: $0) },
      writing("add many") { try await add(20, to: $0) },
    ]
  }

  private static func add(_ count: Int, to subject: Subject) async throws -> [Int] {
    let kind = RecordKind(of: Login.self)
    let inputs = try (0..<count).map { number in
      try JSONObject([("title", .string("login \(number)")), ("password", .string("secret \(number)"))])
    }
    let added = try await subject.vault.add(inputs, count: count, refusals: .throwFirst) { RecordInput(kind, $0) }
    return [added.ids.count, try subject.locked.recordCount()]
  }

  private static var trash: [CancelledOperation] {
    [
      writing("restore") { subject in
        try await subject.vault.restore(subject.bench.removed)
        return try subject.locked.recordCount()
      },
      writing("deleteTrashed") { try await $0.vault.deleteTrashed($0.bench.removed).deleted.count },
      writing("emptyTrash") { try await $0.vault.emptyTrash().deleted.count },
    ]
  }

  private static var others: [CancelledOperation] {
    [
      writing("makeCheckpoint") { subject in
        let made = try await subject.vault.makeCheckpoint()
        return [made.checkpoint?.entries.count, made.verification.recordCount]
      },
      writing("declareKind") { subject in
        let schema = try JSONParser.parse(Array(#"{"type":"object","properties":{"a":{"type":"string"}}}"#.utf8))
        return try await subject.vault.declareKind("own", as: schema.object ?? JSONObject())
      },
      writing("migrate") { try await $0.vault.migrate().records.count },
      CancelledOperation(description: "repair", locks: true) { subject in
        let plan = try await subject.vault.repairPlan()
        let aside = subject.folder.path + "/aside"
        return { "\(try await subject.vault.repair(plan, asideFolder: aside).failures.count)" }
      },
    ]
  }

  private static var slots: [CancelledOperation] {
    [
      writing("slots") { subject in
        let words = try secret("words")
        let added = try await subject.vault.addSlot(NewSlot(.passphrase(words, workFactor: 10), label: "p"))
        let changed = try await subject.vault.changePassphrase(of: added.id, to: try secret("other"), workFactor: 10)
        return try await subject.vault.removeSlot(changed.id).label
      }
    ]
  }
}
