import FoundationEssentials
import Testing
import VaultAge
import VaultCrypto
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage

/// A vault in memory with one identity, and the identity.
func memoryVault(
  now: Timestamp? = nil, lockTimeout: Duration? = nil
) async throws -> (vault: Vault, identity: AgeIdentity, store: MemoryStore) {
  let identity = try AgeIdentity.generate()
  let store = MemoryStore()
  var options = Vault.Options(state: nil)
  if let now { options.now = { now } }
  if let lockTimeout { options.lockTimeout = lockTimeout }
  let vault = try await Vault.create(in: store, slots: [NewSlot(.recipient(identity.recipient))], options: options)
  return (vault, identity, store)
}

func sampleCustomer(_ name: String = "Shai Mishali", key: EncryptedCodableString = "S|_|p3rs3cr37") -> Customer {
  Customer(
    name: name, accessKey: key, atmCode: "1132", addedOn: Date(timeIntervalSince1970: 1_597_863_026),
    street: "3828 Piermont Drive", city: "Albuquerque", zip: "87112", homePhone: "+1 212-555-0001",
    email: "shai@example.com")
}

func secret(_ text: String) throws -> SecretBytes { try unsafe SecretBytes(copying: text.utf8Span.span.bytes) }

func lines(_ bytes: [UInt8]?) -> [String] {
  String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
}

@Suite("A vault")
struct VaultRoundTripTests {
  @Test("gives back what was added, after it is opened again")
  func addAndGet() async throws {
    let (vault, identity, store) = try await memoryVault()
    let id = try await vault.add(sampleCustomer())
    let again = try await LockedVault(store: store).unlock(
      with: .identity(identity), options: Vault.Options(state: nil))
    #expect(try await again.record(id, as: Customer.self).value == sampleCustomer())
    let customers = try await again.records(of: Customer.self)
    #expect(customers.map(\.value) == [sampleCustomer()])
  }

  @Test("opens with its passphrase, and says when it is wrong")
  func passphrase() async throws {
    let store = MemoryStore()
    let passphrase = try secret("correct horse")
    let vault = try await Vault.create(
      in: store, slots: [NewSlot(.passphrase(passphrase, workFactor: 10))], options: Vault.Options(state: nil))
    let id = try await vault.add(sampleCustomer())
    let again = try await LockedVault(store: store).unlock(
      with: .passphrase(passphrase), options: Vault.Options(state: nil))
    #expect(try await again.record(id, as: Customer.self).value == sampleCustomer())
    let wrong = try secret("wrong horse")
    await #expect(throws: VaultError(.wrongPassphrase, "")) {
      try await LockedVault(store: store).unlock(with: .passphrase(wrong), options: Vault.Options(state: nil))
    }
    let stranger = try AgeIdentity.generate()
    await #expect(throws: VaultError(.noMatchingSlot, "")) {
      try await LockedVault(store: store).unlock(with: .identity(stranger), options: Vault.Options(state: nil))
    }
  }

  @Test("changing one field changes its line, mac, revision and updated_at")
  func smallDiff() async throws {
    let (vault, _, store) = try await memoryVault()
    let id = try await vault.add(sampleCustomer())
    let before = try lines(store.read(.record(id)))
    #expect(try await vault.update(id, as: Customer.self) { $0.accessKey = "another" })
    // The replaced value is a former one, in five lines of its own.
    let all = try lines(store.read(.record(id)))
    let start = try #require(all.firstIndex { $0.contains("\"former\"") })
    let after = Array(all[..<start] + all[(start + 5)...])
    #expect(before.count == after.count)
    let changed = zip(before, after).filter { $0 != $1 }.map { line in
      line.0.split(separator: "\"").dropFirst().first.map(String.init) ?? ""
    }
    // updated_at has milliseconds and may, within one of them, be the same.
    #expect(Set(changed).union(["updated_at"]) == ["mac", "revision", "updated_at", "access_key"])
  }

  @Test("setting the same value writes nothing")
  func unchanged() async throws {
    let (vault, _, store) = try await memoryVault()
    let id = try await vault.add(sampleCustomer())
    let before = try store.read(.record(id))
    #expect(try await !vault.update(id, as: Customer.self) { $0.accessKey = "S|_|p3rs3cr37" })
    #expect(try store.read(.record(id)) == before)
    let secret = try secret("1132")
    #expect(
      try await !vault.edit(
        id,
        [
          .seal(MemberPath(parsing: "atm_code"), secret),
          .set(MemberPath(parsing: "address.city"), to: .string("Albuquerque")),
          .set(MemberPath(parsing: "added_on"), to: .string("2020-08-19T20:50:26+02:00")),
        ]))
    #expect(try store.read(.record(id)) == before)
  }

  @Test("removing moves a record to the trash, where it still verifies by shape")
  func remove() async throws {
    let (vault, _, store) = try await memoryVault()
    let id = try await vault.add(sampleCustomer())
    try await vault.remove([id])
    #expect(try store.read(.record(id)) == nil)
    #expect(try lines(store.read(.trash(id))).contains { $0.contains("\"deleted_at\"") })
    await #expect(throws: VaultError(.noSuchRecord, "")) { try await vault.record(id) }
  }

  @Test("adding several keeps their order in the order of ids, and one bad input stores none")
  func batch() async throws {
    let (vault, _, _) = try await memoryVault()
    let kind = try KindCatalog.builtIn.kind(named: "customer")
    let inputs = try (0..<20).map { index in try clear("N\(index)") }
    let ids = try await vault.add(inputs, kind: kind)
    #expect(ids == ids.sorted())
    #expect(try await vault.records(of: Customer.self).map(\.name) == (0..<20).map { "N\($0)" })
    var bad = try clear("bad")
    bad["access_key"] = nil
    await #expect(throws: VaultError(.inputRefused, "")) { try await vault.add(inputs + [bad], kind: kind) }
    #expect(try await vault.records(of: Customer.self).count == 20)
  }

  private func clear(_ name: String) throws -> JSONObject {
    let text = #"{"name":"\#(name)","access_key":"k","added_on":"2020-08-19T18:50:26Z"}"#
    guard case .object(let members) = try JSONParser.parse([UInt8](text.utf8)) else { return JSONObject() }
    return members
  }
}
