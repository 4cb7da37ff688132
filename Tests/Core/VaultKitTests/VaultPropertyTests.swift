import FoundationEssentials
import Testing
import VaultAge
import VaultCrypto
import VaultDocument
import VaultFileStore
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTestSupport

/// Random calls of a vault beside a dictionary that does the same.
@Suite("Random calls against a model") struct VaultPropertyTests {
  enum Call: Sendable, Equatable {
    case add(String)
    /// Adds several at once; with a bad one among them none may be added.
    case addAll([String], hasBadOne: Bool)
    /// Picks a live record by a number, so that a shorter sequence still means something.
    case edit(Int, String)
    case update(Int, String)
    case unset(Int)
    /// Removes several, the same one twice never; `.max` stands for a record that is not there.
    case remove([Int])
    case reopen
  }

  /// The content of a record, in clear.
  private struct Content: Equatable {
    var name: String
    var secret: String
    var code: String?
  }

  private static func calls(seed: UInt64) -> [Call] {
    var random = SeededGenerator(seed: seed)
    return (0..<40).map { number in
      let pick = Int.random(in: 0..<64, using: &random)
      switch Int.random(in: 0..<12, using: &random) {
      case 0...2: return .add("r\(number)")
      case 3:
        let names = (0..<Int.random(in: 1...12, using: &random)).map { "b\(number)-\($0)" }
        return .addAll(names, hasBadOne: Int.random(in: 0..<4, using: &random) == 0)
      case 4...5: return .edit(pick, "e\(number % 4)")
      case 6...7: return .update(pick, "u\(number % 4)")
      case 8: return .unset(pick)
      case 9: return .remove([pick])
      case 10: return .remove([pick, pick + 1, Bool.random(using: &random) ? pick + 2 : .max])
      default: return .reopen
      }
    }
  }

  /// A vault with its model, which never reads the vault.
  private struct Run {
    let store: any RecordStore
    let key: VaultKey
    var vault: Vault
    var model: [RecordID: Content] = [:]
    var removed: Set<RecordID> = []

    init(_ store: any RecordStore) async throws {
      let identity = try AgeIdentity.generate()
      self.store = store
      key = .identity(identity)
      vault = try await Vault.create(
        in: store, slots: [NewSlot(.recipient(identity.recipient))], options: Vault.Options(state: nil))
    }

    /// Makes one call and returns the fault of its result, if any.
    mutating func make(_ call: Call) async throws -> String? {
      let ids = model.keys.sorted()
      switch call {
      case .reopen: vault = try await LockedVault(store: store).unlock(with: key, options: Vault.Options(state: nil))
      case .add(let name):
        let id = try await vault.add(customer(name))
        guard model.updateValue(Content(name: name, secret: "s-" + name, code: "c-" + name), forKey: id) == nil else {
          return "an id was given twice"
        }
      case .addAll(let names, let hasBadOne): return try await addAll(names, hasBadOne)
      case .edit(let pick, let secret):
        guard let id = pick.picked(from: ids) else { return nil }
        return try await change(id, to: secret) { vault throws(VaultError) in
          try await vault.edit(id, [.seal(accessKeyPath, secretBytes(secret))])
        }
      case .update(let pick, let secret):
        guard let id = pick.picked(from: ids) else { return nil }
        return try await change(id, to: secret) { vault throws(VaultError) in
          try await vault.update(id, as: Customer.self) { $0.accessKey = EncryptedCodableString(secret) }
        }
      case .unset(let pick): return try await unset(pick.picked(from: ids))
      case .remove(let picks): return try await remove(picks, ids)
      }
      return nil
    }

    private func customer(_ name: String) -> Customer {
      Customer(
        name: name, accessKey: EncryptedCodableString("s-" + name), atmCode: EncryptedCodableString("c-" + name),
        addedOn: Date(timeIntervalSince1970: 1_597_863_026))
    }

    private mutating func addAll(_ names: [String], _ hasBadOne: Bool) async throws -> String? {
      var inputs = try names.map { name in
        try JSONObject([
          ("name", .string(name)), ("access_key", .string("s-" + name)), ("added_on", .string("2020-08-19T18:50:26Z")),
        ])
      }
      if hasBadOne { inputs[inputs.count / 2]["access_key"] = nil }
      let ids = try? await vault.add(inputs, kind: RecordKind(of: Customer.self))
      guard (ids == nil) == hasBadOne else { return "a batch with a bad record was taken, or a good one was not" }
      for (id, name) in zip(ids ?? [], names) { model[id] = Content(name: name, secret: "s-" + name) }
      return nil
    }

    private mutating func change(
      _ id: RecordID, to secret: String, _ body: (Vault) async throws(VaultError) -> Bool
    ) async throws -> String? {
      let isNew = model[id]?.secret != secret
      guard try await body(vault) == isNew else { return "a change was reported as none, or none as one" }
      model[id]?.secret = secret
      return nil
    }

    private mutating func unset(_ id: RecordID?) async throws -> String? {
      guard let id else { return nil }
      let hadCode = model[id]?.code != nil
      let isDone = (try? await vault.edit(id, [.unset(MemberPath(parsing: "atm_code"))])) != nil
      guard isDone == hadCode else { return "a member that is not there was unset, or one that is was not" }
      model[id]?.code = nil
      return nil
    }

    private mutating func remove(_ picks: [Int], _ ids: [RecordID]) async throws -> String? {
      let missing = RecordID(bytes: Array(repeating: 0xAA, count: 16))
      let chosen = Set(picks.compactMap { $0 == .max ? missing : $0.picked(from: ids) })
      let isPossible = chosen.allSatisfy { model[$0] != nil }
      guard ((try? await vault.remove(Array(chosen))) != nil) == isPossible else {
        return "records were removed beside one that is not there, or were not"
      }
      guard isPossible else { return nil }
      for id in chosen { model[id] = nil }
      removed.formUnion(chosen)
      return nil
    }

    /// The first difference between the content of the vault and the model.
    func difference() async throws -> String? {
      var found: [RecordID: Content] = [:]
      try await vault.forEachOpenRecord { record throws(VaultError) in
        let customer = try record.decoded(as: Customer.self)
        found[record.id] = Content(
          name: customer.name, secret: revealed(customer.accessKey) ?? "",
          code: customer.atmCode.flatMap { revealed($0) })
      }
      if found != model { return "another state" }
      return try store.trashed() == removed.sorted() ? nil : "another trash"
    }
  }

  /// Runs a sequence on a new vault; returns the first fault.
  private func run(_ calls: [Call], inMemory: Bool) async throws -> String? {
    let folder = TemporaryFolder()
    let store: any RecordStore
    if inMemory {
      store = MemoryStore()
    } else {
      let quiet = FaultyFileOperations(recorder: SimulatedDisk())
      store = try DirectoryStore.create(at: folder.path + "/vault", operations: quiet)
    }
    var run = try await Run(store)
    for (index, call) in calls.enumerated() {
      if let fault = try await run.make(call) { return "call \(index): \(fault)" }
      if let fault = try await run.difference() { return "call \(index): \(fault)" }
    }
    return nil
  }

  /// Leaves out calls as long as the sequence still fails.
  private func shrunk(_ calls: [Call], inMemory: Bool) async throws -> [Call] {
    var (calls, index) = (calls, 0)
    while index < calls.count {
      var fewer = calls
      fewer.remove(at: index)
      if try await run(fewer, inMemory: inMemory) != nil { calls = fewer } else { index += 1 }
    }
    return calls
  }

  @Test("a vault does what a dictionary does", arguments: [true, false])
  func model(inMemory: Bool) async throws {
    var seeds = SeededGenerator.announced(for: "vault against model, \(inMemory ? "memory" : "directory")")
    for round in 0..<8 {
      let calls = Self.calls(seed: seeds.next())
      guard let fault = try await run(calls, inMemory: inMemory) else { continue }
      let shortest = try await shrunk(calls, inMemory: inMemory)
      Issue.record("round \(round): \(fault); shortest sequence: \(shortest)")
      return
    }
  }
}

private let accessKeyPath: MemberPath = {
  guard let path = try? MemberPath(parsing: "access_key") else { preconditionFailure("a path of a test is wrong") }
  return path
}()

private func secretBytes(_ text: String) -> SecretBytes {
  guard let bytes = try? secret(text) else { preconditionFailure("no secure memory for a test") }
  return bytes
}

private func revealed(_ text: EncryptedCodableString) -> String? { try? text.reveal() }

extension Int {
  /// The element for this number; nil for an empty list.
  fileprivate func picked(from ids: [RecordID]) -> RecordID? { ids.isEmpty ? nil : ids[self % ids.count] }
}
