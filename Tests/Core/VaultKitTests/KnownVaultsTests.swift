import Synchronization
import Testing
import VaultAge
import VaultCare
import VaultDocument
import VaultKit
import VaultRecords
import VaultStorage
import VaultTestSupport

/// A vault in a folder, and a machine's state beside it.
private struct Bench {
  let folder = TemporaryFolder()
  let identity: AgeIdentity
  let notes = Notes()
  var path: String { folder.path + "/v" }
  var options: Vault.Options { options(folder.path + "/state") }
  /// Another machine.
  var elsewhere: Vault.Options { options(folder.path + "/other") }

  final class Notes: Sendable {
    let all = Mutex<[StateNote]>([])
    var count: Int { all.withLock { $0.count } }
  }

  init() throws { identity = try AgeIdentity.generate() }

  func options(_ directory: String) -> Vault.Options {
    var options = Vault.Options(state: nil)
    options.state = KnownVaults(directory: directory)
    options.onStateNote = { [notes] note in notes.all.withLock { $0.append(note) } }
    return options
  }

  func create() async throws -> Vault {
    try await Vault.create(at: path, slots: [NewSlot(.recipient(identity.recipient))], options: options)
  }

  func open(_ options: Vault.Options? = nil) async throws -> Vault {
    try await Vault.open(at: path, unlockingWith: .identity(identity), options: options ?? self.options)
  }

  /// Writes the next header, with one more slot, as another machine would.
  func addSlot(to vault: Vault, label: String) async throws {
    try await vault.writing { lock throws(VaultError) in
      let old = vault.header
      let root = vault.keyring.current
      let (slot, file) = try SlotFile.make(
        NewSlot(.recipient(inAge { try AgeIdentity.generate().recipient }), label: label), root: root, now: .now())
      let header = try VaultHeader.make(
        vaultID: old.vaultID, createdAt: old.createdAt, revision: old.revision + 1, root: root,
        rootCreatedAt: old.root.createdAt, slots: old.slots + [slot])
      try vault.apply(
        [
          StoreChange(.slot(slot.id), from: nil, to: file),
          StoreChange(.header, from: vault.locked.readHeader(), to: header.fileBytes()),
        ], lock)
    }
  }
}

private func inAge<Result>(_ body: () throws -> Result) -> Result {
  // Random bytes for an identity can always be had in a test.
  guard let result = try? body() else { preconditionFailure("no identity") }
  return result
}

@Suite("What a machine remembers")
struct KnownVaultsTests {
  @Test("nothing is remembered without a state, and all that is written is for the owner only")
  func optional() async throws {
    let bench = try Bench()
    let vault = try await bench.create()
    _ = try await vault.add(sampleCustomer())
    _ = try await bench.open(Vault.Options(state: nil))
    let state = bench.folder.path + "/state"
    let files = FileTree.files(below: state)
    #expect(files.count == 4, "\(files)")
    for file in files { #expect(FileTree.mode(of: state + "/" + file) == 0o600) }
    for place in ["", "/pins", "/paths", "/seen", "/.staging"] { #expect(FileTree.mode(of: state + place) == 0o700) }
    #expect(FileTree.names(in: state + "/.staging").isEmpty)
  }

  @Test("the first use pins and says so; a copy elsewhere is told of as one, and a moved vault is the same vault")
  func firstUse() async throws {
    let bench = try Bench()
    _ = try await bench.create()
    #expect(bench.notes.count == 0)
    _ = try await bench.open(bench.elsewhere)
    guard case .firstUse(let fingerprint)? = bench.notes.all.withLock({ $0.first }) else {
      Issue.record("the first use was not told")
      return
    }
    #expect(try fingerprint == LockedVault(at: bench.path).fingerprint())
    let copy = bench.folder.path + "/copy"
    FileTree.copy(bench.path, to: copy)
    let opened = try await Vault.open(at: copy, unlockingWith: .identity(bench.identity), options: bench.options)
    guard case .copy(let original)? = bench.notes.all.withLock({ $0.last }) else {
      Issue.record("that it is a copy was not told")
      return
    }
    #expect(original.split(separator: "/").last == bench.path.split(separator: "/").last)
    let paths = try #require(bench.options.state).paths(of: opened.header.vaultID)
    // If the temporary folder lies behind a link, each is also known without it.
    #expect(Set(paths.map { $0.split(separator: "/").last }).count == 2)
    _ = try await Vault.open(at: copy, unlockingWith: .identity(bench.identity), options: bench.options)
    #expect(bench.notes.count == 2, "once for each copy")
    FileTree.copy(copy, to: copy + "-moved")
    for place in [copy, bench.path] { FileTree.remove(place) }
    _ = try await Vault.open(at: copy + "-moved", unlockingWith: .identity(bench.identity), options: bench.options)
    #expect(bench.notes.count == 2, "what is nowhere else is no copy")
  }

  @Test("another vault at a known path and another root of a known id are refused before a key is used")
  func identity() async throws {
    let bench = try Bench()
    _ = try await bench.create()
    FileTree.remove(bench.path)
    _ = try await Vault.create(
      at: bench.path, slots: [NewSlot(.recipient(bench.identity.recipient))], options: Vault.Options(state: nil))
    await #expect(throws: VaultError(.unexpectedVault, "")) {
      // An identity without a slot would be `.noMatchingSlot`, were it tried.
      try await Vault.open(at: bench.path, unlockingWith: .identity(AgeIdentity.generate()), options: bench.options)
    }
    let state = try #require(bench.options.state)
    try state.accept(LockedVault(at: bench.path))
    _ = try await bench.open()
    #expect(try state.forget(LockedVault(at: bench.path)))
    #expect(try state.pinState(of: LockedVault(at: bench.path)) == .new)
  }

  @Test("an older header is a rollback; damage comes before it; accepting the fingerprint ends it")
  func rollback() async throws {
    let bench = try Bench()
    let vault = try await bench.create()
    let old = try #require(FileTree.contents(of: bench.path + "/vault.json"))
    try await bench.addSlot(to: vault, label: "second")
    FileTree.write(old, to: bench.path + "/vault.json")
    await #expect(throws: VaultError(.rolledBack, "")) { try await bench.open() }
    FileTree.write(old.flipping("\"mac\" : \""), to: bench.path + "/vault.json")
    await #expect(throws: VaultError(.damaged, "")) { try await bench.open() }
    FileTree.write(old, to: bench.path + "/vault.json")
    _ = try await bench.open(bench.elsewhere)
    try #require(bench.options.state).accept(LockedVault(at: bench.path))
    _ = try await bench.open()
  }

  @Test("two headers with one revision are a fork")
  func fork() async throws {
    let bench = try Bench()
    let vault = try await bench.create()
    let first = try #require(FileTree.contents(of: bench.path + "/vault.json"))
    let other = try await bench.open(bench.elsewhere)
    try await bench.addSlot(to: vault, label: "here")
    FileTree.write(first, to: bench.path + "/vault.json")
    try await bench.addSlot(to: other, label: "there")
    await #expect(throws: VaultError(.forked, "")) { try await bench.open() }
  }

  @Test("own header writes renew the pin at once; those of others are told with the slots they changed")
  func slots() async throws {
    let bench = try Bench()
    let vault = try await bench.create()
    try await bench.addSlot(to: vault, label: "mine")
    let pin = try #require(try bench.options.state?.pin(of: vault.header.vaultID))
    #expect(pin.header?.revision == 2)
    #expect(pin.slots.map(\.label) == ["", "mine"])
    #expect(bench.notes.count == 0)
    let other = try await bench.open(bench.elsewhere)
    try await bench.addSlot(to: other, label: "theirs")
    // The vault that is open here meets it with the lock of its next write.
    _ = try await vault.add(sampleCustomer())
    guard case .slotsChanged(let added, let removed)? = bench.notes.all.withLock({ $0.last }) else {
      Issue.record("the new slot was not told")
      return
    }
    #expect(added.map(\.label) == ["theirs"])
    #expect(removed.isEmpty)
    let count = bench.notes.count
    _ = try await bench.open()
    #expect(bench.notes.count == count)
  }

  @Test("a rotation here renews the pin; one elsewhere is refused; dying between header and pin locks nobody out")
  func rotation() async throws {
    let bench = try Bench()
    let vault = try await bench.create()
    let id = try await vault.add(sampleCustomer())
    for name in ["before", "dead"] { FileTree.copy(bench.folder.path + "/state", to: bench.folder.path + "/" + name) }
    _ = try await vault.rotate(.reseal)
    let again = try await bench.open()
    _ = try await again.record(id)
    #expect(try await again.verify().isGood)
    let before = bench.options(bench.folder.path + "/before")
    await #expect(throws: VaultError(.unexpectedVault, "")) { try await bench.open(before) }
    try before.state?.accept(LockedVault(at: bench.path))
    _ = try await bench.open(before).record(id)
    let dead = bench.options(bench.folder.path + "/dead")
    try dead.state?.announce(again.header)
    _ = try await bench.open(dead).record(id)
  }

  @Test("an older record is refused by every verified read and by changes; the newest is taken again")
  func records() async throws {
    let bench = try Bench()
    let vault = try await bench.create()
    let id = try await vault.add(sampleCustomer())
    let file = bench.path + "/" + StoreLocation.record(id).relativePath
    let old = try #require(FileTree.contents(of: file))
    let path = try MemberPath(parsing: "website")
    try await vault.edit(id, [.set(path, to: "a.example")])
    let new = try #require(FileTree.contents(of: file))
    FileTree.write(old, to: file)
    let again = try await bench.open()
    await #expect(throws: VaultError(.rolledBack, "")) { try await again.record(id) }
    await #expect(throws: VaultError(.rolledBack, "")) { try await again.edit(id, [.set(path, to: "b.example")]) }
    await #expect(throws: VaultError(.rolledBack, "")) { try await again.remove([id]) }
    await #expect(throws: VaultError(.rolledBack, "")) { try await again.forEachOpenRecord { _ in } }
    #expect(try await again.listed().faults.map(\.code) == [.rolledBack])
    #expect(try await again.verify().faults.map(\.code) == [.rolledBack])
    FileTree.write(new, to: file)
    #expect(try await bench.open().verify().isGood)
  }

  @Test("removing, restoring and emptying here leave nothing to report; a record that others delete is missed")
  func lifeCycle() async throws {
    let bench = try Bench()
    let vault = try await bench.create()
    let ids = try await [vault.add(sampleCustomer("One")), vault.add(sampleCustomer("Two"))]
    try await vault.remove([ids[0]])
    #expect(try await vault.verify().isGood)
    try await vault.restore([ids[0]])
    #expect(try await vault.verify().isGood)
    try await vault.remove([ids[0]])
    _ = try await vault.emptyTrash()
    let emptied = try await bench.open().verify()
    #expect(emptied.isGood)
    #expect(emptied.notes.isEmpty)
    FileTree.remove(bench.path + "/" + StoreLocation.record(ids[1]).relativePath)
    #expect(try await bench.open().verify().faults.map(\.code) == [.vanished])
    _ = try await bench.open().makeCheckpoint(acceptingRollback: true)
    #expect(try await bench.open().verify().isGood)
  }

  @Test("the checkpoint is remembered: an older one and none are faults")
  func checkpoint() async throws {
    let bench = try Bench()
    let vault = try await bench.create()
    _ = try await vault.makeCheckpoint()
    let file = bench.path + "/checkpoint.jsonl"
    let old = try #require(FileTree.contents(of: file))
    _ = try await vault.makeCheckpoint()
    let state = try #require(bench.options.state)
    #expect(try state.expectedCheckpoint(of: vault.header.vaultID)?.sequence == 2)
    #expect(try await bench.open().verify().isGood)
    FileTree.write(old, to: file)
    #expect(try await bench.open().verify().faults.map(\.code) == [.rolledBack])
    FileTree.remove(file)
    #expect(try await bench.open().verify().faults.map(\.code) == [.rolledBack])
  }

  @Test("a state file that is damaged, or no file, is an error and never a first use")
  func damagedState() async throws {
    let bench = try Bench()
    let vault = try await bench.create()
    let id = try await vault.add(sampleCustomer())
    let state = bench.folder.path + "/state"
    for file in FileTree.files(below: state) where file.hasSuffix(".json") {
      let bytes = try #require(FileTree.contents(of: state + "/" + file))
      FileTree.write(Array("{}".utf8), to: state + "/" + file)
      await #expect(throws: VaultError(.damagedState, ""), "\(file)") { try await bench.open().record(id) }
      FileTree.remove(state + "/" + file)
      FileTree.makeFolder(state + "/" + file)
      await #expect(throws: VaultError(.damagedState, ""), "\(file)") { try await bench.open().record(id) }
      FileTree.remove(state + "/" + file)
      FileTree.write(bytes, to: state + "/" + file)
      _ = try await bench.open().record(id)
    }
  }

  @Test("where nothing can be written the vault works, says so once, and is still compared")
  func unwritable() async throws {
    let bench = try Bench()
    _ = try await bench.create()
    var options = bench.options
    options.state = KnownVaults(directory: "/proc/self/no-such-folder")
    let vault = try await bench.open(options)
    let id = try await vault.add(sampleCustomer())
    _ = try await vault.record(id)
    #expect(bench.notes.count == 1)
    guard case .notRemembered? = bench.notes.all.withLock({ $0.first }) else {
      Issue.record("it was not told that nothing is remembered")
      return
    }
    let old = try vault.store.read(.record(id))
    try await vault.update(id, as: Customer.self) { $0.name = "Later" }
    _ = try await vault.record(id)
    let new = try vault.store.read(.record(id))
    try vault.store.apply([StoreChange(.record(id), from: new, to: old)])
    await #expect(throws: VaultError(.rolledBack, "")) { try await vault.record(id) }
  }
}
