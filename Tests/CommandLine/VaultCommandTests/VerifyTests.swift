import Testing
import VaultTestSupport

@Suite("vault verify")
struct VerifyCommandTests {
  @Test("names that begin with a dot among the records and in the trash are noted, and are no fault")
  func hiddenNames() throws {
    let workspace = try Workspace.withCustomers()
    #expect(!workspace.open("verify").errors.contains("begin with a dot"))
    workspace.prepare("mkdir -p v/records/ab; cd v; touch trash/.keep records/.DS_Store records/ab/.n .top slots/.x")
    for command in ["verify", "lint"] {
      let run = command == "lint" ? workspace.run("lint", "--vault", "v") : workspace.open(command)
      #expect(run.code == 0, "\(run.errors)")
      let note = "note: names that begin with a dot are ignored: records/.DS_Store and 2 more"
      #expect(run.errorLines.contains(note), "\(run.errors)")
    }
  }

  @Test("a good vault is summed up on stdout and ends with 0; without a key it is 11")
  func good() throws {
    let workspace = try Workspace.withCustomers()
    #expect(workspace.open("rm", "Shai Mishali", "-y").code == 0)
    let outcome = workspace.open("verify")
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(outcome.output == "23 records, 1 in the trash, 1 slot: all verified\n")
    #expect(workspace.run("verify", "--vault", "v").status == .cannotUnlock)
  }

  @Test("every fault is a line with its file; the others are still verified, and nothing is changed")
  func faults() throws {
    let workspace = try Workspace.withCustomers()
    let file = try workspace.recordFile("Shai Mishali")
    try workspace.damage(file, "\"zip\" : \"")
    _ = workspace.write("x", to: "v/records/note.txt")
    let before = workspace.snapshot()
    let outcome = workspace.open("verify")
    #expect(outcome.status == .damaged)
    #expect(outcome.output == "24 records, 0 in the trash, 1 slot: 2 faults\n")
    #expect(outcome.errorLines.filter { $0.hasPrefix("vault: ") }.count == 2)
    #expect(outcome.errors.contains("vault: \(file) does not authenticate"))
    #expect(outcome.errors.contains("vault: records/note.txt does not belong"))
    #expect(outcome.errorLines.last?.hasPrefix("hint: `vault repair") == true)
    #expect(outcome.errors.contains("`vault accept \(file.dropFirst("records/00/".count).dropLast(".json".count))`"))
    #expect(workspace.snapshot() == before)
    let document = JSON(workspace.open("verify", "--json").stdout)
    #expect(document["schema"] == .number(1))
    #expect(document["records"] == .number(24))
    let faults = try #require(document["faults"]?.items)
    #expect(faults.compactMap { $0["code"]?.text } == ["not_authentic", "stray_entry"])
    #expect(faults.first?["file"]?.text == file)
    #expect(faults.first?["record"]?.text.map(file.contains) == true)
  }

  @Test("a file in the place of a folder is told once, however many folders it keeps from being read")
  func fileInPlaceOfRecords() throws {
    let workspace = try Workspace.withCustomers()
    workspace.prepare("rm -r v/records; echo x >v/records")
    let key = ["CVAULT_IDENTITY_FILE": workspace.identity]
    for command in [["verify"], ["lint"], ["repair", "--dry-run"]] {
      let outcome = workspace.run(command + ["--vault", workspace.vault], adding: key)
      let lines = (outcome.output + outcome.errors).split(separator: "\n")
      #expect(
        lines.count { $0.contains("records is not a folder") || $0.contains("records: the file is not a folder") } == 1,
        "\(lines.prefix(9))")
    }
  }
}
