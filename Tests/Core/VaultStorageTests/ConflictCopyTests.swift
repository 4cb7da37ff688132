import Testing
import VaultStorage

@Suite("Conflict copies of services that sync folders")
struct ConflictCopyTests {
  private static let id = "51d0bff7-21f5-4a4e-9f4e-2b8a3c1d0e9f"
  private static let documents = [
    ("records/51/\(id)", ".json"), ("trash/\(id)", ".json"), ("slots/\(id)", ".age"), ("attachments/51/\(id)", ""),
    ("vault", ".json"), ("checkpoint", ".jsonl"),
  ]

  @Test("each service's name of each document is known", arguments: documents)
  func known(_ stem: String, _ suffix: String) {
    for service in ConflictCopy.services {
      let copy = ConflictCopy(relativePath: stem + service.example + suffix)
      #expect(copy?.place.relativePath == stem + suffix, "\(service.name)")
    }
  }

  @Test(
    "repeated, numbered and translated marks are known",
    arguments: [
      ".sync-conflict-20261121-014028", ".sync-conflict-20261121-014028-ABCDEFG.sync-conflict-20261122-014028-ABCDEFG",
      " (conflicted copy ada 2026-11-21 014028)", " (Copie en conflit de Zoë 2026-11-21)", " (1) (2)", " 2 3",
      " [Conflict]",
      "-MacBook Pro-2", "-server.example", "_conflict-20261121-014028",
    ])
  func variants(_ mark: String) {
    #expect(ConflictCopy(relativePath: "records/51/\(Self.id)\(mark).json") != nil)
  }

  @Test(
    "no other name is one",
    arguments: [
      "records/51/\(id).json", "records/51/\(id).json.bak", "records/51/\(id)~.json", "records/51/.\(id) 2.json",
      "records/52/\(id) 2.json", "records/51/\(id.uppercased()) 2.json", "records/51/\(id) .json",
      "records/51/\(id)-.json",
      "records/51/\(id) 2.age", "records/\(id) 2.json", "records/51/x/\(id) 2.json", "slots/\(id) 2.json",
      "vaults.json",
      "vault.json", "checkpoint 2.json", "vault 2.jsonl", "notes (1).json", "records/51/\(id) ().json",
      "records/51/\(id) (a\nb).json", "../records/51/\(id) 2.json", "", "/", "records/51/\(id).sync-conflict-2026.json",
    ])
  func others(_ path: String) {
    #expect(ConflictCopy(relativePath: path) == nil)
  }
}
