import Testing
import VaultAge
import VaultCare
import VaultCrypto
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTestSupport

/// Changes that an attacker can make to the files of a vault, and the reports of a reader with the key.
@Suite("A damaged or tampered vault")
struct DamageTests {
  @Test("every flipped byte of a record, header or slot is an error or the identical meaning, never another value")
  func everyByte() async throws {
    let (vault, identity, store) = try await memoryVault()
    let id = try await vault.add(sampleCustomer())
    let slot = try #require(vault.header.slots.first).id
    for location in [StoreLocation.record(id), .header, .slot(slot)] {
      let good = try #require(try store.read(location))
      for offset in Sweep("flips of \(location)", in: good.indices) {
        for flip: UInt8 in [0x01, 0x20, 0x80] {
          var bad = good
          bad[offset] ^= flip
          try store.put(bad, at: location)
          await expectSameOrRefused(store, identity, id, "\(location.relativePath) at \(offset) by \(flip)")
        }
      }
      try store.put(good, at: location)
    }
  }

  @Test("a truncated or doubled file is refused")
  func lengths() async throws {
    let (vault, identity, store) = try await memoryVault()
    let id = try await vault.add(sampleCustomer())
    let slot = try #require(vault.header.slots.first).id
    for location in [StoreLocation.record(id), .header, .slot(slot)] {
      let good = try #require(try store.read(location))
      // Only a record's and the header's final newline carry no meaning.
      for bad in [[], Array(good.dropLast(2)), Array(good.prefix(good.count / 2)), good + good] {
        try store.put(bad, at: location)
        await #expect(throws: VaultError(.damaged, "")) {
          try await LockedVault(store: store).unlock(with: .identity(identity), options: Vault.Options(state: nil))
            .record(id)
        }
      }
      try store.put(good, at: location)
    }
  }

  @Test("two secrets of one record that changed places are refused")
  func swappedFields() async throws {
    try await expectDamaged { members in
      let first = members["access_key"]
      members["access_key"] = members["atm_code"]
      members["atm_code"] = first
    }
  }

  @Test("a readable field, a name, a number's type, the kind or a time that was changed is refused")
  func edits() async throws {
    try await expectDamaged { $0["name"] = .string("Somebody Else") }
    try await expectDamaged { $0["extra"] = .string("x") }
    try await expectDamaged { $0["contact_info"] = nil }
    try await expectDamaged { members in
      members["nom"] = members["name"]
      members["name"] = nil
    }
    try await expectDamaged { $0.editEnvelope { $0["kind"] = .string("login") } }
    try await expectDamaged { $0.editEnvelope { $0["revision"] = .number(JSONNumber(2)) } }
    try await expectDamaged { $0.editEnvelope { $0["schema"] = .number(JSONNumber(1)) } }
    try await expectDamaged { $0.editEnvelope { $0["updated_at"] = .string("2030-01-01T00:00:00Z") } }
    try await expectDamaged { $0.editEnvelope { $0["extra"] = .null } }
    try await expectDamaged { $0["access_key"] = .string("clear text") }
  }

  @Test(
    "a record or header whose format is any other number than 1 names the newer version",
    arguments: ["0", "2", "1.0", "-1", "1e0", "1000000000000000000000"])
  func futureFormat(literal: String) async throws {
    let format = JSONValue.number(try #require(JSONNumber(literal: literal)))
    let error = try await errorAfterEditing { $0.editEnvelope { $0["format"] = format } }
    #expect(error?.code == .newerFormat)
    let (_, _, store) = try await memoryVault()
    let good = try #require(try store.read(.header))
    var header = try #require(try JSONParser.parse(good).object)
    header["format"] = format
    try store.put(JSONValue.object(header).prettyBytes(), at: .header)
    #expect(throws: VaultError(.newerFormat, "")) { try LockedVault(store: store) }
  }

  @Test("what a record requires stands under its MAC, and one that requires something unknown is refused by its name")
  func requirements() async throws {
    let (vault, _, store) = try await memoryVault()
    let id = try await vault.add(sampleCustomer())
    let old = try await vault.record(id).verified
    var draft = EnvelopeDraft(next: old, now: .now())
    let plain = try RecordSeal.seal(old.fields, draft, keys: old.keys)
    draft.requirements = ["even-later", "later"]
    let needing = try RecordSeal.seal(old.fields, draft, keys: old.keys)
    #expect(plain.mac != needing.mac)
    #expect(plain.document["$vault"]?["requires"] == nil)
    #expect(needing.document["$vault"]?["requires"] == JSONValue.array(["even-later", "later"]))
    try store.put(needing.document.prettyBytes(), at: .record(id))
    let error = await #expect(throws: VaultError(.newerFormat, "")) { try await vault.record(id) }
    #expect(error?.reason.hasSuffix(": even-later, later") == true)
    #expect(error?.field == "$vault.requires")
    #expect(try await vault.verify().faults.map(\.code) == [.newerFormat])
  }

  @Test("a former value that does not open is damage although the record is authentic, and is named by its place")
  func formerValueOfAnotherRecord() async throws {
    let (vault, _, store) = try await memoryVault()
    let id = try await vault.add(sampleCustomer("First"))
    let other = try await vault.add(sampleCustomer("Second"))
    let old = try await vault.record(id).verified
    let foreign = try #require(try await vault.record(other).fields["access_key"]?.string)
    var draft = EnvelopeDraft(next: old, now: .now())
    draft.former.append([foreign], at: try MemberPath(parsing: "access_key"))
    try store.put(RecordSeal.seal(old.fields, draft, keys: old.keys).document.prettyBytes(), at: .record(id))
    let faults = try await vault.verify().faults
    #expect(faults.map(\.record) == [id])
    #expect(faults.map(\.field) == ["$vault.former.access_key"])
  }

  @Test("the file of another record, of this or another vault, is refused")
  func foreignFiles() async throws {
    let (vault, _, store) = try await memoryVault()
    let first = try await vault.add(sampleCustomer("First"))
    let second = try await vault.add(sampleCustomer("Second"))
    let (other, _, otherStore) = try await memoryVault()
    let foreign = try await other.add(sampleCustomer("Foreign"))
    try store.put(try #require(try store.read(.record(second))), at: .record(first))
    await #expect(throws: VaultError(.damaged, "")) { try await vault.record(first) }
    try store.put(try #require(try otherStore.read(.record(foreign))), at: .record(foreign))
    await #expect(throws: VaultError(.damaged, "")) { try await vault.record(foreign) }
    #expect(try await vault.record(second).name == "Second")
  }

  @Test("a slot of another vault is refused although its hash was put into the header")
  func foreignSlot() async throws {
    let (_, _, store) = try await memoryVault()
    let (other, identity, otherStore) = try await memoryVault()
    let slot = try #require(other.header.slots.first)
    try store.put(try #require(try otherStore.read(.slot(slot.id))), at: .slot(slot.id))
    let bytes = try #require(try store.read(.header))
    guard case .object(var header) = try JSONParser.parse(bytes),
      case .object(let otherHeader) = try JSONParser.parse(#require(try otherStore.read(.header)))
    else { return }
    header["slots"] = otherHeader["slots"]
    try store.put(JSONValue.object(header).prettyBytes(), at: .header)
    await #expect(throws: VaultError(.damaged, "")) {
      try await LockedVault(store: store).unlock(with: .identity(identity), options: Vault.Options(state: nil))
    }
  }

  @Test("a token that stands twice opens, and the next write seals the second afresh")
  func copiedToken() async throws {
    let (vault, _, store) = try await memoryVault()
    let id = try await vault.add(sampleCustomer())
    try await vault.update(id, as: Customer.self) { $0.atmCode = $0.accessKey }
    let fields = try await vault.record(id).fields
    #expect(fields["access_key"] != fields["atm_code"])
    #expect(try await vault.record(id, as: Customer.self).value.atmCode == "S|_|p3rs3cr37")
    #expect(try store.read(.record(id)) != nil)
  }

  @Test("a readable value with the shape of a token is refused on write")
  func tokenShape() async throws {
    let (vault, _, _) = try await memoryVault()
    var customer = sampleCustomer()
    customer.website = "es1:looks:like:a-token"
    await #expect(throws: VaultError(.inputRefused, "")) { try await vault.add(customer) }
  }

  /// Edits the tree of a fresh record's file by `edit`; reading it must then fail as damage.
  private func expectDamaged(
    _ edit: (inout JSONObject) -> Void, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let error = try await errorAfterEditing(edit)
    #expect(error?.code == .damaged, sourceLocation: sourceLocation)
    #expect(error?.file?.hasPrefix("records/") == true, sourceLocation: sourceLocation)
  }

  private func errorAfterEditing(_ edit: (inout JSONObject) -> Void) async throws -> VaultError? {
    let (vault, _, store) = try await memoryVault()
    var customer = sampleCustomer()
    customer.website = "https://example.com"
    let id = try await vault.add(customer)
    guard case .object(var members) = try JSONParser.parse(#require(try store.read(.record(id)))) else { return nil }
    edit(&members)
    try store.put(JSONValue.object(members).prettyBytes(), at: .record(id))
    do throws(VaultError) {
      _ = try await vault.record(id)
      return nil
    } catch {
      return error
    }
  }

  private func expectSameOrRefused(
    _ store: MemoryStore, _ identity: AgeIdentity, _ id: RecordID, _ what: String
  ) async {
    do throws(VaultError) {
      let vault = try await LockedVault(store: store).unlock(
        with: .identity(identity), options: Vault.Options(state: nil))
      let customer = try await vault.record(id, as: Customer.self).value
      #expect(customer == sampleCustomer(), "\(what)")
    } catch {
      #expect([.damaged, .newerFormat, .noMatchingSlot].contains(error.code), "\(what): \(error)")
    }
  }
}

extension JSONObject {
  mutating func editEnvelope(_ edit: (inout JSONObject) -> Void) {
    guard case .object(var members)? = self[RecordEnvelope.memberName] else { return }
    edit(&members)
    self[RecordEnvelope.memberName] = .object(members)
  }
}

extension MemoryStore {
  /// Puts bytes at a place and overwrites the old ones, as an attacker or a disk can.
  func put(_ bytes: [UInt8], at location: StoreLocation) throws {
    try apply([StoreChange(location, from: try read(location), to: bytes)])
  }
}
