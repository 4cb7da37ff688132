import Testing
import VaultAge
import VaultCare
import VaultCrypto
import VaultDocument
import VaultKit
import VaultSealing
import VaultStorage
import VaultTestSupport

/// Headers, slots, records and a whole vault against vectors made by the implementation in `Tests/Reference`.
@Suite("Own vectors: vaults")
struct OwnVectorTests {
  @Test("no file of vectors is without a test")
  func everyFile() {
    let files = FileTree.names(in: OwnVectors.folder).filter { $0.hasSuffix(".json") }
    #expect(files == OwnVectors.names.map { $0 + ".json" })
    #expect(
      FileTree.names(in: OwnVectors.folder + "/vaults").filter { !$0.contains(".") }
        == ["deposits", "former", "small"])
  }

  @Test("headers parse, authenticate, and are written with the same bytes")
  func headers() throws {
    try OwnVectors.forEach("headers") { one in
      let header = try VaultHeader(parsing: one.file("file"))
      let root = try one.rootKey(header.vaultID)
      #expect(try root.mac(of: header.document, as: .header) == one.base64("mac"), "\(one.place)")
      try header.authenticate(under: root)
      #expect(try header.fileBytes() == one.file("file"), "\(one.place)")
      let tree = JSONValue.object(header.document).canonicalBytes()
      let hash = try SHA256.hash(RawSpan(_elements: tree.span))
      #expect(try hash == one.hex("header_hash"), "\(one.place)")
    }
  }

  @Test("the fingerprint of a vault")
  func fingerprint() throws {
    try OwnVectors.forEach("fingerprint") { one in
      var header = try #require(try JSONParser.parse(OwnVectors.cases("headers")[0].file("file")).object)
      var root = try #require(header["root"]?.object)
      root["commitment"] = .string(try one.text("commitment"))
      header["root"] = .object(root)
      header["id"] = .string(try one.text("vault_id"))
      let store = MemoryStore()
      try store.put(JSONValue.object(header).prettyBytes(), at: .header)
      #expect(try LockedVault(store: store).fingerprint() == one.text("fingerprint"), "\(one.place)")
    }
  }

  @Test("slots of each kind open, hold the four lines, and unlock a vault")
  func slots() async throws {
    var tally = CaseTally("own vectors slots")
    defer { tally.report() }
    for one in try OwnVectors.cases("slots") {
      guard try one.canBeOpened() else {
        tally.notApplicable("OpenSSL here is older than 3.5")
        continue
      }
      let root = try one.rootKey(one.id("vault_id"))
      #expect(try root.id.description == one.text("root_id"), "\(one.place)")
      let file = try one.base64("file_base64")
      #expect(try SlotFile.hash(of: file) == one.hex("sha256"), "\(one.place)")
      let payload = try SlotPayload.make(root)
      #expect(try payload == secretBytes(one.file("payload")), "\(one.place)")
      let credential: AgeCredential =
        try one.has("identity")
        ? .identity(one.identity()) : .passphrase(secretBytes(one.file("passphrase")), maximumWorkFactor: 10)
      let opened = try AgeFile.open(RawSpan(_elements: file.span), with: [credential])
      #expect(opened == payload, "\(one.place)")
      if one.has("recipient") { #expect(try one.identity().recipient.text == one.text("recipient")) }
      let vault = try await VectorVault(slot: one).unlocked()
      #expect(try vault.slot.kind.name == one.text("kind"), "\(one.place)")
      #expect(vault.keyring.current.id == root.id)
      #expect(vault.keyring.current.commitment == root.commitment)
      tally.ran()
    }
  }

  @Test(
    "a root key in a slot has one spelling; a longer or shorter one is damage, and no more is written than there is room for"
  )
  func slotKeySpellings() throws {
    let header = try VectorVault.headers(0)
    let slot = try #require(header.slots.first)
    let head = "ecv-root 1\nvault \(header.vaultID.text)\nkey \(header.root.id)\nroot "
    for digits in ["A", "/", "=", "-"].map({ String(repeating: $0, count: 44) })
      + ["A", "/"].map({ String(repeating: $0, count: 42) + "==" })
      + [String(repeating: "A", count: 42) + "B=", String(repeating: "A", count: 43) + "\n"]
    {
      let payload = try secretBytes(Array((head + digits + "\n").utf8))
      #expect(throws: VaultError(.damaged, ""), "\(digits)") {
        _ = try SlotPayload.parse(payload, slot: slot, header: header)
      }
    }
  }

  @Test(
    "records on disk verify under the current and an older root, and reveal what was sealed, byte for byte",
    arguments: ["records", "former-values"])
  func records(name: String) async throws {
    var tally = CaseTally("own vectors \(name)")
    defer { tally.report() }
    var underOlderRoot = 0
    for one in try OwnVectors.cases(name) {
      let files = try VectorVault.withKeyring()
      let envelope = try RecordEnvelope(of: JSONParser.parse(one.file("file")))
      let location: StoreLocation = envelope.deletedAt == nil ? .record(envelope.id) : .trash(envelope.id)
      try files.write(one.file("file"), to: location.relativePath)
      let vault = try await files.unlocked()
      let record =
        if case .record = location {
          try await vault.record(envelope.id)
        } else {
          try vault.verify(#require(try vault.store.read(location)), envelope.id, in: location)
        }
      try record.check()
      #expect(try JSONValue.object(record.revealed()).prettyBytes() == one.file("opened"), "\(one.place)")
      #expect(record.envelope.former.isEmpty != one.has("former"), "\(one.place)")
      if one.has("former") {
        #expect(try JSONValue.object(record.revealedFormer()).prettyBytes() == one.file("former"), "\(one.place)")
      }
      if !vault.keyring.current.id.bytes.starts(with: envelope.wrappedKey.rootHint) { underOlderRoot += 1 }
      tally.ran()
    }
    #expect(underOlderRoot > 0)
  }

  @Test(
    "a whole vault opens by identity and by passphrase, and its records are those that were written",
    arguments: [("small", 4, 2, 5), ("former", 3, 3, 3)])
  func wholeVault(name: String, recordCount: Int, trashedRevision: Int, formerCount: Int) async throws {
    let passphrase = try OwnVectors.bytes("vaults/small.passphrase.txt").dropLast()
    let identityFile = try OwnVectors.bytes("vaults/small.identity.txt")
    let identities = try AgeIdentityFile.parse(RawSpan(_elements: identityFile.span))
    for key in try [VaultKey.identities(identities), .passphrase(secretBytes(Array(passphrase)))] {
      let folder = TemporaryFolder()
      FileTree.copy(OwnVectors.folder + "/vaults/" + name, to: folder.path + "/" + name)
      let vault = try await Vault.open(
        at: folder.path + "/" + name, unlockingWith: key, options: Vault.Options(state: nil))
      #expect(vault.header.formerCount == formerCount)
      #expect(try await allRecords(of: vault) == OwnVectors.bytes("vaults/\(name).opened.json"))
      let (trashed, faults) = try await vault.listedTrash()
      #expect(trashed.map(\.summary.revision) == [trashedRevision])
      #expect(faults.isEmpty)
      let verification = try await vault.verify()
      #expect(verification.isGood)
      #expect(verification.recordCount == recordCount)
      #expect(verification.trashedCount == 1)
      let checkpoint = try #require(try vault.checkpoint())
      #expect(checkpoint.sequence == 1)
      #expect(checkpoint.previous == nil)
      #expect(checkpoint.entries.count == recordCount + 1)
    }
    print("own vectors vaults/\(name): 1 run, with both of its keys")
  }

  @Test("a removed record keeps its former values")
  func removedWithFormer() async throws {
    let identityFile = try OwnVectors.bytes("vaults/small.identity.txt")
    let identities = try AgeIdentityFile.parse(RawSpan(_elements: identityFile.span))
    let folder = TemporaryFolder()
    FileTree.copy(OwnVectors.folder + "/vaults/former", to: folder.path + "/former")
    let vault = try await Vault.open(
      at: folder.path + "/former", unlockingWith: .identities(identities), options: Vault.Options(state: nil))
    let id = try #require(try await vault.listedTrash().records.first?.id)
    let record = try vault.verify(#require(try vault.store.read(.trash(id))), id, in: .trash(id))
    try record.check()
    #expect(try record.revealedFormer() == JSONObject([("atm_code", .array([.string("0522")]))]))
  }
}

extension OpenRecord {
  /// The former values, opened, by their written paths.
  func revealedFormer() throws -> JSONObject {
    let former = envelope.former
    return try JSONObject(
      former.paths.map { path in
        (path.description, .array(try former.tokens(at: path).map { .string(try verified.keys.reveal($0)) }))
      })
  }
}

/// All live records of a vault, opened, in the form that `Tests/Reference/readvault.py --json` prints.
func allRecords(of vault: Vault) async throws -> [UInt8] {
  var records: [OpenRecord] = []
  try await vault.forEachOpenRecord { record throws(VaultError) in records.append(record) }
  let items = try records.map { record in
    var item = JSONObject()
    if !record.envelope.former.isEmpty { item["former"] = .object(try record.revealedFormer()) }
    item["id"] = .string(record.id.text)
    item["kind"] = .string(record.envelope.kind)
    item["record"] = .object(try record.revealed())
    item["revision"] = .number(JSONNumber(record.envelope.revision))
    return JSONValue.object(item)
  }
  return try JSONValue.array(items).prettyBytes()
}
