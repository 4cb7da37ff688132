import Testing
import VaultDocument
import VaultKit
import VaultRecords
import VaultStorage

@Suite("Naming a record")
struct NameTests {
  @Test("goes by the whole id, the name in any case and composition, or the beginning of one id")
  func everyWay() async throws {
    let (vault, _, _) = try await memoryVault()
    let id = try await vault.add(sampleCustomer("Zoë Ångström"))
    for text in [id.text, String(id.text.prefix(8)), "zoë ångström", "ZOE\u{308} A\u{30A}NGSTRO\u{308}M"] {
      #expect(try await vault.record(named: text).id == id, "\(text)")
    }
    for text in ["", "Zoë", String(id.text.prefix(3)), "zoe angstrom"] {
      await #expect(throws: VaultError(.noSuchRecord, ""), "\(text)") { try await vault.record(named: text) }
    }
  }

  @Test("two records of one name are ambiguous, and both are told")
  func ambiguous() async throws {
    let (vault, _, _) = try await memoryVault()
    let ids = [try await vault.add(sampleCustomer("Ada")), try await vault.add(sampleCustomer("ADA"))]
    do throws(VaultError) {
      _ = try await vault.record(named: "ada")
      Issue.record("must be ambiguous")
    } catch {
      #expect(error.code == .ambiguousRecord)
      for id in ids { #expect(error.remedies.contains { $0.sentence?.hasPrefix(id.text) == true }) }
    }
  }

  @Test("a name that somebody wrote into another record's file does not pass that record off")
  func forgedName() async throws {
    let (vault, _, store) = try await memoryVault()
    let id = try await vault.add(sampleCustomer("Mallory"))
    let bytes = try #require(try store.read(.record(id)))
    let text = String(decoding: bytes, as: UTF8.self)
    let parts = text.split(separator: "Mallory", omittingEmptySubsequences: false)
    try store.put(Array(parts.joined(separator: "Alice").utf8), at: .record(id))
    await #expect(throws: VaultError(.damaged, "")) { try await vault.record(named: "Alice") }
  }
}
