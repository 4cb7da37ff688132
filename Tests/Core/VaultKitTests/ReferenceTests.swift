import Testing
import VaultAge
import VaultCare
import VaultCrypto
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultTestSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Our output, read by the implementation in `Tests/Reference`.
@Suite("The reference implementation")
struct ReferenceTests {
  /// Texts that writers of JSON, of tokens or of sizes may get wrong.
  private static let hardTexts = [
    "", "x", "p\u{E4}ssw\u{F6}rd", "e\u{301}", "\u{1F600}", "\0\u{1}\u{1F}\u{7F}", "line\r\nbreak\n",
    "\"\\/\u{8}\u{C}\t",
    " es1:looks:like:a token", "{\"pin\":\"0522\"}", "\u{FEFF}\u{2028}\u{FFFF}", "\u{1D11E}\u{10FFFF}",
    String(repeating: "a", count: 31), String(repeating: "b", count: 32), String(repeating: "c", count: 255),
    String(repeating: "d", count: 256), String(repeating: "\u{20AC}", count: 22_000),
  ]

  @Test("reads the records that we wrote, and names the file in which a byte was flipped")
  func readsOurs() async throws {
    guard let python = ReferencePython.path else {
      return Need.notRun("reference", ReferencePython.need)
    }
    let folder = TemporaryFolder()
    let reader = try ReferenceReader(python: python, folder: folder.path)
    let vault = try await Vault.create(
      at: reader.vault,
      slots: [
        NewSlot(.recipient(reader.identity.recipient), label: "\u{FC}ber \"alles\""),
        NewSlot(.passphrase(secret(ReferenceReader.passphrase), workFactor: 10)),
      ], options: Vault.Options(state: nil))
    let ids = try await Self.fill(vault)
    let expected = try await allRecords(of: vault)
    for key in [["--identity", reader.identityFile], ["--passphrase-file", reader.passphraseFile]] {
      let outcome = reader.run(key + ["--json"])
      #expect(outcome.code == 0, "\(outcome.errors)")
      #expect(outcome.stdout == expected)
    }
    let record = try #require(ids.last)
    let trashed = try #require(FileTree.names(in: reader.vault + "/trash").first)
    let files = [
      "records/\(record.folderName)/\(record.text).json", "trash/\(trashed)", "vault.json", vault.header.slots[0].path,
    ]
    for file in files { try reader.expectRefusal(of: file) }
    #expect(reader.run(["--identity", reader.identityFile, "--json"]).stdout == expected)
    try await rotate(vault, reader)
    print("reference: \(ids.count) records read, \(files.count) flipped bytes refused")
  }

  /// Rotates the vault both ways, and expects it to be read after each.
  private func rotate(_ vault: Vault, _ reader: ReferenceReader) async throws {
    for reason in [KeyringEntry.Reason.rewrap, .reseal, .rewrap] {
      var renewal = SlotRenewal()
      renewal.workFactor = 10
      renewal.passphrases[vault.header.slots[1].id] = try secret(ReferenceReader.passphrase)
      _ = try await vault.rotate(reason, slots: renewal)
      let expected = try await allRecords(of: vault)
      for key in [["--identity", reader.identityFile], ["--passphrase-file", reader.passphraseFile]] {
        let outcome = reader.run(key + ["--json"])
        #expect(outcome.code == 0, "\(reason): \(outcome.errors)")
        #expect(outcome.stdout == expected, "\(reason): \(outcome.errors)")
      }
    }
  }

  /// Adds customers with all hard texts as secrets and as readable values, updates some and removes others.
  private static func fill(_ vault: Vault) async throws -> [RecordID] {
    var ids: [RecordID] = []
    for text in hardTexts {
      var customer = sampleCustomer("N " + text, key: EncryptedCodableString(text))
      customer.atmCode = EncryptedCodableString(text + "0")
      customer.website = text + "/"
      customer.addedOn = Date(timeIntervalSince1970: -0.5)
      ids.append(try await vault.add(customer))
    }
    try await vault.update(ids[0], as: Customer.self) { $0.accessKey = "another" }
    try await vault.update(ids[0], as: Customer.self) { $0.email = nil }
    try await vault.update(ids[3], as: Customer.self) { $0.name = "N \u{E9}" }
    try await vault.remove(Array(ids[1...2]))
    return [ids[0]] + ids[3...]
  }
}

/// `readvault.py` with keys of its own.
private struct ReferenceReader {
  static let passphrase = "p\u{E4}ssphrase with spaces "
  let python: String
  let identity: AgeIdentity
  let vault, identityFile, passphraseFile: String

  init(python: String, folder: String) throws {
    self.python = python
    identity = try AgeIdentity.generate()
    vault = folder + "/vault"
    identityFile = folder + "/identity.txt"
    passphraseFile = folder + "/passphrase.txt"
    let text = try AgeIdentityFile.text(identity, created: "2026-11-21T01:40:28Z")
    text.withBytes { bytes in
      FileTree.write(unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) }, to: identityFile)
    }
    FileTree.write(Array(Self.passphrase.utf8) + [0x0A], to: passphraseFile)
  }

  func run(_ arguments: [String]) -> ProcessOutcome {
    ReferencePython.run(python, "readvault.py", [vault] + arguments)
  }

  /// Flips a bit in a file of the vault, reads, and puts the bit back.
  func expectRefusal(of file: String) throws {
    let good = try #require(FileTree.contents(of: vault + "/" + file))
    var bad = good
    // A flipped slot id of the header would be told as a slot that is missing, so its MAC is taken.
    let mac = Array("\"mac\" : \"".utf8)
    let start = file == "vault.json" ? good.indices.first { good[$0...].starts(with: mac) } : nil
    bad[start.map { $0 + mac.count } ?? good.count / 2] ^= 1
    FileTree.write(bad, to: vault + "/" + file)
    let outcome = run(["--identity", identityFile, "--json"])
    #expect(outcome.code == 1, "\(file)")
    #expect(outcome.stdout.isEmpty, "\(file)")
    #expect(outcome.errors.contains(file), "\(file): \(outcome.errors)")
    FileTree.write(good, to: vault + "/" + file)
  }
}
