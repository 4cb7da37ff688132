import Testing
import VaultTestSupport

@Suite("Damage")
struct DamageTests {
  /// Changes one byte of a file of the vault.
  private func flip(_ file: String, at offset: Int, in workspace: Workspace) throws {
    var bytes = try #require(FileTree.contents(of: workspace.vault + "/" + file))
    bytes[offset] ^= 1
    FileTree.write(bytes, to: workspace.vault + "/" + file)
  }

  private func offset(of text: String, in file: String, _ workspace: Workspace) throws -> Int {
    let bytes = try #require(FileTree.contents(of: workspace.vault + "/" + file))
    let needle = Array(text.utf8)
    return try #require(bytes.indices.first { bytes[$0...].starts(with: needle) }) + needle.count
  }

  private func expectDamage(_ outcome: ProcessOutcome, in file: String) {
    #expect(outcome.status == .damaged, "\(outcome.errors)")
    #expect(outcome.errorLines.first?.hasPrefix("vault: \(file)") == true, "\(outcome.errors)")
    #expect(outcome.errorLines.contains { $0.hasPrefix("hint: ") })
    #expect(outcome.stdout.isEmpty)
  }

  @Test(
    "one changed byte in a record is 13 and names the file, whatever the byte belongs to",
    arguments: [
      "\"name\" : \"", "\"access_key\" : \"es1:", "\"mac\" : \"", "\"key\" : \"k1:", "\"revision\" : ", "\"zip\" : \"",
    ])
  func recordIsDamaged(_ place: String) throws {
    let workspace = try Workspace.withCustomers()
    let file = try workspace.recordFile("Shai Mishali")
    let id = try #require(file.split(separator: "/").last?.split(separator: ".").first.map(String.init))
    try flip(file, at: offset(of: place, in: file, workspace), in: workspace)
    let before = workspace.snapshot()
    for command in [
      ["get", id, "website"], ["get", id, "access_key"], ["show", id, "--reveal"], ["set", id, "website=x"],
      ["rm", id, "-y"],
    ] {
      expectDamage(workspace.run(command + ["--vault", "v", "--identity", "id.txt"]), in: file)
    }
    #expect(workspace.snapshot() == before)
    let others = workspace.open("list")
    #expect(others.status == .damaged)
    #expect(others.output.split(separator: "\n").count == 23)
    #expect(others.errorLines.first?.hasPrefix("vault: \(file)") == true)
    let output = workspace.open("export", "--reveal", "-o", "all.json")
    expectDamage(output, in: file)
    #expect(FileTree.names(in: workspace.path).allSatisfy { !$0.contains("all.json") })
  }

  @Test("a name that only a record which cannot be read may have is 13, and never not there")
  func unreadableRecordIsNotMissing() throws {
    let workspace = try Workspace.withCustomers()
    let file = try workspace.recordFile("Shai Mishali")
    let good = try #require(workspace.snapshot()[file])
    for bad in [Array(good.dropLast(2)), good + good, Array("{".utf8) + good] {
      FileTree.write(bad, to: workspace.vault + "/" + file)
      for command in [["show", "Shai Mishali"], ["get", "Shai Mishali", "name"]] {
        expectDamage(workspace.run(command + ["--vault", "v", "--identity", "id.txt"]), in: file)
      }
    }
  }

  @Test("clear text in a sealed field is 13 without a key too, and is not printed")
  func clearTextIsNotPrinted() throws {
    let workspace = try Workspace.withCustomers()
    let file = try workspace.recordFile("Shai Mishali")
    let text = String(decoding: try #require(FileTree.contents(of: workspace.vault + "/" + file)), as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.contains("\"access_key\"") ? "  \"access_key\" : \"clear-text\"," : String(line)
    }
    FileTree.write(Array(lines.joined(separator: "\n").utf8), to: workspace.vault + "/" + file)
    for command in [["show", "Shai Mishali"], ["export"]] {
      let outcome = workspace.run(command + ["--vault", "v"])
      #expect(outcome.status == .damaged)
      #expect(!outcome.output.contains("clear-text"))
      #expect(!outcome.errors.contains("clear-text"))
    }
  }

  @Test("one changed byte in a slot is 13 and names the slot's file")
  func slotIsDamaged() throws {
    let workspace = try Workspace.withCustomers()
    let file = try #require(workspace.snapshot().keys.first { $0.hasPrefix("slots/") })
    let count = try #require(workspace.snapshot()[file]?.count)
    for offset in [0, count / 2, count - 1] {
      try flip(file, at: offset, in: workspace)
      expectDamage(workspace.open("get", "Shai Mishali", "name"), in: file)
      try flip(file, at: offset, in: workspace)
    }
    #expect(workspace.open("get", "Shai Mishali", "name").code == 0)
  }

  @Test(
    "one changed byte in the header is 13 and names it; a vault's id or root that is another but well formed is 16",
    arguments: [
      "\"id\" : \"", "\"mac\" : \"", "\"revision\" : ", "\"commitment\" : \"", "\"sha256\" : \"",
      "\"created_at\" : \"202",
      "\"label\" : \"",
    ])
  func headerIsDamaged(_ place: String) throws {
    let workspace = try Workspace()
    #expect(workspace.run("init", "v", "--generate-identity", "id.txt", "--label", "laptop").code == 0)
    #expect(workspace.open("add", "customer", "--set", "name=A", "--generate", "access_key").code == 0)
    try flip("vault.json", at: offset(of: place, in: "vault.json", workspace), in: workspace)
    let outcome = workspace.open("get", "A", "name")
    let isIdentity = place.hasPrefix("\"id") || place.hasPrefix("\"commitment")
    #expect((isIdentity ? [13, 16] : [13]).contains(outcome.code), "\(outcome.errors)")
    #expect(outcome.errorLines.first?.hasPrefix("vault: ") == true)
    #expect(outcome.errorLines.contains { $0.hasPrefix("hint: ") })
    #expect(outcome.stdout.isEmpty)
  }

  @Test("a record under another record's name is 13 in a list and not there by id")
  func renamedRecord() throws {
    let workspace = try Workspace.withCustomers()
    let file = try workspace.recordFile("Shai Mishali")
    let bytes = try #require(workspace.snapshot()[file])
    let id = "\(file.dropFirst("records/".count).prefix(2))000000-0000-0000-0000-000000000000"
    FileTree.write(bytes, to: workspace.vault + "/records/\(id.prefix(2))/\(id).json")
    let list = workspace.run("list", "--vault", "v")
    #expect(list.status == .damaged)
    #expect(list.output.split(separator: "\n").count == 24)
    expectDamage(workspace.open("get", id, "name"), in: "records/")
  }
}
