import Testing
import VaultTestSupport

@Suite("Changes")
struct ChangeTests {
  /// The lines of a record, without those of its former values.
  private func lines(_ bytes: [UInt8]?) -> [String] {
    let all = String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
    guard let start = all.firstIndex(of: #"    "former" : {"#), let end = all[start...].firstIndex(of: "    },") else {
      return all
    }
    return Array(all[..<start] + all[(end + 1)...])
  }

  /// The names of the members whose lines differ.
  private func changedMembers(_ before: [String], _ after: [String]) -> Set<String> {
    #expect(before.count == after.count)
    let changed = zip(before, after).filter { $0 != $1 }.map { $1 }
    return Set(changed.map { line in String(line.split(separator: "\"", omittingEmptySubsequences: false)[1]) })
  }

  @Test(
    "setting one field changes its line, mac, revision and updated_at, and nothing else",
    arguments: [
      ["website=https://example.org/a/b"], ["contact_info.email=new@example.com"], ["address.city=Oslo"],
      ["--generate", "access_key"],
    ])
  func oneFieldIsFourLines(_ change: [String]) throws {
    let workspace = try Workspace.withCustomers()
    let file = try workspace.recordFile("Shai Mishali")
    let before = workspace.snapshot()
    let outcome = workspace.run(["set", "Shai Mishali"] + change + ["--vault", "v", "--identity", "id.txt"])
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(outcome.stdout.isEmpty)
    let after = workspace.snapshot()
    #expect(after.filter { before[$0.key] != $0.value }.map(\.key) == [file])
    #expect(before.count == after.count)
    let leaf = change.last?.split(separator: "=").first?.split(separator: ".").last.map(String.init) ?? ""
    #expect(changedMembers(lines(before[file]), lines(after[file])) == [leaf, "mac", "revision", "updated_at"])
  }

  @Test("setting a value that already exists changes no byte")
  func sameValueChangesNothing() throws {
    let workspace = try Workspace.withCustomers()
    let before = workspace.snapshot()
    let secret = workspace.open("get", "Shai Mishali", "access_key").output
    let outcome = workspace.open(
      "set", "Shai Mishali", "name=Shai Mishali", "added_on=2020-08-19T18:44:27Z", "--secret-stdin", "access_key",
      input: secret)
    #expect(outcome.code == 0)
    #expect(outcome.errors == "note: nothing changed\n")
    #expect(workspace.snapshot() == before)
    #expect(JSON(workspace.open("set", "Shai Mishali", "name=Shai Mishali", "--json").stdout)["changed"]?.bool == false)
  }

  @Test("a date written another way is the same date and keeps its literal")
  func sameDateKeepsItsLiteral() throws {
    let workspace = try Workspace.withCustomers()
    let before = workspace.snapshot()
    #expect(workspace.open("set", "Shai Mishali", "added_on=2020-08-19T20:44:27+02:00").code == 0)
    #expect(workspace.snapshot() == before)
  }

  @Test("unset takes the named fields away and no other")
  func unsetTakesFieldsAway() throws {
    let workspace = try Workspace.withCustomers()
    #expect(workspace.open("unset", "Shai Mishali", "website", "atm_code", "contact_info.email").code == 0)
    let record = try #require(JSON(workspace.open("show", "Shai Mishali", "--reveal", "--json").stdout)["record"])
    #expect(record["atm_code"] == nil)
    #expect(record["contact_info"]?["website"] == nil)
    #expect(record["contact_info"]?["email"] == nil)
    #expect(record["contact_info"]?["home_phone"]?.text == "+1 212-555-1000")
    #expect(workspace.open("unset", "Shai Mishali", "website").status == .notFound)
  }

  @Test("add stores what its options give, and prints the id")
  func addStores() throws {
    let workspace = try Workspace.withVault()
    _ = workspace.write("4711\n", to: "pin.txt")
    let added = workspace.open(
      "add", "customer", "--set", "name=Ada Example", "--set", "address.city=London", "--set",
      "contact_info.email=a=b@example.com",
      "--secret-stdin", "access_key", "--secret-file", "atm_code=pin.txt", input: "correct-horse\n")
    #expect(added.code == 0, "\(added.errors)")
    let id = String(added.output.dropLast())
    let shown = JSON(workspace.open("show", id, "--reveal", "--json").stdout)
    #expect(shown["record"]?["access_key"]?.text == "correct-horse")
    #expect(shown["record"]?["atm_code"]?.text == "4711")
    #expect(shown["record"]?["contact_info"]?["email"]?.text == "a=b@example.com")
    #expect(shown["verified"]?.bool == true)
    // A required date that is not given is the present time.
    #expect(shown["record"]?["added_on"]?.text?.prefix(10) == shown["created_at"]?.text?.prefix(10))
  }

  @Test("add takes a whole record as JSON and options over it")
  func addTakesJSON() throws {
    let workspace = try Workspace.withVault()
    let added = workspace.open(
      "create", "customer", "--from", "-", "--set", "website=https://example.org", "--json",
      input: #"{"name":"Ada","access_key":"k","nickname":1,"added_on":"2026-01-01T00:00:00Z"}"#)
    #expect(added.status == .inputRefused)
    #expect(JSON(added.stderr)["field"]?.text == "nickname")
    let good = workspace.open(
      "insert", "customer", "--from", "-", "--set", "website=https://example.org", "--json",
      input: #"{"name":"Ada","access_key":"k","added_on":"2026-01-01T00:00:00Z"}"#)
    #expect(good.code == 0, "\(good.errors)")
    #expect(JSON(good.stdout)["id"]?.text?.utf8.count == 36)
    #expect(workspace.open("get", "ada", "website").output == "https://example.org")
  }

  @Test("a readable value that looks like a token is refused")
  func tokenShapedTextIsRefused() throws {
    let workspace = try Workspace.withCustomers()
    let outcome = workspace.open("set", "Shai Mishali", "website=es1:abc")
    #expect(outcome.status == .inputRefused, "\(outcome.errors)")
  }

  @Test("removed records go to the trash, sealed")
  func removedRecordsGoToTheTrash() throws {
    let workspace = try Workspace.withCustomers()
    let file = try workspace.recordFile("Shai Mishali")
    let removed = workspace.open("rm", "Shai Mishali", "amélie dubois", "--yes", "--json")
    #expect(removed.code == 0)
    #expect(JSON(removed.stdout)["removed"]?.items?.count == 2)
    #expect(workspace.open("show", "Shai Mishali").status == .notFound)
    let after = workspace.snapshot()
    #expect(after[file] == nil)
    #expect(after["trash/" + (file.split(separator: "/").last ?? "")] != nil)
    #expect(JSON(workspace.open("list", "--json").stdout)["records"]?.items?.count == 22)
  }

  @Test("a writer that cannot have the lock ends with 12 after its timeout; a reader needs none")
  func lockedVault() throws {
    let workspace = try Workspace.withCustomers()
    let before = workspace.snapshot()
    let key = "--vault v --identity id.txt"
    let script =
      "flock -o v/.lock \(Binary.path) set 'Shai Mishali' website=x --lock-timeout 0 \(key); echo $?; "
      + "flock -o v/.lock \(Binary.path) get 'Shai Mishali' name \(key)"
    var plan = ProcessRun(path: "/bin/sh", arguments: ["-c", script], environment: workspace.environment)
    plan.directory = workspace.path
    let outcome = plan.run()
    #expect(outcome.output == "12\nShai Mishali", "\(outcome.errors)")
    #expect(outcome.errorLines.first?.hasPrefix("vault: ") == true, "\(outcome.errors)")
    #expect(outcome.errorLines.last?.hasPrefix("hint: wait for the other process") == true, "\(outcome.errors)")
    #expect(workspace.snapshot() == before)
  }

  @Test("removing one unknown record among others removes none")
  func removeIsAllOrNothing() throws {
    let workspace = try Workspace.withCustomers()
    let before = workspace.snapshot()
    #expect(workspace.open("delete", "Shai Mishali", "Nobody", "--yes").status == .notFound)
    #expect(workspace.snapshot() == before)
  }
}
