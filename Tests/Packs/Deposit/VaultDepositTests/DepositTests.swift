import Testing
import VaultAge
import VaultCare
import VaultCrypto
import VaultDeposit
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTestSupport
import VaultTesting

@Suite("Deposits")
struct DepositTests {
  @Test("a depositor without a key adds a file, and only accepting it makes a record with the same id")
  func session() async throws {
    let bench = try await DepositBench()
    let before = try bench.documents()
    let id = try bench.locked.deposit(DepositBench.login("GitHub", from: "Ada"))
    #expect(try bench.store.heldDeposits() == [id])
    #expect(try bench.documents() == before, "nothing else changes")
    #expect(try await bench.vault.list().map(\.name) == ["Mail"])
    let waiting = try await bench.vault.inbox()
    #expect(waiting.map(\.state) == [.adds(namesakes: 0)])
    #expect(try waiting.first?.deposit.get().from == "Ada")
    #expect(try bench.documents() == before, "looking stores nothing")
    let accepted = try await bench.vault.accept(id)
    #expect(accepted.record == id)
    #expect(!accepted.wasThere)
    #expect(try bench.store.heldDeposits().isEmpty)
    #expect(try await bench.vault.record(id).revealed()["password"]?.string == DepositBench.secret)
    #expect(try await bench.vault.verify().isGood)
  }

  @Test("the file holds nothing that a second depositor can read, and its size tells only a size class")
  func sealed() async throws {
    let bench = try await DepositBench()
    let sizes = try (1...30).map { count in
      let members = JSONObject(members: ["password": String(repeating: "x", count: count), "title": "T"])
      let id = try bench.locked.deposit(Deposit(.record(kind: "login", members: members)))
      let bytes = try #require(try bench.store.read(.inbox(id)))
      #expect(!String(decoding: bytes, as: UTF8.self).contains("xxxx"))
      return bytes.count
    }
    #expect(Set(sizes).count <= 2, "\(sizes)")
  }

  @Test("a value replaces the present one, which stays as a former value")
  func value() async throws {
    let bench = try await DepositBench()
    let id = try bench.locked.deposit(bench.password("after"))
    #expect(try await bench.vault.inbox().map(\.state) == [.replaces(bench.login)])
    #expect(try await bench.password() == "before")
    let accepted = try await bench.vault.accept(id)
    #expect(accepted.record == bench.login)
    #expect(accepted.replacedRevision == 1)
    #expect(try await bench.password() == "after")
    let record = try await bench.vault.record(bench.login)
    #expect(try record.formerSecrets(at: MemberPath(parsing: "password")).count == 1)
  }

  @Test("a value for an empty field that is put back after the field was emptied again is marked as old")
  func replayedIntoEmptyField() async throws {
    let bench = try await DepositBench()
    let notes = try MemberPath(parsing: "notes")
    bench.test.clock.advance(by: .seconds(2))
    let deposit = Deposit(
      .value(record: bench.login.text, field: notes, value: "old", replaces: nil), at: bench.test.clock.now)
    let id = try bench.locked.deposit(deposit)
    let file = try #require(try bench.store.read(.inbox(id)))
    #expect(try await bench.vault.inbox().map(\.state) == [.replaces(bench.login)])
    bench.test.clock.advance(by: .seconds(2))
    try await bench.vault.accept(id)
    _ = try await bench.vault.edit(bench.login, [.unset(notes)])
    try bench.put(file, as: id)
    #expect(try await bench.vault.inbox().map(\.state) == [.mayBeOld(bench.login)])
  }

  @Test("an interrupted acceptance is finished: the second one finds the record and removes the deposit")
  func interrupted() async throws {
    let bench = try await DepositBench()
    for deposit in [DepositBench.login("GitHub"), try bench.password("after")] {
      let id = try bench.locked.deposit(deposit)
      let bytes = try #require(try bench.store.read(.inbox(id)))
      let first = try await bench.vault.accept(id)
      let stored = try bench.documents()
      try bench.put(bytes, as: id)
      let second = try await bench.vault.accept(id)
      #expect(!first.wasThere && second.wasThere)
      #expect(try bench.documents() == stored, "nothing is stored twice")
      #expect(try bench.store.heldDeposits().isEmpty)
    }
  }

  @Test("a replayed record is known as accepted, live or removed; a replayed value is marked as old")
  func replayed() async throws {
    let bench = try await DepositBench()
    let record = try bench.locked.deposit(DepositBench.login("GitHub"))
    let value = try bench.locked.deposit(bench.password("after"))
    let files = try [record, value].map { (id: $0, bytes: try #require(try bench.store.read(.inbox($0)))) }
    for file in files { try await bench.vault.accept(file.id) }
    bench.test.clock.advance(by: .seconds(2))
    _ = try await bench.vault.edit(
      bench.login, [.seal(MemberPath(parsing: "password"), SecretBytes.of("later"))])
    try await bench.vault.remove([record])
    for file in files { try bench.put(file.bytes, as: file.id) }
    let states = Dictionary(uniqueKeysWithValues: try await bench.vault.inbox().map { ($0.id, $0.state) })
    #expect(states[record] == .isAccepted)
    #expect(states[value] == .mayBeOld(bench.login))
    #expect(try await bench.password() == "later")
  }

  @Test("a vault without the keys of deposits takes none until they are made; its other files stay")
  func enabled() async throws {
    let bench = try await DepositBench()
    let header = try bench.header()
    #expect(header["deposit"]?.object?.names == ["id", "key", "recipient", "wrap"])
    #expect(try await !bench.vault.enableDeposits())
  }

  @Test("a reseal makes another recipient, and opens what was sealed to the earlier ones; a rewrap keeps it")
  func rotated() async throws {
    let bench = try await DepositBench()
    let old = try bench.locked
    var vault = bench.vault
    for reason in [KeyringEntry.Reason.rewrap, .reseal, .rewrap, .reseal] {
      let recipient = try bench.locked.header.deposit?.recipient
      try bench.locked.deposit(DepositBench.login("before \(reason)"))
      _ = try await vault.rotate(reason)
      vault = try await bench.test.reopened()
      #expect((try bench.locked.header.deposit?.recipient == recipient) == (reason == .rewrap))
    }
    // A depositor with an old copy of the header.
    try old.deposit(DepositBench.login("late"))
    let waiting = try await vault.inbox()
    #expect(waiting.count == 5)
    for deposit in waiting { try await vault.accept(deposit) }
    #expect(try await vault.list().count == 6)
    #expect(try await vault.verify().isGood)
  }

  @Test(
    "the recipient is post-quantum if the slots of the vault are, and `requires` says so",
    .enabled(if: Need.postQuantum.isMet(forCases: 1, of: "post-quantum recipients of deposits")))
  func postQuantum() async throws {
    let identity = try AgeIdentity.generatePostQuantum()
    let store = MemoryStore()
    var options = Vault.Options(state: nil)
    options.types = [Login.self]
    let vault = try await Vault.create(
      in: store, slots: [NewSlot(.recipient(try identity.recipient), label: "")], options: options)
    #expect(vault.header.deposit?.recipient.isPostQuantum == true)
    let id = try LockedVault(store: store).deposit(DepositBench.login("GitHub"))
    #expect(try await vault.accept(id).record == id)
    // A slot that is not post-quantum: the present key stays, and the next one is like the slots.
    let other = try AgeIdentity.generate()
    _ = try await vault.addSlot(NewSlot(.recipient(try other.recipient), label: "other"))
    _ = try await vault.rotate(.reseal)
    let after = try LockedVault(store: store).header
    #expect(after.deposit?.recipient.isPostQuantum == false)
    #expect(after.requirements == ["mlkem768x25519"])
  }

  @Test("signers are in the header under its MAC, and survive a reseal")
  func signers() async throws {
    let bench = try await DepositBench()
    try await bench.vault.setDepositSigners("ada@example.org ssh-ed25519 AAAA\n")
    _ = try await bench.vault.rotate(.reseal)
    let vault = try await bench.test.reopened()
    #expect(vault.header.deposit?.signers == "ada@example.org ssh-ed25519 AAAA\n")
    var members = try bench.header()
    var deposit = try #require(members["deposit"]?.object)
    deposit["signers"] = .string("eve@example.org ssh-ed25519 AAAA\n")
    members["deposit"] = .object(deposit)
    try bench.store.put(JSONValue.object(members).prettyBytes(), at: .header)
    await #expect(throws: VaultError(.damaged, "")) { try await bench.test.reopened() }
  }

  @Test("what the kind does not allow is refused before anything is sealed")
  func refusedInput() async throws {
    let bench = try await DepositBench()
    let wrong: [(Deposit.Content, VaultError.Code)] = [
      (.record(kind: "login", members: JSONObject(members: ["title": "A", "nonsense": "x"])), .inputRefused),
      (.record(kind: "login", members: JSONObject(members: ["title": 5])), .inputRefused),
      (.record(kind: "nosuch", members: JSONObject()), .unknownKind),
      (.record(kind: "login", members: JSONObject(members: ["title": "A", "$vault": JSONObject()])), .inputRefused),
      (
        .value(record: bench.login.text, field: try MemberPath(parsing: "username"), value: "x", replaces: nil),
        .inputRefused
      ),
      (
        .value(record: bench.login.text, field: try MemberPath(parsing: "nonsense"), value: "x", replaces: nil),
        .inputRefused
      ),
      (
        .value(record: bench.login.text, field: try MemberPath(parsing: "password"), value: "", replaces: nil),
        .inputRefused
      ),
      (
        .record(
          kind: "secure-note",
          members: JSONObject(members: ["title": "A", "note": String(repeating: "x", count: 300_000)])), .inputRefused
      ),
    ]
    for (content, code) in wrong {
      let error = #expect(throws: VaultError.self) { try bench.locked.deposit(Deposit(content)) }
      #expect(error?.code == code, "\(content)")
    }
    #expect(try bench.store.heldDeposits().isEmpty)
  }

  @Test("an inbox with 10,000 files is full; only so many are listed")
  func count() async throws {
    let bench = try await DepositBench()
    for _ in 0..<10_001 { try bench.put([1, 2, 3]) }
    #expect(throws: VaultError(.inputRefused, "")) { try bench.locked.deposit(DepositBench.login("one more")) }
    let waiting = try await bench.vault.inbox()
    #expect(waiting.count == 10_000)
    try await bench.vault.dropDeposits(try bench.store.heldDeposits())
    try bench.locked.deposit(DepositBench.login("room again"))
  }
}

extension SecretBytes {
  fileprivate static func of(_ text: String) throws -> SecretBytes {
    let bytes = Array(text.utf8)
    return try unsafe SecretBytes(copying: bytes.span.bytes)
  }
}
