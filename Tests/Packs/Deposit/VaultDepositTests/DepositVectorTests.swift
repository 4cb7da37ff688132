import Testing
import VaultAge
import VaultCrypto
import VaultDeposit
import VaultDocument
import VaultKit
import VaultSealing
import VaultStorage
import VaultTestSupport

@Suite("Vectors of deposits")
struct DepositVectorTests {
  @Test("deposits of the reference open to what it has sealed, to the present and the earlier recipient")
  func vault() async throws {
    let folder = OwnVectors.folder + "/vaults/"
    let text = Array(try OwnVectors.bytes("vaults/small.identity.txt"))
    let key = VaultKey.identities(try AgeIdentityFile.parse(RawSpan(_elements: text.span)))
    let vault = try await Vault.open(
      at: folder + "deposits", unlockingWith: key, options: Vault.Options(state: nil))
    #expect(vault.header.deposit?.signers == "ada@example.org ssh-ed25519 AAAA\n")
    let opened = try #require(try JSONParser.parse(OwnVectors.bytes("vaults/deposits.opened.json")).array)
    let waiting = try await vault.inbox()
    #expect(waiting.count == opened.count)
    for (deposit, expected) in zip(waiting, opened) {
      let deposit = try deposit.deposit.get()
      #expect(deposit.id.text == expected["deposit"]?["id"]?.string)
      #expect(deposit.from == expected["deposit"]?["from"]?.string)
      #expect(deposit.signature == expected["deposit"]?["signature"]?.string)
      #expect(try Hex.encode(deposit.signedBytes(for: vault.header.vaultID)) == expected["signed"]?.string)
    }
    let keys = try #require(vault.header.deposit)
    for (deposit, expected) in zip(waiting, opened) {
      let file = try #require(try vault.store.read(.inbox(deposit.id)))
      let key = try keys.dataKey(of: deposit.id, file, under: vault.keyring.current)
      #expect(key.withBytes { Hex.encode($0.copiedBytes()) } == expected["data_key"]?.string)
    }
    let states = waiting.map(\.state)
    #expect(states.contains(.adds(namesakes: 0)))
    #expect(states.filter { if case .replaces = $0 { true } else { false } }.count == 1)
    #expect(states.filter { if case .mayBeOld = $0 { true } else { false } }.count == 1)
  }
}
