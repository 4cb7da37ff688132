import Testing
import VaultAge
import VaultCrypto
import VaultDelivery
import VaultKit
import VaultRecords
import VaultSealing
import VaultTestSupport

@Suite("Values of a configuration")
struct DeliveredValueTests {
  private let folder = TemporaryFolder()
  private let vault: Vault

  init() async throws {
    let identity = try AgeIdentity.generate()
    vault = try await Vault.create(
      at: folder.path + "/v", slots: [NewSlot(.recipient(identity.recipient))], options: Vault.Options(state: nil))
    try await vault.add(Login(title: "Orders", username: "ada", password: "p-4711"))
    try await vault.add(
      Database(title: "Store", engine: "postgresql", host: "db.example.com", user: "ada", password: "p w"))
  }

  private func references(_ texts: String...) throws -> [SecretReference] {
    try texts.map { try SecretReference(parsing: $0) }
  }

  @Test("all of them in one pass, sealed or readable, one that is named twice as well")
  func all() async throws {
    let wanted = try references(
      "cvault://Orders/password", "cvault://Orders/username", "cvault://Store?view=url", "cvault://Orders/password")
    let values = try await vault.values(of: wanted)
    #expect(values.count == 3)
    #expect(wanted.map { values[$0]?.isSealed } == [true, false, true, true])
    let texts = wanted.map { values[$0]?.secret.withBytes { String(decoding: $0.copiedBytes(), as: UTF8.self) } }
    #expect(texts[0] == "p-4711")
    #expect(texts[1] == "ada")
    #expect(texts[2]?.contains("p%20w") == true)
    #expect(values[wanted[0]]?.record.id == values[wanted[1]]?.record.id)
  }

  @Test(
    "or none: the first that cannot be had is named",
    arguments: [
      ("cvault://Orders/none", VaultError.Code.noSuchMember), ("cvault://None/password", .noSuchRecord),
      ("cvault://Orders?view=url", .inputRefused), ("cvault://Orders/password?view=otp", .inputRefused),
    ])
  func none(_ text: String, _ code: VaultError.Code) async throws {
    let wanted = try references("cvault://Orders/username", text)
    let failure = await #expect(throws: DeliveryFailure.self) { try await vault.values(of: wanted) }
    #expect(failure?.reference == wanted[1])
    #expect((failure?.reason as? VaultError)?.code == code)
  }
}
