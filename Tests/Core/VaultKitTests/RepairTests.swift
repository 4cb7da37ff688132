import Testing
import VaultCare
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTestSupport
import VaultRepair

@Suite("Repairing a vault")
struct RepairTests {
  @Test("a good vault needs no step, and a plan changes nothing")
  func nothingToDo() async throws {
    let folder = try await FolderVault()
    let id = try await folder.vault.add(sampleCustomer())
    #expect(try await folder.vault.repairPlan().steps.isEmpty)
    let bad = try #require(folder.bytes(.record(id))).flipping("Albuquerque")
    folder.write(bad, at: .record(id))
    let plan = try await folder.vault.repairPlan()
    #expect(plan.steps.map(\.action) == [.leave])
    #expect(!plan.hasWork)
    #expect(plan.steps.first?.remedies == [.acceptEdits([id])], "only a readable field differs")
    #expect(folder.bytes(.record(id)) == bad)
    #expect(FileTree.mode(of: folder.aside) == nil)
  }

  @Test("a damaged or missing record comes back from the newest version in the history that verifies")
  func history() async throws {
    let folder = try await FolderVault()
    let damaged = try await folder.vault.add(sampleCustomer("Damaged"))
    let missing = try await folder.vault.add(sampleCustomer("Missing"))
    let first = try #require(folder.bytes(.record(damaged)))
    try await folder.vault.update(damaged, as: Customer.self) { $0.city = "Santa Fe" }
    let second = try #require(folder.bytes(.record(damaged)))
    let gone = try #require(folder.bytes(.record(missing)))
    let history = TestHistory([
      .record(damaged): [second.flipping("Santa Fe"), second, first], .record(missing): [gone],
    ])
    let bad = second.flipping("Damaged")
    folder.write(bad, at: .record(damaged))
    FileTree.remove(folder.file(.record(missing)))
    let plan = try await folder.vault.repairPlan([history])
    #expect(plan.steps.map(\.action) == [.restore, .restore])
    #expect(Set(plan.steps.map(\.record)) == [damaged, missing])
    #expect(Set(plan.steps.map(\.revision)) == [1, 2])
    let result = try await folder.vault.repair(plan, asideFolder: folder.aside)
    #expect(result.failures.allSatisfy { $0 == nil })
    #expect(folder.bytes(.record(damaged)) == second)
    #expect(folder.bytes(.record(missing)) == gone)
    #expect(folder.keptAside("records-\(damaged.folderName)-\(damaged.text).json") == bad)
    #expect(result.asideFolder == folder.aside)
    #expect(FileTree.mode(of: folder.aside) == 0o700)
    #expect(try await folder.vault.verify().isGood)
  }

  @Test("a version that is old, foreign or tampered with is never taken")
  func hostileHistory() async throws {
    let folder = try await FolderVault()
    let id = try await folder.vault.add(sampleCustomer())
    let other = try await folder.vault.add(sampleCustomer("Other"))
    let stranger = try await FolderVault()
    let foreign = try await stranger.vault.add(sampleCustomer())
    let good = try #require(folder.bytes(.record(id)))
    folder.write(good.flipping("es1:"), at: .record(id))
    let versions = [
      good.flipping("Albuquerque"), try #require(folder.bytes(.record(other))),
      try #require(stranger.bytes(.record(foreign))), [], Array(good.dropLast(40)),
    ]
    let plan = try await folder.vault.repairPlan([TestHistory([.record(id): versions])])
    #expect(plan.steps.map(\.action) == [.salvage])
  }

  @Test("a record in the trash is not missing, and what the history has of the trash is not brought back")
  func removedIsNotMissing() async throws {
    let folder = try await FolderVault()
    let id = try await folder.vault.add(sampleCustomer())
    let live = try #require(folder.bytes(.record(id)))
    try await folder.vault.remove([id])
    let trashed = try #require(folder.bytes(.trash(id)))
    #expect(try await folder.vault.repairPlan([TestHistory([.record(id): [live]])]).steps.isEmpty)
    #expect(try await folder.vault.emptyTrash().deleted == [id])
    #expect(try await folder.vault.repairPlan([TestHistory([.trash(id): [trashed]])]).steps.isEmpty)
  }

  @Test("a damaged record comes back from the trash, as the next revision")
  func trash() async throws {
    let folder = try await FolderVault()
    let id = try await folder.vault.add(sampleCustomer())
    let live = try #require(folder.bytes(.record(id)))
    try await folder.vault.remove([id])
    folder.write(live.flipping("Albuquerque"), at: .record(id))
    let plan = try await folder.vault.repairPlan([TestHistory([.record(id): [live]])])
    #expect(plan.steps.map(\.action) == [.restore])
    #expect(plan.steps.first?.revision == 2, "the trash is newer than the history")
    _ = try await folder.vault.repair(plan, asideFolder: folder.aside)
    #expect(try await folder.vault.record(id).envelope.revision == 3)
    #expect(folder.bytes(.trash(id)) == nil)
    #expect(try await folder.vault.verify().isGood)
  }

  @Test("files that changed names go back, and a record that only lies under another name is found")
  func swapped() async throws {
    let folder = try await FolderVault()
    var ids: [RecordID] = []
    for name in ["First", "Second", "Third"] { ids.append(try await folder.vault.add(sampleCustomer(name))) }
    let bytes = try ids.map { try #require(folder.bytes(.record($0))) }
    for (index, id) in ids.enumerated() { folder.write(bytes[(index + 1) % 3], at: .record(id)) }
    var plan = try await folder.vault.repairPlan()
    #expect(plan.steps.map(\.action) == [.restore, .restore, .restore])
    _ = try await folder.vault.repair(plan, asideFolder: folder.aside)
    #expect(ids.map { folder.bytes(.record($0)) } == bytes)
    FileTree.remove(folder.file(.record(ids[1])))
    folder.write(bytes[1], at: .record(ids[0]))
    plan = try await folder.vault.repairPlan()
    #expect(plan.steps.contains { $0.action == .restore && $0.record == ids[1] })
    let result = try await folder.vault.repair(plan, asideFolder: folder.aside + "-2")
    #expect(result.failures.allSatisfy { $0 == nil })
    #expect(folder.bytes(.record(ids[1])) == bytes[1])
    #expect(folder.bytes(.record(ids[0])) == bytes[1], "without a good version the file stays as it is")
  }

  @Test("a record on the wrong side of the trash is moved, unless something is there")
  func wrongPlace() async throws {
    let folder = try await FolderVault()
    let id = try await folder.vault.add(sampleCustomer())
    let live = try #require(folder.bytes(.record(id)))
    FileTree.remove(folder.file(.record(id)))
    folder.write(live, at: .trash(id))
    let plan = try await folder.vault.repairPlan()
    #expect(plan.steps.map(\.action) == [.move])
    _ = try await folder.vault.repair(plan, asideFolder: folder.aside)
    #expect(folder.bytes(.record(id)) == live)
    #expect(folder.bytes(.trash(id)) == nil)
    folder.write(live, at: .trash(id))
    #expect(try await folder.vault.repairPlan().steps.map(\.action) == [.leave])
  }

  @Test("a link in a record's place is moved aside, never followed, when a good version replaces it")
  func link() async throws {
    let folder = try await FolderVault()
    let id = try await folder.vault.add(sampleCustomer())
    let good = try #require(folder.bytes(.record(id)))
    FileTree.write([7], to: folder.path + "-target")
    FileTree.remove(folder.file(.record(id)))
    FileTree.link(folder.file(.record(id)), to: folder.path + "-target")
    #expect(try await folder.vault.repairPlan().steps.map(\.action) == [.leave])
    let plan = try await folder.vault.repairPlan([TestHistory([.record(id): [good]])])
    _ = try await folder.vault.repair(plan, asideFolder: folder.aside)
    #expect(folder.bytes(.record(id)) == good)
    #expect(FileTree.isLink(folder.aside + "/records-\(id.folderName)-\(id.text).json"))
    #expect(FileTree.contents(of: folder.path + "-target") == [7])
  }

  @Test("a damaged record comes back from a history that has it on the other side, where that version belongs")
  func otherSide() async throws {
    let folder = try await FolderVault()
    let id = try await folder.vault.add(sampleCustomer())
    let live = try #require(folder.bytes(.record(id)))
    try await folder.vault.remove([id])
    let trashed = try #require(folder.bytes(.trash(id)))
    folder.write(Array("{".utf8), at: .trash(id))
    let plan = try await folder.vault.repairPlan([TestHistory([.record(id): [live]])])
    #expect(plan.steps.map(\.action) == [.restore])
    #expect(plan.steps.map(\.revision) == [1])
    let result = try await folder.vault.repair(plan, asideFolder: folder.aside)
    #expect(result.failures.allSatisfy { $0 == nil })
    #expect(folder.bytes(.record(id)) == live)
    #expect(folder.bytes(.trash(id)) == nil)
    folder.write(Array("{".utf8), at: .record(id))
    let back = try await folder.vault.repairPlan([TestHistory([.record(id): [live], .trash(id): [trashed]])])
    #expect(back.steps.map(\.revision) == [2], "the newer one counts, wherever it lay")
  }

  @Test("two good sides of a conflict are left to a person, one is restored, and none is salvaged")
  func sides() async throws {
    let folder = try await FolderVault()
    let id = try await folder.vault.add(sampleCustomer())
    let live = try #require(folder.bytes(.record(id)))
    try await folder.vault.remove([id])
    let trashed = try #require(folder.bytes(.trash(id)))
    let conflict = Array("<<<<<<< HEAD\n".utf8) + live + Array("=======\n".utf8) + trashed + Array(">>>>>>> b\n".utf8)
    folder.write(conflict, at: .trash(id))
    let fault = try #require(try await folder.vault.verify().faults.first)
    #expect(fault.code == .conflicted)
    #expect(fault.file == StoreLocation.trash(id).relativePath)
    let both = try await folder.vault.repairPlan([TestHistory([:], sides: [live, trashed])])
    #expect(both.steps.map(\.action) == [.leave])
    guard case .chooseVersion(let commands)? = both.steps.first?.remedies.first else {
      Issue.record("no choice: \(both.steps)")
      return
    }
    #expect(commands.contains { $0.hasSuffix("revision 2, which was removed") })
    let one = try await folder.vault.repairPlan([TestHistory([:], sides: [live.flipping("es1:"), trashed, trashed])])
    #expect(one.steps.map(\.action) == [.restore])
    #expect(one.steps.map(\.revision) == [2])
  }

  @Test("a malformed journal is dropped after it and what it staged lie aside")
  func journal() async throws {
    let folder = try await FolderVault()
    let id = try await folder.vault.add(sampleCustomer())
    let (journal, staged) = (Array("{\"entries\":7}".utf8), [UInt8]("staged".utf8))
    let name = "01234567-89ab-cdef-0123-456789abcdef"
    FileTree.write(journal, to: folder.path + "/.journal.json")
    FileTree.write(staged, to: folder.path + "/.staging/" + name)
    folder.write(try #require(folder.bytes(.record(id))).flipping("Albuquerque"), at: .record(id))
    let plan = try await folder.vault.repairPlan()
    #expect(plan.steps.map(\.action) == [.dropJournal, .leave])
    let result = try await folder.vault.repair(plan, asideFolder: folder.aside)
    #expect(result.failures.allSatisfy { $0 == nil })
    #expect(folder.keptAside("journal.json") == journal)
    #expect(folder.keptAside("staged-" + name) == staged)
    #expect(FileTree.names(in: folder.path + "/.staging").isEmpty)
    #expect(try await folder.vault.add(sampleCustomer("New")) != id)
  }

  @Test("a file that changed since the plan was made is left, and the other steps are done")
  func changedUnderneath() async throws {
    let folder = try await FolderVault()
    let ids = [try await folder.vault.add(sampleCustomer("A")), try await folder.vault.add(sampleCustomer("B"))]
      .sorted()
    let good = try ids.map { try #require(folder.bytes(.record($0))) }
    for (index, id) in ids.enumerated() { folder.write(good[index].flipping("Albuquerque"), at: .record(id)) }
    let plan = try await folder.vault.repairPlan([
      TestHistory([.record(ids[0]): [good[0]], .record(ids[1]): [good[1]]])
    ])
    let later = good[0].flipping("87112")
    folder.write(later, at: .record(ids[0]))
    let result = try await folder.vault.repair(plan, asideFolder: folder.aside)
    #expect(result.failures.map(\.?.code) == [.changedUnderneath, nil])
    #expect(folder.bytes(.record(ids[0])) == later)
    #expect(folder.bytes(.record(ids[1])) == good[1])
  }

  @Test("nothing is replaced when the folder aside cannot be made")
  func noFolderAside() async throws {
    let folder = try await FolderVault()
    let id = try await folder.vault.add(sampleCustomer())
    let good = try #require(folder.bytes(.record(id)))
    let bad = good.flipping("Albuquerque")
    folder.write(bad, at: .record(id))
    FileTree.makeFolder(folder.aside)
    let plan = try await folder.vault.repairPlan([TestHistory([.record(id): [good]])])
    #expect(try await folder.vault.repair(plan, asideFolder: folder.aside).failures.map(\.?.code) == [.alreadyExists])
    #expect(
      try await folder.vault.repair(plan, asideFolder: folder.aside + "/no/such").failures.map(\.?.code) == [.ioFailed])
    #expect(folder.bytes(.record(id)) == bad)
  }
}

@Suite("What is salvaged of a record without a good version")
struct SalvageTests {
  @Test("is every sealed field that opens and every readable one, marked as unverified, for the owner only")
  func whole() async throws {
    let (folder, id) = try await damaged { bytes in
      let text = String(decoding: bytes.flipping("Albuquerque"), as: UTF8.self)
      return Array(text.split(separator: "\"mac\" : \"").joined(separator: "\"mac\" : \"!").utf8)
    }
    let document = try salvaged(folder, id)
    #expect(document["unverified"] == true)
    #expect(document["fields"]?["access_key"]?.string == "S|_|p3rs3cr37")
    #expect(document["fields"]?["atm_code"]?.string == "1132")
    #expect(document["fields"]?["address"]?["city"]?.string == "xlbuquerque")
    #expect(document["fields"]?["$vault"] == nil)
    #expect(document["opened"]?.array?.compactMap(\.string) == ["access_key", "atm_code"])
    #expect(FileTree.mode(of: folder.aside + "/" + fileName(id)) == 0o600)
    #expect(FileTree.contents(of: folder.aside + "/.gitignore") == Array("*\n".utf8))
    #expect(folder.bytes(.record(id)) != nil, "the damaged file stays")
  }

  @Test("leaves a field that does not open as it is, and says so")
  func oneToken() async throws {
    let (folder, id) = try await damaged { bytes in
      var text = String(decoding: bytes, as: UTF8.self)
      guard let start = text.firstRange(of: "\"atm_code\" : \"es1:") else { return bytes }
      let place = text.index(start.upperBound, offsetBy: 60)
      text.replaceSubrange(place...place, with: text[place] == "A" ? "B" : "A")
      return Array(text.utf8)
    }
    let document = try salvaged(folder, id)
    #expect(document["opened"]?.array?.compactMap(\.string) == ["access_key"])
    #expect(document["not_opened"]?.array?.compactMap(\.string) == ["atm_code"])
    #expect(document["fields"]?["atm_code"]?.string?.hasPrefix("es1:") == true)
  }

  @Test("of a truncated file is each whole token under the name before it")
  func truncated() async throws {
    let (folder, id) = try await damaged { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      guard let end = text.firstRange(of: "\"atm_code\"") else { return bytes }
      return Array(text[..<end.lowerBound].utf8)
    }
    let document = try salvaged(folder, id)
    #expect(document["is_whole"] == false)
    #expect(document["fields"]?["access_key"]?.string == "S|_|p3rs3cr37")
    #expect(document["fields"]?.object?.count == 1)
  }

  @Test("is nothing when the record's key does not open: the file is left")
  func noKey() async throws {
    let (folder, _) = try await damaged { $0.flipping("k1:") }
    let plan = try await folder.vault.repairPlan()
    #expect(plan.steps.map(\.action) == [.leave])
    #expect(!plan.hasWork)
  }

  private func damaged(_ change: ([UInt8]) -> [UInt8]) async throws -> (FolderVault, RecordID) {
    let folder = try await FolderVault()
    let id = try await folder.vault.add(sampleCustomer())
    folder.write(change(try #require(folder.bytes(.record(id)))), at: .record(id))
    let plan = try await folder.vault.repairPlan()
    if plan.hasWork {
      let result = try await folder.vault.repair(plan, asideFolder: folder.aside)
      #expect(result.failures.allSatisfy { $0 == nil })
    }
    return (folder, id)
  }

  private func fileName(_ id: RecordID) -> String { "salvaged-records-\(id.folderName)-\(id.text).json" }

  private func salvaged(_ folder: FolderVault, _ id: RecordID) throws -> JSONValue {
    try JSONParser.parse(#require(folder.keptAside(fileName(id))))
  }
}

/// Versions of files, the newest first.
struct TestHistory: FileHistory {
  private let versions: [String: [[UInt8]]]
  private let sides: [[UInt8]]

  init(_ versions: [StoreLocation: [[UInt8]]], sides: [[UInt8]] = []) {
    self.sides = sides
    self.versions = Dictionary(uniqueKeysWithValues: versions.map { ($0.key.relativePath, $0.value) })
  }

  func forEachVersion(of path: String, _ body: (FileVersion) -> Bool) {
    for bytes in versions[path] ?? [] {
      guard body(FileVersion(bytes, origin: "a test")) else { return }
    }
  }

  func newestFiles() -> [String] { versions.keys.sorted() }

  func sides(of paths: [String]) -> [FileVersion] { sides.map { FileVersion($0, origin: "a side") } }
}
