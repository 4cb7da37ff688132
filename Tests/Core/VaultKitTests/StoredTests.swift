import Testing
import VaultCare
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTestSupport
import VaultTesting

@Suite("Rows, batches and transactions") struct StoredTests {
  private func revisions(_ vault: Vault, _ ids: [RecordID]) async throws -> [Int] {
    var revisions: [Int] = []
    for id in ids { revisions.append(try await vault.record(id, as: Customer.self).revision) }
    return revisions
  }

  @Test("a record comes with its id, revision and dates, and its members are had directly")
  func stored() async throws {
    let clock = TestClock.stopped()
    let (vault, _) = try await clock.vault()
    let made = clock.now
    let id = try await vault.add(sampleCustomer("one"))
    clock.advance(by: .seconds(60))
    try await vault.update(id, as: Customer.self) { $0.name = "two" }
    let stored = try await vault.record(id, as: Customer.self)
    #expect(stored.id == id)
    #expect(stored.revision == 2)
    #expect(stored.name == "two")
    #expect(stored.createdAt.text == made.text)
    #expect(stored.updatedAt.text == clock.now.text)
    #expect(try await vault.records(of: Customer.self) == [stored])
    await #expect(throws: VaultError(.unknownKind, "")) { try await vault.record(id, as: Login.self) }
  }

  @Test("records of several types are added in one call, all or none, in their order")
  func addMany() async throws {
    let (vault, _, store) = try await memoryVault()
    let ids = try await vault.add(contentsOf: [
      sampleCustomer("one"), Login(title: "two", password: "word"), sampleCustomer("three"),
    ])
    #expect(ids == ids.sorted())
    #expect(try await vault.record(ids[1]).name == "two")
    #expect(try await vault.records(of: Customer.self).map(\.name) == ["one", "three"])
    let bad = Database(engine: "mysql", host: "h", port: 70_000)
    await #expect(throws: VaultError(.inputRefused, "")) {
      try await vault.add(contentsOf: [sampleCustomer("five"), bad])
    }
    #expect(try (0...255).reduce(0) { try $0 + store.records(inFolder: UInt8($1)).count } == 3)
  }

  @Test("many are changed in one transaction: only those that differ, each once")
  func updateMany() async throws {
    let (vault, _, _) = try await memoryVault()
    let ids = try await vault.add(contentsOf: (0..<1200).map { sampleCustomer("\($0)") })
    var calls = 0
    let changed = try await vault.update(ids + ids.prefix(3), as: Customer.self) { customer in
      calls += 1
      if Int(customer.name).map({ $0 % 2 == 0 }) == true { customer.city = "Santa Fe" }
    }
    #expect(calls == 1200)
    #expect(changed == ids.enumerated().filter { $0.offset % 2 == 0 }.map(\.element))
    let cities = try await vault.records(of: Customer.self).map(\.city)
    #expect(cities.filter { $0 == "Santa Fe" }.count == 600)
    #expect(try await revisions(vault, Array(ids.prefix(4))) == [2, 1, 2, 1])
  }

  @Test("one that is not there, or that the type refuses, leaves all of them as they were")
  func updateNone() async throws {
    let (vault, _, _) = try await memoryVault()
    let ids = try await vault.add(contentsOf: (0..<5).map { sampleCustomer("\($0)") })
    await #expect(throws: VaultError(.noSuchRecord, "")) {
      try await vault.update(ids + [.random()], as: Customer.self) { $0.city = "x" }
    }
    try await vault.add(Database(engine: "mysql", host: "h"))
    await #expect(throws: VaultError(.unknownKind, "")) {
      let all = try await vault.locked.listed().records.map(\.id)
      try await vault.update(all, as: Customer.self) { $0.city = "x" }
    }
    #expect(try await revisions(vault, ids) == [1, 1, 1, 1, 1])
  }

  @Test("a change that is made for another revision is refused")
  func expecting() async throws {
    let (vault, _, _) = try await memoryVault()
    let id = try await vault.add(sampleCustomer())
    try await vault.update(id, as: Customer.self, expecting: 1) { $0.name = "two" }
    await #expect(throws: VaultError(.changedUnderneath, "")) {
      try await vault.update(id, as: Customer.self, expecting: 1) { $0.name = "three" }
    }
    await #expect(throws: VaultError(.changedUnderneath, "")) {
      try await vault.write { try await $0.update(id, as: Customer.self, expecting: 1) { $0.name = "three" } }
    }
    #expect(try await vault.record(id, as: Customer.self).name == "two")
  }

  @Test("a loop over all records may change and remove them as it goes")
  func sequence() async throws {
    let (vault, _, _) = try await memoryVault()
    let ids = try await vault.add(contentsOf: (0..<900).map { sampleCustomer("\($0)") })
    try await vault.add(Login(title: "another kind"))
    var seen: [RecordID] = []
    for try await customer in vault.sequence(of: Customer.self) {
      seen.append(customer.id)
      if seen.count == 1 { try await vault.remove([ids[899]]) }
      if seen.count <= 10 { try await vault.update(customer.id, as: Customer.self) { $0.city = "Santa Fe" } }
    }
    #expect(seen == Array(ids.dropLast()))
    #expect(try await vault.records(of: Customer.self).filter { $0.city == "Santa Fe" }.count == 10)
  }
}

@Suite("A transaction") struct TransactionTests {
  @Test("makes all of its changes at once, and reads what it has changed")
  func all() async throws {
    let (vault, _, _) = try await memoryVault()
    let ids = try await vault.add(contentsOf: ["one", "two", "three"].map { sampleCustomer($0) })
    let new = try await vault.write { transaction in
      try await transaction.update(ids[0], as: Customer.self) { $0.name = "changed" }
      try await transaction.update(ids[0], as: Customer.self) { $0.city = "Santa Fe" }
      try await transaction.remove(ids[1])
      await #expect(throws: VaultError(.noSuchRecord, "")) { try await transaction.record(ids[1], as: Customer.self) }
      let new = try await transaction.add(sampleCustomer("new"))
      try await transaction.update(new, as: Customer.self) { $0.city = "Santa Fe" }
      #expect(try await transaction.record(ids[0], as: Customer.self).city == "Santa Fe")
      // Nobody else sees any of it yet.
      #expect(try vault.locked.recordCount() == 3)
      #expect(try await vault.record(ids[0]).name == "one")
      return new
    }
    #expect(try await vault.records(of: Customer.self).map(\.id) == [ids[0], ids[2], new].sorted())
    #expect(try await vault.record(ids[0]).name == "changed")
    #expect(try await vault.listedTrash().records.map(\.id) == [ids[1]])
    #expect(try await vault.verify().faults.isEmpty)
  }

  @Test("that throws, or changes nothing, writes nothing")
  func none() async throws {
    let (vault, _, store) = try await memoryVault()
    let id = try await vault.add(sampleCustomer())
    let before = try store.read(.record(id))
    await #expect(throws: CancellationError.self) {
      try await vault.write { transaction in
        try await transaction.remove(id)
        throw CancellationError()
      }
    }
    try await vault.write { try await $0.update(id, as: Customer.self) { $0.name = $0.name } }
    #expect(try store.read(.record(id)) == before)
  }

  @Test("refuses at once who would wait for himself, and whoever comes after its end")
  func misuse() async throws {
    let (vault, _, _) = try await memoryVault()
    let id = try await vault.add(sampleCustomer())
    let kept = try await vault.write { transaction in
      await #expect(throws: VaultError(.usage, "")) { try await vault.remove([id]) }
      await #expect(throws: VaultError(.usage, "")) { try await vault.add(sampleCustomer()) }
      await #expect(throws: VaultError(.usage, "")) { try await vault.records(of: Customer.self) }
      return transaction
    }
    await #expect(throws: VaultError(.usage, "")) { try await kept.add(sampleCustomer()) }
    await #expect(throws: VaultError(.usage, "")) { try await kept.remove(id) }
    try await vault.remove([id])
  }
}

@Suite("Records that are added one by one at once") struct SingleAdditionTests {
  @Test("are stored together while they wait for one another")
  func together() async throws {
    let bench = try await CancellationBench.make()
    let folder = TemporaryFolder()
    let inner = try bench.copy(to: .memory, in: folder, Cancellation())()
    let steps = Cancellation()
    let vault = try await bench.open(WatchedStore(inner) { steps.step() })
    let lock = try inner.lock(.exclusive, timeout: .zero) { _ in }
    let added = Task {
      try await withThrowingTaskGroup(of: RecordID.self) { group in
        for number in 0..<200 { group.addTask { try await vault.add(RotationVault.customer("number \(number)")) } }
        return try await group.reduce(into: Set<RecordID>()) { $0.insert($1) }
      }
    }
    while vault.additions.waitingCount < 200 { await Task.yield() }
    let before = steps.count
    lock.release()
    #expect(try await added.value.count == 200)
    // Each may ask for the lock once before it waits. A write of its own takes two steps more: the header and the file.
    #expect(steps.count - before < 2 * 200, "\(steps.count - before) steps")
    #expect(try vault.locked.recordCount() == bench.live.count + 200)
    #expect(try await vault.verify().faults.isEmpty)
  }

  @Test("one that waited while the root key changed is stored under the new one")
  func newRoot() async throws {
    // Longer than a busy machine takes for the work before.
    let (vault, identity, store) = try await memoryVault(lockTimeout: .seconds(600))
    try await vault.add(sampleCustomer("one"))
    let lock = try store.lock(.exclusive, timeout: .zero) { _ in }
    let rotation = Task { try await vault.rotate(.rewrap) }
    // The rotation is before it in the queue, or the other way round: both ways the record has to be readable.
    let ids = await withTaskGroup(of: RecordID?.self) { group in
      for number in 0..<20 { group.addTask { try? await vault.add(sampleCustomer("\(number)")) } }
      while vault.additions.waitingCount < 20 { await Task.yield() }
      lock.release()
      return await group.reduce(into: [RecordID]()) { if let id = $1 { $0.append(id) } }
    }
    _ = try await rotation.value
    #expect(ids.count == 20)
    let again = try await LockedVault(store: store).unlock(
      with: .identity(identity), options: Vault.Options(state: nil))
    #expect(try await again.records(of: Customer.self).count == 21)
  }
}
