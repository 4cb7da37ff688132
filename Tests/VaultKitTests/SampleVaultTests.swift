import Testing
import VaultAge
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
      let vault = try await Vault.open(at: folder.path + "/Vault", unlockingWith: key)
      let (records, faults) = try await vault.list()
      #expect(records.count == 10 && faults.isEmpty)
      #expect(records.allSatisfy { $0.kind == "customer" })
      let customers = try await vault.records(of: Customer.self)
      #expect(customers.count == 10 && customers.allSatisfy { $0.accessKey.isOpen })
    }
  }
}
