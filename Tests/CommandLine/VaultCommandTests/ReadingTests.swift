import Testing
import VaultTestSupport

@Suite("Reading")
struct ReadingTests {
  @Test("list, find and masked show need no key and say that nothing was verified")
  func readingNeedsNoKey() throws {
    let workspace = try Workspace.withCustomers()
    for command in [
      ["list"], ["ls"], ["find", "paris"], ["search", "PARIS"], ["show", "shai mishali"], ["cat", "Shai Mishali"],
    ] {
      let isList = !["show", "cat"].contains(command[0])
      let outcome = workspace.run(command + ["--vault", "v"])
      #expect(outcome.code == 0, "\(outcome.errors)")
      let count = outcome.output.split(separator: "\n").count
      #expect(
        outcome.errors
          == (isList
            ? "note: \(count) record\(count == 1 ? "" : "s"), not verified\n"
            : "note: not verified: no key was used\n"))
      #expect(!outcome.stdout.isEmpty)
      let verified = workspace.run(command + ["--vault", "v", "--identity", "id.txt"])
      #expect(verified.stdout == outcome.stdout)
      #expect(verified.errors == "")
      let json = JSON(workspace.run(command + ["--vault", "v", "--json"]).stdout)
      #expect(json["schema"]?.number == 1)
      #expect(json["verified"]?.bool == false)
      #expect(
        JSON(workspace.run(command + ["--vault", "v", "--identity", "id.txt", "--json"]).stdout)["verified"]?.bool
          == true)
    }
  }

  @Test("a masked record shows since when each secret is sealed")
  func maskedShow() throws {
    let workspace = try Workspace.withCustomers()
    let shown = workspace.run("show", "Shai Mishali", "--vault", "v")
    let today = try #require(
      JSON(workspace.run("show", "Shai Mishali", "--vault", "v", "--json").stdout)["created_at"]?.text)
    #expect(shown.output.contains("\naccess_key:                  •••••••• sealed \(today.prefix(10))\n"))
    #expect(shown.output.contains("\naddress.street:              3828 Piermont Drive\n"))
    #expect(shown.output.contains("\nkind:     customer\n"))
    let revealed = workspace.open("show", "Shai Mishali", "--reveal")
    #expect(revealed.output.contains("\naccess_key:                  ~7hgUh2a*4<%z#g4qM\"%Ekx9dl9Wg~\n"))
    #expect(!revealed.output.contains("••••"))
  }

  @Test("list sorts and limits; its JSON has the row of each record")
  func listHasRows() throws {
    let workspace = try Workspace.withCustomers()
    let rows = try #require(
      JSON(workspace.run("list", "--vault", "v", "--limit", "3", "--json").stdout)["records"]?.items)
    #expect(rows.compactMap { $0["name"]?.text } == ["Ahmed Al-Masri", "Amélie Dubois", "Björk Guðmundsdóttir"])
    for row in rows {
      #expect(
        Set(row.members?.keys.map { $0 } ?? []) == [
          "id", "kind", "name", "revision", "created_at", "updated_at", "verified",
        ])
    }
    #expect(workspace.open("set", "Renée Faucher", "website=x").code == 0)
    let updated = workspace.run("list", "--vault", "v", "--sort", "updated").output.split(separator: "\n")
    #expect(updated.count == 24)
    #expect(updated.first?.contains("Renée Faucher") == true)
    let latest = workspace.run("list", "--vault", "v", "--sort", "created", "--json").stdout
    let times = try #require(JSON(latest)["records"]?.items).compactMap { $0["created_at"]?.text }
    #expect(times.count == 24)
    #expect(times == times.sorted(by: >))
  }

  @Test(
    "a kind that neither the program nor any record knows is refused with the kinds that there are",
    arguments: [["list"], ["find", "x"], ["export"], ["export", "--format", "csv"]])
  func unknownKind(command: [String]) throws {
    let workspace = try Workspace.withCustomers()
    let refused = workspace.run(command + ["--vault", "v", "--kind", "customr"])
    #expect(refused.status == .inputRefused)
    #expect(refused.stdout.isEmpty)
    #expect(
      refused.errorLines[0] == "vault: customr: there is no such kind" || refused.errors.hasPrefix("vault: customr: "))
    #expect(refused.errors.contains("hint: the known kinds are "))
    #expect(refused.errors.contains("customer, "))
    // A kind without records is not an error, but a search in it finds nothing.
    #expect(workspace.run(command + ["--vault", "v", "--kind", "login"]).code == (command[0] == "find" ? 10 : 0))
  }

  @Test("--where finds a list that holds the value")
  func findInLists() throws {
    let workspace = try Workspace.withCustomers()
    #expect(workspace.open("set", "Amélie Dubois", #"tags=["gold","vip"]"#).code == 0)
    #expect(workspace.run("find", "--vault", "v", "--where", "tags=vip").output.contains("Amélie Dubois"))
    #expect(workspace.run("find", "--vault", "v", "--where", "tags=vi").stdout.isEmpty)
  }

  @Test("find takes the order and the limit of list")
  func findIsLimited() throws {
    let workspace = try Workspace.withCustomers()
    let names = workspace.run("find", "example", "--vault", "v", "--sort", "updated", "--limit", "3", "--json", "-q")
    let all = workspace.run("find", "example", "--vault", "v", "--sort", "updated", "--json", "-q")
    let found = JSON(all.stdout)["records"]?.items ?? []
    #expect(found.count > 3)
    #expect(JSON(names.stdout)["records"]?.items == Array(found.prefix(3)))
  }

  @Test("get without a path says which paths the record has")
  func getNamesPaths() throws {
    let workspace = try Workspace.withCustomers()
    let refused = workspace.run("get", "Amélie Dubois", "--vault", "v")
    #expect(refused.status == .usage)
    #expect(refused.stdout.isEmpty)
    #expect(refused.errors.contains("hint: the fields of this record are "))
    #expect(refused.errors.contains("access_key"))
    #expect(refused.errors.contains("contact_info.email"))
    #expect(workspace.run("get", "Nobody", "--vault", "v").status == .usage)
  }

  @Test("status says which configured key files are not there")
  func missingKeyFiles() throws {
    let workspace = try Workspace.withVault()
    let missing = ["CVAULT_IDENTITY_FILE": "/none/id.txt", "CVAULT_PASSPHRASE_FILE": "/none/pw"]
    let status = workspace.run("status", "--vault", "v", adding: missing)
    #expect(status.code == 0)
    #expect(status.output.contains("key file:    /none/id.txt does not exist\n"))
    #expect(status.output.contains("/none/pw does not exist"))
    let document = JSON(workspace.run("status", "--vault", "v", "--json", adding: missing).output)
    #expect(document["key_files_missing"] == .array([.string("/none/id.txt"), .string("/none/pw")]))
    #expect(!workspace.run("status", "--vault", "v", "--identity", "id.txt").output.contains("not there"))
  }

  @Test("a second record of a name is stored, and a person at a terminal hears which one has it already", .atTerminal)
  func namesakes() throws {
    let workspace = try Workspace.withVault()
    let adding = [
      "add", "login", "--set", "title=Shop", "--generate", "password", "--vault", workspace.vault, "--identity",
      workspace.identity,
    ]
    let first = workspace.run(adding)
    #expect(first.code == 0)
    #expect(first.errors == "")
    let id = String(first.output.dropLast())
    let second = workspace.type(adding, [], errorsOnTerminal: true)
    #expect(second.code == 0)
    #expect(second.shown.contains("another record has this name: \(id); use their ids from now on"))
    // Nobody reads it, and looking costs time.
    #expect(workspace.run(adding).errors == "")
  }

  @Test("kinds show --schema --json is a document of --json")
  func schemaDocument() throws {
    let workspace = try Workspace()
    let document = JSON(workspace.run("kinds", "show", "login", "--schema", "--json").output)
    #expect(document["schema"]?.number == 1)
    #expect(document["name"]?.text == "login")
    #expect(document["json_schema"] == JSON(workspace.run("kinds", "show", "login", "--schema").output))
  }

  @Test("find looks at readable values only, by text and by path")
  func findLooksAtReadableValues() throws {
    let workspace = try Workspace.withCustomers()
    func names(_ arguments: String...) -> [String] {
      let rows = JSON(workspace.run(["find"] + arguments + ["--vault", "v", "--json"]).stdout)["records"]?.items ?? []
      return rows.compactMap { $0["name"]?.text }
    }
    #expect(names("ÉCHIQUIER") == ["Amélie Dubois", "Björk Guðmundsdóttir"])
    #expect(names("--where", "contact_info.email=customer2@example.com") == ["Amélie Dubois"])
    #expect(names("paris", "customer2@example.com") == ["Amélie Dubois"])
    #expect(names("S|_|p3rs3cr37").isEmpty)
    #expect(names("es1:").isEmpty)
    #expect(names("customer", "--where", "address.city=Nowhere").isEmpty)
  }

  @Test("a record is named by id, by name in any case, or by the beginning of its id")
  func recordsAreNamed() throws {
    let workspace = try Workspace.withCustomers()
    let file = try workspace.recordFile("Shai Mishali")
    let id = try #require(file.split(separator: "/").last?.split(separator: ".").first.map(String.init))
    for name in [id, String(id.prefix(12)), "SHAI MISHALI"] {
      #expect(workspace.open("get", name, "name").output == "Shai Mishali")
    }
    #expect(workspace.open("get", String(id.prefix(3)), "name").status == .notFound)
  }

  @Test("get prints objects as JSON, opened")
  func getPrintsObjects() throws {
    let workspace = try Workspace.withCustomers()
    let contact = workspace.open("get", "Shai Mishali", "contact_info")
    #expect(JSON(contact.stdout)["email"]?.text == "customer1@example.com")
    let json = JSON(workspace.open("get", "Shai Mishali", "atm_code", "--json").stdout)
    #expect(json["value"]?.text == "000522")
    #expect(json["path"]?.text == "atm_code")
  }

  @Test("a reader that closes the pipe ends the command quietly with 0")
  func closedPipeIsQuiet() throws {
    let workspace = try Workspace.withCustomers()
    for command in ["list --vault v", "export --reveal --vault v --identity id.txt", "show 'Shai Mishali' --vault v"] {
      let script = "{ \(Binary.path) \(command) -q; echo \"code $?\" >&2; } | head -n 1 >/dev/null"
      var plan = ProcessRun(path: "/bin/sh", arguments: ["-c", script], environment: workspace.environment)
      plan.directory = workspace.path
      #expect(plan.run().errors == "code 0\n", "\(command)")
    }
    // `true` reads nothing at all, so that every write fails.
    let script = "{ sleep 0.2; \(Binary.path) list --vault v; echo \"code $?\" >&2; } | true"
    var plan = ProcessRun(path: "/bin/sh", arguments: ["-c", script], environment: workspace.environment)
    plan.directory = workspace.path
    #expect(plan.run().errors == "code 0\n")
  }

  @Test("a closed stdout or a full device is 18, and nothing is written elsewhere")
  func unwritableOutputIsReported() throws {
    let workspace = try Workspace.withCustomers()
    let before = workspace.snapshot()
    for redirection in [">&-", ">/dev/full"] {
      let script = "\(Binary.path) list --vault v -q \(redirection)"
      var plan = ProcessRun(path: "/bin/sh", arguments: ["-c", script], environment: workspace.environment)
      plan.directory = workspace.path
      let outcome = plan.run()
      #expect(outcome.status == .inputOutput, "\(redirection)")
      #expect(outcome.errorLines.first?.hasPrefix("vault: stdout cannot be written") == true)
    }
    #expect(workspace.snapshot() == before)
  }

  @Test("what was stored is said to be stored when its id or result cannot be printed")
  func storedAndNotPrinted() throws {
    let key = "--vault v --identity id.txt"
    let commands = [
      (
        "add customer --set name=New --generate access_key \(key)",
        /vault: stdout: stored as [0-9a-f-]{36}, but stdout .+/
      ),
      (
        "import json \(Fixture.customers) --kind customer \(key)",
        /vault: stdout: 24 records were stored, but stdout .+/
      ),
    ]
    let documents = [
      ("set 'Shai Mishali' website=x --json \(key)", "the change is stored, but stdout "),
      ("rm 'Shai Mishali' -y --json \(key)", "1 record removed, but stdout "),
    ]
    for redirection in [">&-", ">/dev/full"] {
      for (command, message) in commands {
        let outcome = try unprinted(command + " " + redirection)
        #expect(outcome.errorLines.first?.wholeMatch(of: message) != nil, "\(outcome.errors)")
        #expect(outcome.errorLines.last?.hasPrefix("hint: do not run the command again") == true, "\(outcome.errors)")
      }
      for (command, reason) in documents {
        let reported = JSON(try unprinted(command + " " + redirection).stderr)["message"]?.text
        #expect(reported?.hasPrefix("stdout: \(reason)") == true, "\(reported ?? "nothing")")
      }
    }
  }

  /// Runs a command that changes the vault and cannot say so.
  private func unprinted(_ command: String) throws -> ProcessOutcome {
    let workspace = try Workspace.withCustomers()
    let before = workspace.snapshot()
    var plan = ProcessRun(
      path: "/bin/sh", arguments: ["-c", "\(Binary.path) \(command)"], environment: workspace.environment)
    plan.directory = workspace.path
    let outcome = plan.run()
    #expect(outcome.status == .inputOutput, "\(command)")
    #expect(workspace.snapshot() != before)
    #expect(workspace.open("verify").code == 0)
    return outcome
  }

  @Test("escape sequences and control characters in values never reach the terminal")
  func valuesAreNeutralised() throws {
    let workspace = try Workspace.withVault()
    let name = "evil\u{1B}]0;title\u{07}\nsecond\u{202E}line"
    #expect(workspace.open("add", "customer", "--set", "name=\(name)", "--generate", "access_key").code == 0)
    let id = try #require(JSON(workspace.open("list", "--json").stdout)["records"]?[0]?["id"]?.text)
    for command in [["list"], ["show", id], ["show", id, "--reveal"], ["remove", id, "-y"]] {
      let outcome = workspace.run(command + ["--vault", "v", "--identity", "id.txt"])
      #expect(outcome.code == 0)
      for bytes in [outcome.stdout, outcome.stderr] {
        #expect(!bytes.contains(0x1B))
        #expect(!bytes.contains(0x07))
        #expect(!bytes.holds(Array("\u{202E}".utf8)))
      }
    }
  }

  @Test("a name from a file is escaped in an error, and without its middle when it is long")
  func namesAreNeutralised() throws {
    let workspace = try Workspace.withVault()
    let name = #"a\u001b[31m"# + String(repeating: "n", count: 5_000)
    let file = workspace.write(#"{"title":"Door","\#(name)":1}"#, to: "door.json")
    let outcome = workspace.open("add", "login", "--from", file)
    #expect(outcome.status == .inputRefused)
    let line = try #require(outcome.errorLines.first)
    #expect(line.hasPrefix("vault: "), "\(line.prefix(600))")
    #expect(line.utf8.count < 500, "\(line.prefix(600))")
    #expect(!line.utf8.contains(0x1B), "\(line.prefix(600))")
  }

  @Test("the vault is the option's, else the variable's, else the nearest parent's, else the user's own")
  func vaultIsFound() throws {
    let workspace = try Workspace.withVault()
    #expect(workspace.run("init", "second", "--generate-identity", "id2.txt").code == 0)
    let first = workspace.run("fingerprint", "--vault", "v").output
    let second = workspace.run("fingerprint", "--vault", "second").output
    #expect(first != second)
    #expect(first.utf8.count == 41)
    let variable = ["CVAULT_DIR": workspace.path + "/second"]
    #expect(workspace.run("fingerprint", adding: variable).output == second)
    #expect(workspace.run("fingerprint", "--vault", "v", adding: variable).output == first)
    var inside = workspace.plan(["fingerprint"])
    inside.directory = workspace.vault + "/records"
    #expect(inside.run().output == first)
    inside.environment.merge(variable) { $1 }
    #expect(inside.run().output == second)
    #expect(workspace.run("fingerprint").status == .noVault)
    let own = workspace.run("init", "--generate-identity", "id3.txt")
    #expect(own.code == 0, "\(own.errors)")
    #expect(workspace.run("fingerprint").output == own.output)
    #expect(FileTree.names(in: workspace.home + "/.local/share/cvault").contains("vault.json"))
    let data = ["XDG_DATA_HOME": workspace.path + "/data"]
    #expect(workspace.run("init", "--generate-identity", "id4.txt", adding: data).code == 0)
    #expect(FileTree.names(in: workspace.path + "/data/cvault").contains("vault.json"))
  }

  @Test(
    "every command explains itself with an example; the version needs nothing",
    arguments: [
      "init", "add", "show", "get", "set", "unset", "edit", "list", "find", "remove", "export", "import", "kinds",
      "status", "fingerprint", "generate", "create", "insert", "cat", "ls", "search", "rm", "delete",
    ])
  func helpHasExamples(_ command: String) throws {
    let workspace = try Workspace()
    let help = workspace.run(command, "--help")
    #expect(help.code == 0)
    let paragraphs = help.output.split(separator: "\n\n")
    #expect(paragraphs[0].hasPrefix("OVERVIEW: "), "\(help.output)")
    #expect(paragraphs[1].hasPrefix("Example:\n  "), "\(help.output)")
    #expect(paragraphs[1].split(separator: "\n").filter { !$0.hasPrefix("  ") || $0.count > 80 } == ["Example:"])
    #expect(help.output.contains("USAGE: vault "))
    #expect(help.errors == "")
    #expect(workspace.run("--version").output.split(separator: ".").count == 3)
    #expect(workspace.run("--help").output.contains("Example:"))
  }

  @Test(
    "help names the options of vault and key only where there are such",
    arguments: [
      ("list", "--vault, --identity, --json, --quiet, --yes"), ("fingerprint", "--vault, --json, --quiet, --yes"),
      ("generate", "--json, --quiet, --yes"), ("store sql", "--json, --quiet, --yes"),
    ])
  func sharedOptions(_ command: String, _ options: String) throws {
    let help = try Workspace().run(command.split(separator: " ").map(String.init) + ["--help"])
    let end =
      "\n\nCommon options: \(options) and others.\n`vault help options` explains them.\n"
    #expect(help.output.hasSuffix(end), "\(help.output)")
  }

  @Test("status names vault, slots, key and why, without a key")
  func statusExplains() throws {
    let workspace = try Workspace.withCustomers()
    let status = workspace.run(
      "status", adding: ["CVAULT_DIR": workspace.vault, "CVAULT_IDENTITY_FILE": workspace.identity])
    #expect(status.code == 0, "\(status.errors)")
    #expect(status.output.contains("\nrecords:     24\n"))
    #expect(status.output.contains("(CVAULT_DIR)\n"))
    #expect(status.output.contains("\nkey:         identity \(workspace.identity) (CVAULT_IDENTITY_FILE)\n"))
    #expect(status.output.contains("OpenSSL"))
    let json = JSON(workspace.run("status", "--vault", "v", "--json").stdout)
    #expect(json["records"]?.number == 24)
    #expect(json["key"] == .null)
    #expect(json["slots"]?[0]?["kind"]?.text == "x25519")
    #expect(json["fingerprint"]?.text == workspace.run("fingerprint", "--vault", "v").output.dropLast().description)
  }

  @Test("kinds shows what is sealed and what is required")
  func kindsAreShown() throws {
    let workspace = try Workspace()
    #expect(workspace.run("kinds", "list").output.hasPrefix("customer\nlogin\n"))
    let fields = try #require(JSON(workspace.run("kinds", "show", "customer", "--json").stdout)["fields"]?.items)
    #expect(fields.filter { $0["sealed"]?.bool == true }.compactMap { $0["path"]?.text } == ["access_key", "atm_code"])
    #expect(
      fields.filter { $0["required"]?.bool == true }.compactMap { $0["path"]?.text } == [
        "name", "access_key", "added_on",
      ])
    #expect(
      workspace.run("kinds", "show", "customer").output.contains(
        "access_key                   sealed as key, text, required\n"))
    #expect(fields.compactMap { $0["secret"]?.text } == ["key", "pin"])
    #expect(workspace.run("kinds", "show", "login").output.contains("notes      sealed, text\n"))
  }
}
