import Testing
import VaultBackup
import VaultDocument

@Suite("The file names of backups")
struct BackupNameTests {
  @Test("a name carries what is backed up and when, and is read back")
  func roundTrip() throws {
    let time = try Timestamp(parsing: "2026-11-21T01:40:28.750Z")
    let name = try #require(BackupName(stem: "team-a.prod", time: time))
    #expect(name.fileName == "team-a.prod-20261121T014028Z.cvault.age")
    #expect(BackupName(fileName: name.fileName) == name)
  }

  @Test(
    "any other file name is not a backup's",
    arguments: [
      "", ".cvault.age", "team.cvault.age", "team-20261121T014028Z.age", "team20261121T014028Z.cvault.age",
      "-20261121T014028Z.cvault.age", "team-20261321T014028Z.cvault.age", "team-20261121T014028Z.cvault.age.part",
      ".team-20261121T014028Z.cvault.age", "../team-20261121T014028Z.cvault.age", "té-20261121T014028Z.cvault.age",
    ])
  func others(fileName: String) {
    #expect(BackupName(fileName: fileName) == nil)
  }

  @Test(
    "a stem that would not be one plain file name is refused",
    arguments: ["", "-x", ".x", "a/b", "a b", "a\nb", "é", String(repeating: "x", count: 65)])
  func stems(stem: String) throws {
    #expect(BackupName(stem: stem, time: try Timestamp(parsing: "2026-11-21T01:40:28Z")) == nil)
  }
}
