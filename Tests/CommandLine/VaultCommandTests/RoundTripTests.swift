import Testing
import VaultTestSupport

@Suite("Import and export")
struct RoundTripTests {
  /// The fixture in schema 2, with the one date that has an offset in UTC, and the one zip that is a number as text.
  private func expectedCustomers() throws -> JSON {
    let text = String(decoding: try #require(FileTree.contents(of: Fixture.customers)), as: UTF8.self)
    let pieces = text.split(separator: "\"zip\": 87112", omittingEmptySubsequences: false)
    #expect(pieces.count == 2)
    let normal = pieces.joined(separator: "\"zip\": \"87112\"")
      .split(separator: "2020-09-01T08:15:30.250+07:00").joined(separator: "2020-09-01T01:15:30.250Z")
    return .array(try #require(JSON(normal).items).map(inSchema2))
  }

  private func inSchema2(_ customer: JSON) -> JSON {
    guard var members = customer.members, let website = members.removeValue(forKey: "website") else { return customer }
    var contact = members["contact_info"]?.members ?? [:]
    contact["website"] = website
    members["contact_info"] = .object(contact)
    return .object(members)
  }

  @Test("all 24 customers come back byte for byte as Foundation writes them")
  func customersComeBack() throws {
    let workspace = try Workspace.withVault()
    let imported = workspace.open("import", "json", Fixture.customers, "--kind", "customer")
    #expect(imported.code == 0)
    #expect(imported.output == "24 stored, 0 refused\n")
    #expect(imported.errors == "")
    let exported = workspace.open("export", "--reveal")
    #expect(exported.code == 0)
    let expected = try expectedCustomers()
    #expect(expected.items?.count == 24)
    #expect(exported.stdout == (try expected.foundationBytes()))
  }

  @Test("what one vault exports, another imports to the same records")
  func exportIsImported() throws {
    let first = try Workspace.withCustomers()
    let second = try Workspace.withVault()
    #expect(first.open("export", "--reveal", "-o", second.path + "/all.json").code == 0)
    #expect(second.open("import", "json", "all.json", "--kind", "customer").output == "24 stored, 0 refused\n")
    #expect(second.open("export", "--reveal").stdout == first.open("export", "--reveal").stdout)
  }

  @Test("one object a line goes out and comes in, also through pipes")
  func linesGoBothWays() throws {
    let first = try Workspace.withCustomers()
    let lines = first.open("export", "--reveal", "--format", "jsonl")
    #expect(lines.output.split(separator: "\n").count == 24)
    let second = try Workspace.withVault()
    let imported = second.open("import", "jsonl", "-", "--kind", "customer", input: lines.output)
    #expect(imported.output == "24 stored, 0 refused\n")
    #expect(second.open("export", "--reveal", "--format", "jsonl").stdout == lines.stdout)
  }

  @Test("faulty elements are refused with index, member and reason; the others are stored")
  func faultyElementsAreRefused() throws {
    let workspace = try Workspace.withVault()
    let imported = workspace.open("import", "json", Fixture.faulty, "--kind", "customer", "--rejects", "rejects.json")
    #expect(imported.status == .partlyDone)
    #expect(imported.output == "2 stored, 7 refused\n")
    let file = Fixture.faulty
    #expect(
      imported.errorLines.dropLast() == [
        "vault: \(file): element 1: access_key is required",
        "vault: \(file): element 2: added_on is not a date in ISO 8601",
        "vault: \(file): element 3: access_key must be text",
        "vault: \(file): element 4: contact_info must be an object",
        "vault: \(file): element 5: the element must be an object",
        "vault: \(file): element 6: $vault is reserved for the vault",
        "vault: \(file): element 7: internal_note is not a field of the kind customer",
      ])
    #expect(imported.errorLines.last?.hasPrefix("hint: ") == true)
    let all = try Fixture.records(file)
    #expect(JSON(workspace.text(of: "rejects.json")) == .array(Array(all[1...7])))
  }

  @Test("--strict stores none when one is refused, --dry-run stores none at all")
  func strictAndDryRunStoreNothing() throws {
    let workspace = try Workspace.withVault()
    let before = workspace.snapshot()
    let strict = workspace.open("import", "json", Fixture.faulty, "--kind", "customer", "--strict")
    #expect(strict.status == .inputRefused)
    #expect(strict.output == "0 stored, 7 refused\n")
    let dry = workspace.open("import", "json", Fixture.customers, "--kind", "customer", "--dry-run")
    #expect(dry.code == 0)
    #expect(dry.output == "24 would be stored, 0 refused\n")
    #expect(workspace.snapshot() == before)
  }

  @Test("an import whose elements are all refused ends with 17")
  func allRefused() throws {
    let workspace = try Workspace.withVault()
    let imported = workspace.open("import", "json", "-", "--kind", "customer", input: #"[{"name":"A"},3]"#)
    #expect(imported.status == .inputRefused)
    #expect(imported.output == "0 stored, 2 refused\n")
  }

  @Test("with --json the report of an import is one document")
  func importReportsJSON() throws {
    let workspace = try Workspace.withVault()
    let imported = workspace.open("import", "json", Fixture.faulty, "--kind", "customer", "--json")
    let report = JSON(imported.stdout)
    #expect(imported.status == .partlyDone)
    #expect(imported.errors == "")
    #expect(report["schema"]?.number == 1)
    #expect(report["stored"]?.number == 2)
    #expect(report["ids"]?.items?.count == 2)
    #expect(report["refused"]?.items?.count == 7)
    #expect(report["refused"]?[1]?["index"]?.number == 2)
    #expect(report["refused"]?[1]?["field"]?.text == "added_on")
  }

  @Test("a bad line of jsonl is refused with its line and column")
  func badLineHasItsPlace() throws {
    let workspace = try Workspace.withVault()
    let good = #"{"name":"A","access_key":"k","added_on":"2026-11-21T01:40:28Z"}"#
    let imported = workspace.open("import", "jsonl", "-", "--kind", "customer", input: good + "\n\n{\"name\":nul}\n")
    #expect(imported.status == .partlyDone)
    #expect(imported.output == "1 stored, 1 refused\n")
    #expect(imported.errorLines.first?.hasPrefix("vault: stdin: line 3: column 9: ") == true, "\(imported.errors)")
  }

  @Test("an export without --reveal leaves sealed fields out and says how many")
  func exportLeavesSecretsOut() throws {
    let workspace = try Workspace.withCustomers()
    let exported = workspace.open("export")
    #expect(exported.code == 0)
    let records = try #require(JSON(exported.stdout).items)
    #expect(records.count == 24)
    #expect(records.allSatisfy { $0["access_key"] == nil && $0["atm_code"] == nil && $0["name"] != nil })
    let count = try Fixture.secrets().count
    #expect(exported.errors == "note: \(count) sealed fields were left out; --reveal exports sealed fields\n")
    let unverified = workspace.run("export", "--vault", "v")
    #expect(unverified.stdout == exported.stdout)
    #expect(unverified.errorLines.first?.contains("not verified") == true)
  }

  @Test("--sealed keeps the tokens, and --json marks sealed fields")
  func exportShapes() throws {
    let workspace = try Workspace.withCustomers()
    let tokens = try #require(JSON(workspace.open("export", "--sealed").stdout).items)
    #expect(tokens.allSatisfy { $0["access_key"]?.text?.hasPrefix("es1:") == true })
    let document = JSON(workspace.open("export", "--json").stdout)
    #expect(document["schema"]?.number == 1)
    #expect(document["verified"]?.bool == true)
    let first = try #require(document["records"]?[0])
    #expect(first["kind"]?.text == "customer")
    #expect(first["name"]?.text == first["record"]?["name"]?.text)
    #expect(first["record"]?["access_key"]?["sealed"]?.bool == true)
    #expect(first["record"]?["access_key"]?["sealed_at"]?.text?.hasSuffix("Z") == true)
    let revealed = JSON(workspace.open("export", "--json", "--reveal").stdout)
    #expect(revealed["records"]?[0]?["record"]?["access_key"]?.text?.isEmpty == false)
  }

  @Test("an empty vault exports an empty array that can be imported")
  func emptyExport() throws {
    let workspace = try Workspace.withVault()
    let exported = workspace.open("export")
    #expect(exported.stdout == (try JSON.array([]).foundationBytes()))
    #expect(workspace.open("export", "--json").code == 0)
    #expect(JSON(workspace.open("export", "--json").stdout)["records"]?.items?.isEmpty == true)
    let imported = workspace.open("import", "json", "-", "--kind", "customer", input: exported.output)
    #expect(imported.output == "0 stored, 0 refused\n")
  }
}
