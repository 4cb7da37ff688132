import Testing
import VaultAge
import VaultCare
import VaultDocument
import VaultKit
import VaultStorage
import VaultTestSupport

/// Every byte of every file of the vaults of the vectors is changed in turn, taken away, and doubled.
@Suite("Every byte of a vault")
struct EveryByteTests {
  /// The files of the vaults that have a meaning: all of the small one, and the records of the one with former values.
  static let files = files(in: "small") + files(in: "former").filter { !$0.contains("/slots/") }

  private static func files(in vault: String) -> [String] {
    FileTree.files(below: OwnVectors.folder + "/vaults/" + vault)
      .filter { StoreLocation(relativePath: $0) != nil }
      .map { vault + "/" + $0 }
  }

  @Test("changed, removed or doubled is an error or the identical meaning, never another value", arguments: files)
  func everyByte(file: String) async throws {
    let parts = file.split(separator: "/", maxSplits: 1).map(String.init)
    let place = try #require(StoreLocation(relativePath: parts[1]))
    let store = try Self.store(parts[0])
    let good = try #require(try store.read(place))
    let reader = try await Reader(store, place)
    let before = try await reader.meaning()
    var (identicalCount, refusedCount) = (0, 0)
    var offsetCount = 0
    for offset in Sweep(file, in: good.indices) {
      offsetCount += 1
      for bad in Self.damaged(good, at: offset) {
        try store.put(bad, at: place)
        do {
          let after = try await reader.meaning()
          #expect(after == before, "\(file) at \(offset)")
          identicalCount += 1
        } catch let error as VaultError {
          #expect(Reader.refusals.contains(error.code), "\(file) at \(offset): \(error)")
          refusedCount += 1
        }
      }
    }
    print("every byte of \(file): \(refusedCount) refused, \(identicalCount) with the identical meaning")
    #expect(refusedCount > offsetCount)
  }

  private static func damaged(_ good: [UInt8], at offset: Int) -> [[UInt8]] {
    var (changed, removed, doubled) = (good, good, good)
    changed[offset] ^= 1
    removed.remove(at: offset)
    doubled.insert(good[offset], at: offset)
    return [changed, removed, doubled]
  }

  private static func store(_ vault: String) throws -> MemoryStore {
    let store = MemoryStore()
    for file in files(in: vault) {
      let place = try #require(StoreLocation(relativePath: String(file.dropFirst(vault.count + 1))))
      try store.put(OwnVectors.bytes("vaults/" + file), at: place)
    }
    return store
  }
}

/// Looks at one file of the vault as its users do.
private struct Reader {
  static let refusals: [VaultError.Code] = [.damaged, .newerFormat, .noMatchingSlot, .wrongPassphrase]

  let store: MemoryStore
  let place: StoreLocation
  let key: VaultKey
  let opened: Vault

  init(_ store: MemoryStore, _ place: StoreLocation) async throws {
    self.store = store
    self.place = place
    let identityFile = try OwnVectors.bytes("vaults/small.identity.txt")
    let identity = VaultKey.identities(try AgeIdentityFile.parse(RawSpan(_elements: identityFile.span)))
    opened = try await LockedVault(store: store).unlock(with: identity, options: Vault.Options(state: nil))
    let passphrase = try secretBytes(Array(try OwnVectors.bytes("vaults/small.passphrase.txt").dropLast()))
    let isPassphraseSlot = opened.header.slots.contains { $0.kind == .scrypt && .slot($0.id) == place }
    key = isPassphraseSlot ? .passphrase(passphrase) : identity
  }

  /// The meaning of the vault, as text.
  func meaning() async throws -> String {
    switch place {
    case .record(let id):
      let record = try await opened.record(id)
      let values = try [record.revealed(), record.revealedFormer()].map { try JSONValue.object($0).compactBytes() }
      return values.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
    case .trash:
      let trash = try await opened.listedTrash()
      if let fault = trash.faults.first { throw fault }
      return trash.records.map { "\($0.summary.id) \($0.summary.name) \($0.summary.revision)" }.joined(separator: "\n")
    case .header, .slot:
      let vault = try await LockedVault(store: store).unlock(with: key, options: Vault.Options(state: nil))
      return try "\(vault.header.vaultID) \(Hex.encode(vault.header.hash()))"
    case .checkpoint:
      let result = try await opened.verify()
      guard result.isGood else { throw VaultError.damagedForTest }
      return "\(result.recordCount) \(result.notes)"
    case .attachment: throw VaultError.damagedForTest
    }
  }
}

extension VaultError {
  /// Stands for the faults that a check reports without throwing.
  fileprivate static var damagedForTest: VaultError { VaultError(.damaged, "the check found faults") }
}
