import Testing
import VaultCommands
import VaultTerminal
import VaultTestSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension Workspace {
  /// The screen of this size, without bold and dim.
  func screen(
    _ arguments: [String], columns: UInt16 = 80, rows: UInt16 = 0,
    typing answers: [(prompt: String, reply: String)] = [], errorsOnTerminal: Bool = true,
    adding: [String: String] = [:]
  ) -> (lines: [String], outcome: ProcessOutcome) {
    var plan = plan(arguments)
    plan.terminal = answers
    plan.screen = (columns, rows)
    plan.outputOnTerminal = true
    plan.errorsOnTerminal = errorsOnTerminal
    plan.environment.merge(["NO_COLOR": "1", "TERM": "xterm"].merging(adding) { $1 }) { $1 }
    let outcome = plan.run()
    return (outcome.shown.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init), outcome)
  }
}

@Suite("A list for eyes", .atTerminal)
struct ListTests {
  @Test("the table fits the screen, the name first, the id last where there is room", arguments: [40, 80, 120, 200])
  func fitsTheScreen(_ columns: UInt16) throws {
    let workspace = try Workspace.withCustomers()
    let long = String(repeating: "long ", count: 20) + "name"
    for title in [long, "東京銀行", "שָׁלוֹם"] {
      #expect(workspace.open("add", "login", "title=\(title)", "username=ada", "--generate", "password").code == 0)
    }
    let lines = workspace.screen(["list", "--vault", "v", "-q"], columns: columns).lines.dropLast()
    #expect(lines.count == 28)
    #expect(lines.allSatisfy { DisplayWidth.of($0) <= Int(columns) }, "\(lines)")
    let header = try #require(lines.first?.split(separator: " ").map(String.init))
    #expect(header == (columns == 40 ? ["NAME", "WHO", "AGE"] : ["NAME", "KIND", "WHO", "AGE", "ID"]))
    #expect(lines.contains { $0.hasPrefix("long long") && $0.contains("…") })
    let row = try #require(lines.first { $0.hasPrefix("Amélie") })
    #expect(row.contains("customer2@"))
    #expect(row.contains("now"))
    let id = try #require(JSON(workspace.run("show", "Amélie Dubois", "--vault", "v", "--json").stdout)["id"]?.text)
    #expect(row.hasSuffix("  " + id.prefix(8)) == (columns > 40))
  }

  @Test("names stand where their letters do, and --limit says of how many")
  func order() throws {
    let workspace = try Workspace.withCustomers()
    let lines = workspace.screen(["list", "--vault", "v", "-q"]).lines
    func place(_ name: String) throws -> Int { try #require(lines.firstIndex { $0.hasPrefix(name) }) }
    #expect(try place("D'Angelo") + 1 == place("Émile Zola"))
    #expect(try place("Émile Zola") + 1 == place("Fatima"))
    #expect(try place("Søren") + 1 == place("Þóra"))
    #expect(try place("Þóra") + 1 == place("Yuki"))
    let limited = workspace.screen(["list", "--vault", "v", "--limit", "3"]).lines
    #expect(limited.contains("note: 3 of 24 records, not verified"))
    #expect(limited[3].hasPrefix("Björk"))
    // If nobody needs the count, records are not counted.
    let plain = workspace.screen(["list", "--vault", "v", "--limit", "2", "--format", "tsv"]).lines
    #expect(plain.count == 4, "\(plain)")
    #expect(plain.contains("note: not verified"), "\(plain)")
    let all = workspace.screen(["list", "--vault", "v", "--limit", "24", "--fields", "name", "--format", "tsv"]).lines
    #expect(all.contains("note: not verified"))
    let more = workspace.screen(["list", "--vault", "v", "--limit", "25", "--format", "tsv"]).lines
    #expect(more.contains("note: 24 records, not verified"))
    #expect(workspace.run("list", "--vault", "v", "--limit", "2").errors == "note: not verified\n")
  }

  @Test("--wide shows whole names, ids and times; --fields shows what is asked for, sealed values masked")
  func wideAndFields() throws {
    let workspace = try Workspace.withCustomers()
    let wide = workspace.screen(["list", "--vault", "v", "-q", "--wide"], columns: 60).lines
    #expect(wide[0].split(separator: " ") == ["NAME", "KIND", "WHO", "CREATED", "UPDATED", "ID"])
    #expect(!wide.contains { $0.contains("…") })
    #expect(DisplayWidth.of(wide[1]) > 100)
    let fields = workspace.screen(["list", "--vault", "v", "-q", "--fields", "NAME,address.city,access_key"]).lines
    #expect(fields[0].split(separator: " ") == ["NAME", "address.city", "access_key"])
    #expect(fields[2].split(separator: " ") == ["Amélie", "Dubois", "Paris", "••••••••"])
    #expect(workspace.run("list", "--vault", "v", "--fields", "a..b").status == .usage)
    #expect(workspace.run("list", "--vault", "v", "--fields", "name", "--json").status == .usage)
  }

  @Test("tsv has whole texts and no header, at a terminal and in a pipe")
  func tabs() throws {
    let workspace = try Workspace.withCustomers()
    let piped = workspace.run("list", "--vault", "v", "-q", "--format", "tsv")
    let rows = piped.output.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
    #expect(rows.count == 24)
    #expect(rows.allSatisfy { $0.count == 5 && $0[4].count == 36 })
    #expect(rows[1].prefix(3) == ["Amélie Dubois", "customer", "customer2@example.com"])
    let fields = workspace.run("list", "--vault", "v", "-q", "--fields", "name,tags,address.zip", "--limit", "1")
    #expect(fields.output.split(separator: "\t", omittingEmptySubsequences: false).count == 3)
    let shown = workspace.screen(["list", "--vault", "v", "-q", "--format", "tsv"]).lines
    try #require(shown.count == 25)
    #expect(!shown[0].contains("NAME"))
  }

  @Test("what is longer than the screen goes to the pager, which has no key; leaving it is no error")
  func pager() throws {
    let workspace = try Workspace.withCustomers()
    let key = ["CVAULT_IDENTITY_FILE": workspace.identity]
    func paged(_ pager: String, rows: UInt16 = 10, _ more: String...) -> (lines: [String], outcome: ProcessOutcome) {
      workspace.screen(
        ["list", "--vault", "v", "-q"] + more, rows: rows, adding: key.merging(["CVAULT_PAGER": pager]) { $1 })
    }
    let said = "env | grep CVAULT; echo paged; cat"
    #expect(paged(said).lines.count == 27)
    #expect(paged(said).lines.first == "paged")
    #expect(paged(said, rows: 60).lines[0].hasPrefix("NAME"))
    #expect(paged(said, "--no-pager").lines[0].hasPrefix("NAME"))
    let left = paged("head -n 1")
    #expect(left.outcome.code == 0)
    #expect(left.lines.count == 2)
    #expect(left.lines.first?.hasPrefix("NAME") == true)
    let missing = paged("no-such-pager")
    #expect(missing.outcome.code == 0)
    #expect(missing.lines.contains { $0.hasPrefix("Zoë") })
    for none in ["", "cat"] { #expect(paged(none).lines[0].hasPrefix("NAME")) }
    let piped = workspace.run(
      "list", "--vault", "v", adding: ["CVAULT_PAGER": "echo paged", "COLUMNS": "20"])
    #expect(piped.stdout == workspace.run("list", "--vault", "v").stdout)
  }

  @Test("a pipe gets what it has always got")
  func pipe() throws {
    let workspace = try Workspace.withCustomers()
    let rows = try #require(JSON(workspace.run("list", "--vault", "v", "--json").stdout)["records"]?.items)
    let width = rows.compactMap { $0["name"]?.text?.count }.max() ?? 0
    let expected = rows.map { row -> String in
      let name = row["name"]?.text ?? ""
      let padding = String(repeating: " ", count: width - name.count)
      return "\(row["id"]?.text ?? "")  customer  \(name)\(padding)  \(row["updated_at"]?.text ?? "")\n"
    }
    #expect(workspace.run("list", "--vault", "v").output == expected.joined())
    let names = rows.compactMap { $0["name"]?.text?.lowercased() }
    #expect(names == names.sorted())
  }
}

@Suite("Other lists and records for eyes", .atTerminal)
struct OtherTablesTests {
  @Test("the lists of slots, of the trash, of what is due and of backups fit the screen", arguments: [40, 80, 120])
  func lists(_ columns: UInt16) throws {
    let workspace = try Workspace.withCustomers()
    #expect(workspace.open("remove", "Amélie Dubois", "--yes").code == 0)
    unsafe try #require(mkdir(workspace.path + "/b", 0o700) == 0)
    #expect(workspace.open("backup", "create", "--to", "b").code == 0)
    let key = ["--vault", "v", "-q"]
    for (words, header, piped) in [
      (["key", "list"] + key, "LABEL", "x25519"), (["trash", "list"] + key, "NAME", "Amélie"),
      (["due", "--older-than", "0s"] + key, "NAME", "access_key"), (["backup", "list", "b"], "NAME", ".cvault.age"),
    ] {
      let shown = workspace.screen(words, columns: columns)
      try #require(shown.lines.count > 2, "\(words): \(shown.lines)")
      #expect(shown.lines[0].hasPrefix(header + "  "), "\(words): \(shown.lines)")
      #expect(shown.lines.allSatisfy { DisplayWidth.of($0) <= Int(columns) }, "\(shown.lines)")
      let pipe = workspace.run(words)
      #expect(pipe.code == shown.outcome.code)
      #expect(pipe.output.contains(piped))
      #expect(!pipe.output.contains(header + "  "))
      let wide = workspace.screen(words + ["--wide"], columns: columns).lines
      #expect(wide[1].contains("-"), "\(wide)")
      #expect(wide[1].contains(":"), "\(wide)")
    }
  }

  @Test("show begins with the name, has texts in lines, and ends with what is known of the record")
  func show() throws {
    let workspace = try Workspace.withVault()
    let added = workspace.open(
      "add", "secure-note", "title=Note", "--secret-stdin", "text", input: "first\nsecond \u{1B}[31m\n")
    try #require(added.code == 0, "\(added.errors)")
    let words = ["show", "Note", "--reveal", "--vault", "v", "--identity", "id.txt"]
    let lines = workspace.screen(words).lines
    #expect(lines[0] == "Note")
    #expect(lines[2] == "title: Note")
    #expect(lines[3...5] == ["text:", "  first", #"  second \u001b[31m"#], "\(lines)")
    #expect(lines[7].hasPrefix("id:       "))
    #expect(lines[8] == "kind:     secure-note")
    #expect(workspace.run(words).output.contains(#"text:  first\nsecond \u001b[31m"#))
  }

  @Test("a state is a word, and has a color at a terminal")
  func states() throws {
    let workspace = try Workspace.withCustomers()
    let color = ["NO_COLOR": ""]
    let good = workspace.screen(["lint", "--vault", "v"], adding: color)
    #expect(good.lines[0] == "\u{1B}[32mok\u{1B}[0m     24 records, 0 in the trash")
    #expect(good.outcome.code == 0)
    #expect(workspace.run("lint", "--vault", "v").stdout.isEmpty)
    let doctor = workspace.screen(["doctor", "--vault", "v"], adding: color)
    #expect(doctor.outcome.shown.contains("\u{1B}[32mok\u{1B}[0m    rotation: "), "\(doctor.outcome.shown)")
    #expect(!workspace.screen(["doctor", "--vault", "v"]).outcome.shown.contains("\u{1B}"))
    _ = workspace.write("x", to: "v/records/stray")
    let bad = workspace.screen(["lint", "--vault", "v"], adding: color)
    #expect(bad.lines[0].hasPrefix("\u{1B}[31mfault\u{1B}[0m  "), "\(bad.lines)")
    #expect(bad.outcome.status == .findings, "\(bad.lines)")
    unsafe try #require(mkdir(workspace.path + "/b", 0o700) == 0)
    let none = workspace.screen(["backup", "status", "b"], adding: color)
    #expect(none.lines[0].hasPrefix("\u{1B}[31mfault\u{1B}[0m  b: "))
    #expect(none.outcome.status == .findings)
    #expect(workspace.open("backup", "create", "--to", "b").code == 0)
    let plan = workspace.screen(["backup", "prune", "b", "--keep-last", "1", "--dry-run"], adding: color)
    #expect(plan.lines[0].hasPrefix("\u{1B}[32mkeep\u{1B}[0m    "), "\(plan.lines)")
  }
}

@Suite("How long ago") struct ElapsedTests {
  @Test(
    "the largest unit of which there are two",
    arguments: [
      (0, "now"), (-500, "now"), (59, "now"), (60, "1 min"), (3599, "59 min"), (3600, "1 hour"), (7200, "2 hours"),
      (86_400, "1 day"), (172_800, "2 days"), (1_209_600, "2 weeks"), (5_300_000, "2 months"), (70_000_000, "2 years"),
    ] as [(Int64, String)])
  func words(_ seconds: Int64, _ words: String) {
    #expect(Elapsed.words(seconds: seconds) == words)
  }
}
