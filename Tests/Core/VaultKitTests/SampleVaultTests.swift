import Testing
import VaultAge
import VaultCare
import VaultCrypto
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultTestSupport

/// The vault `Vault/` of the repository, whose keys are published in it.
@Suite("The sample vault")
struct SampleVaultTests {
  @Test("opens with its published identity and its published passphrase and lists 10 customers")
  func opens() async throws {
    let sample = OwnVectors.package + "/Vault"
    let passphrase = "demo only, never for real secrets"
    #expect(String(decoding: FileTree.contents(of: sample + "/README.md") ?? [], as: UTF8.self).contains(passphrase))
    let identityFile = try #require(FileTree.contents(of: sample + "/demo-identity.txt"))
    let identities = try AgeIdentityFile.parse(RawSpan(_elements: identityFile.span))
    for key in try [VaultKey.identities(identities), .passphrase(secret(passphrase))] {
      // A copy: opening a vault may complete what a writer left behind.
      let folder = TemporaryFolder()
      FileTree.copy(sample, to: folder.path + "/Vault")
      let vault = try await Vault.open(
        at: folder.path + "/Vault", unlockingWith: key, options: Vault.Options(state: nil))
      let (records, faults) = try await vault.listed()
      #expect(records.count == 10)
      #expect(faults.isEmpty)
      #expect(records.allSatisfy { $0.kind == "customer" })
      let customers = try await vault.records(of: Customer.self)
      #expect(customers.count == 10)
      #expect(customers.allSatisfy { $0.accessKey.isOpen })
    }
  }

  @Test("is frozen: every file has the bytes that it had when format 1 became final, and there is no other")
  func frozen() throws {
    let list = try #require(FileTree.contents(of: OwnVectors.package + "/Tests/Vectors/sample-vault.sha256"))
    let sample = OwnVectors.package + "/Vault"
    var found = ""
    for file in FileTree.files(below: sample).sorted() where file != ".lock" {
      let bytes = FileTree.contents(of: sample + "/" + file) ?? []
      found += "\(Hex.encode(try SHA256.hash(RawSpan(_elements: bytes.span))))  \(file)\n"
    }
    let expected = String(decoding: list, as: UTF8.self)
    #expect(found.split(separator: "\n").sorted() == expected.split(separator: "\n").sorted())
  }

  @Test(
    "has everything of the format: retired roots, a removed record, a declared kind, a checkpoint; all of it verifies")
  func everything() async throws {
    let sample = OwnVectors.package + "/Vault"
    let identityFile = try #require(FileTree.contents(of: sample + "/demo-identity.txt"))
    let identities = try AgeIdentityFile.parse(RawSpan(_elements: identityFile.span))
    let folder = TemporaryFolder()
    FileTree.copy(sample, to: folder.path + "/Vault")
    let vault = try await Vault.open(
      at: folder.path + "/Vault", unlockingWith: .identities(identities), options: Vault.Options(state: nil))
    #expect(vault.header.keyring.map(\.reason) == [.reseal, .rewrap])
    #expect(vault.kinds["wifi"] != nil)
    #expect(try vault.checkpoint()?.entries.count == 11)
    let found = try await vault.verify()
    #expect(found.faults.isEmpty)
    #expect(found.recordCount == 10)
    #expect(found.trashedCount == 1)
  }
}
