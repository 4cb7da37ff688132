import Testing
import VaultTestSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Export for other tools")
struct ExportFormatTests {
  /// Two logins that shells, tables and markup may get wrong.
  private func workspace() throws -> Workspace {
    let workspace = try Workspace.withVault()
    let logins = #"""
      [{"title":"Ada's","username":"ada","password":"p'w\"d\nline2\r\n$x `y` \\z","notes":"=1+1"},
       {"title":"\u7530\u4e2d","password":"\u2028 & <b>","secrets":{"PIN":"0042"}}]
      """#
    let imported = workspace.open("import", "json", "-", "--kind", "login", input: logins)
    try #require(imported.code == 0, "\(imported.errors)")
    return workspace
  }

  private func recipient(_ workspace: Workspace) throws -> String {
    let lines = workspace.text(of: "id.txt").split(separator: "\n")
    return try #require(
      lines.compactMap { line in line.firstRange(of: "age1").map { String(line[$0.lowerBound...]) } }.first)
  }

  @Test(
    "what makes no sense together is a usage error and writes nothing",
    arguments: [
      ["--format", "bitwarden"], ["--format", "sops", "--reveal"], ["--format", "env", "--keys", "camel"],
      ["--format", "csv", "--json"], ["--age", "age1x"], ["--format", "keepass-xml", "--sealed"],
    ])
  func usage(arguments: [String]) throws {
    let workspace = try Workspace.withVault()
    let refused = workspace.run(
      ["export", "-o", "out"] + arguments + ["--vault", workspace.vault, "--identity", workspace.identity])
    #expect(refused.status == .usage)
    #expect(FileTree.contents(of: workspace.path + "/out") == nil)
  }

  @Test("a file that is there is replaced only when that was said, and is for its owner alone")
  func replacing() throws {
    let workspace = try workspace()
    _ = workspace.write("mine", to: "out.csv")
    let refused = workspace.open("export", "--format", "csv", "-o", "out.csv")
    #expect(refused.status == .alreadyExists)
    #expect(
      refused.errorLines == [
        "vault: out.csv already exists", "hint: add --yes to replace it", "hint: or name another file",
      ])
    #expect(workspace.text(of: "out.csv") == "mine")
    #expect(workspace.open("export", "--format", "csv", "-o", "out.csv", "--yes").code == 0)
    #expect(workspace.text(of: "out.csv").hasPrefix("$vault.kind,title"))
    let attributes = try FileManager.default.attributesOfItem(atPath: workspace.path + "/out.csv")
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test("on a terminal it asks before it replaces a file", .atTerminal)
  func askingToReplace() throws {
    let workspace = try workspace()
    _ = workspace.write("mine", to: "out.json")
    let arguments = ["export", "-o", "out.json", "--vault", workspace.vault, "--identity", workspace.identity]
    #expect(workspace.type(arguments, [("Replace it?", "n\n")]).status == .declined)
    #expect(workspace.text(of: "out.json") == "mine")
    #expect(workspace.type(arguments, [("Replace it?", "y\n")]).code == 0)
    #expect(workspace.text(of: "out.json").hasPrefix("["))
  }

  @Test("what a format has no place for is said by kind and count, and ends with 4")
  func losses() throws {
    let workspace = try Workspace.withCustomers()
    let exported = workspace.open("export", "--format", "1password-csv", "--reveal")
    #expect(exported.status == .partlyDone)
    #expect(
      exported.errorLines == ["note: 24 records of the kind customer are left out: 1password-csv has no place for them"]
    )
    #expect(exported.output == "Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes\r\n")
    #expect(workspace.open("export", "--format", "bitwarden", "--reveal").code == 0)
  }

  @Test("sealed fields stay out of tables and YAML until they are revealed", arguments: ["csv", "yaml", "env"])
  func sealedFields(format: String) throws {
    let workspace = try Workspace.withCustomers()
    let masked = workspace.open("export", "--format", format, "--kind", "customer")
    #expect(masked.errors.contains("sealed fields were left out; --reveal exports sealed fields"))
    for secret in try Fixture.longSecrets() { #expect(!masked.stdout.holds(secret)) }
    let revealed = workspace.open("export", "--format", format, "--reveal", "--kind", "customer")
    // Those that no format writes in another way.
    let plain = try Fixture.secrets().filter {
      $0.count > 3 && $0.allSatisfy { $0 > 0x20 && !"'\"\\\u{7F}".utf8.contains($0) }
    }
    #expect(plain.count > 20)
    for secret in plain { #expect(revealed.stdout.holds(secret), "a secret is missing") }
  }

  @Test(
    "what came from a tool goes out and into a second vault as the same records",
    arguments: [("keepass-xml", "keepass-xml"), ("1password-csv", "1password-csv"), ("bitwarden", "bitwarden-json")])
  func secondVault(format: String, importer: String) throws {
    let origin = try workspace()
    #expect([0, 4].contains(origin.open("export", "--format", format, "--reveal", "-o", "out").code))
    let (first, second) = (try Workspace.withVault(), try Workspace.withVault())
    #expect(first.open("import", importer, origin.path + "/out").code == 0)
    #expect(first.open("export", "--format", format, "--reveal", "-o", "out").code == 0)
    #expect(second.open("import", importer, first.path + "/out").code == 0)
    func records(_ workspace: Workspace) throws -> [String] {
      let exported = workspace.open("export", "--reveal", "--format", "jsonl")
      return exported.output.split(separator: "\n").map(String.init).sorted()
    }
    let expected = try records(first)
    #expect(expected.count == 2)
    #expect(try records(second) == expected)
  }

  @Test(
    "what a format of this program or a table holds comes back into a second vault as equal records",
    arguments: ["json", "jsonl", "csv", "plist", "plist-binary"])
  func ownFormats(format: String) throws {
    // XML has no place for a return, so that property lists in XML are refused with one in them.
    let origin = format == "plist" ? try Workspace.withVault() : try workspace()
    let more =
      #"[{"title":"a <b>","password":"&amp;","urls":["https://a.example","https://b.example"],"tags":["x","y"]}]"#
    #expect(origin.open("import", "json", "-", "--kind", "login", input: more).code == 0)
    let second = try Workspace.withVault()
    #expect(origin.open("export", "--kind", "login", "--format", format, "--reveal", "-o", "out").code == 0)
    let importer = format == "plist-binary" ? "plist" : format
    #expect(second.open("import", importer, origin.path + "/out", "--kind", "login").code == 0)
    func records(_ workspace: Workspace) throws -> [JSON] {
      let lines = workspace.open("export", "--reveal", "--format", "jsonl").output.split(separator: "\n")
      return lines.map { JSON(String($0)).withoutExternalID }.sorted {
        $0["title"]?.text ?? "" < $1["title"]?.text ?? ""
      }
    }
    let expected = try records(origin)
    #expect(expected.count == (format == "plist" ? 1 : 3))
    #expect(try records(second) == expected)
  }

  @Test(
    "what an export of several kinds writes comes back as the same kinds without being told them",
    arguments: ["json", "jsonl", "csv", "plist", "plist-binary", "--json"])
  func severalKinds(format: String) throws {
    let origin = try Workspace.withVault()
    for (kind, text) in [
      ("login", #"{"title":"l","password":"p","urls":["https://a.example"],"secrets":{"s":"1"},"fields":{"f":"2"}}"#),
      ("secure-note", #"{"title":"n","text":"hunter2"}"#),
      ("database", #"{"title":"d","engine":"redis","host":"h","port":6379}"#),
    ] { #expect(origin.open("import", "json", "-", "--kind", kind, input: text).code == 0) }
    let form = format == "--json" ? "json" : format
    let json = format == "--json" ? "--json" : "--yes"
    #expect([0, 4].contains(origin.open("export", "--reveal", "-o", "out", "--format", form, json).code))
    let second = try Workspace.withVault()
    let importer = format == "--json" ? "json" : format == "plist-binary" ? "plist" : format
    #expect(second.open("import", importer, origin.path + "/out").output.hasPrefix("3 stored, "))
    func records(_ workspace: Workspace) -> [JSON] {
      let lines = workspace.open("export", "--reveal", "--format", "jsonl").output.split(separator: "\n")
      return lines.map { JSON(String($0)).withoutExternalID }.sorted {
        $0["title"]?.text ?? "" < $1["title"]?.text ?? ""
      }
    }
    #expect(records(origin).map { $0["$vault"]?["kind"]?.text } == ["database", "login", "secure-note"])
    #expect(records(second) == records(origin))
    #expect(!second.open("export", "--format", "jsonl").output.contains("hunter2"))
  }

  @Test("a record of a kind that the vault has not, or that --kind does not say, is refused by itself")
  func unknownKinds() throws {
    let lines =
      #"{"$vault":{"kind":"login"},"title":"a"}"# + "\n" + #"{"$vault":{"kind":"nothing"},"title":"b"}"# + "\n"
    let table = "$vault.kind,title\nlogin,a\nnothing,b\n"
    for (format, text) in [("jsonl", lines), ("plain-jsonl", lines), ("csv", table)] {
      let workspace = try Workspace.withVault()
      let imported = workspace.open("import", format, "-", input: text)
      #expect(imported.status == .partlyDone, "\(format): \(imported.errors)")
      #expect(imported.output.hasPrefix("1 stored, "), "\(format): \(imported.errors)")
      let other = workspace.open("import", format, "-", "--kind", "secure-note", input: text)
      #expect(other.status == .inputRefused, "\(format)")
    }
    let workspace = try Workspace.withVault()
    #expect(workspace.open("import", "jsonl", "-", input: #"{"title":"a"}"#).status == .usage)
  }

  @Test(
    "every record that a form of XML cannot hold is named, and nothing is written", arguments: ["keepass-xml", "plist"])
  func controlCharacters(format: String) throws {
    let workspace = try Workspace.withVault()
    let input = #"[{"title":"a","password":"x\u0001"},{"title":"b"},{"title":"c","notes":"\u0002"}]"#
    #expect(workspace.open("import", "json", "-", "--kind", "login", input: input).code == 0)
    let refused = workspace.open("export", "--format", format, "--reveal", "-o", "out")
    #expect(refused.status == .inputRefused)
    #expect(FileTree.contents(of: workspace.path + "/out") == nil)
    #expect(refused.errorLines.count { $0.contains("has a control character") } == 2, "\(refused.errors)")
    #expect(refused.errorLines.count { $0.hasPrefix("hint: ") } == 1)
  }

  @Test("an update lists the sealed values that it replaces, and shows none")
  func replacedSecrets() throws {
    let workspace = try Workspace.withVault()
    func table(_ password: String) -> String { "name,url,username,password\nA,https://a.example,ann,\(password)\n" }
    #expect(workspace.open("import", "chrome-csv", "-", input: table("hunter2")).code == 0)
    let same = workspace.open("import", "chrome-csv", "-", "--update", input: table("hunter2"))
    #expect(!same.output.contains("replaced"))
    let dry = workspace.open("import", "chrome-csv", "-", "--update", "--dry-run", input: table("hunter3"))
    #expect(dry.output.contains("would be replaced: "))
    let update = workspace.open("import", "chrome-csv", "-", "--update", input: table("hunter3"))
    #expect(update.output.contains("  A: password"))
    #expect(!update.output.contains("hunter"))
  }

  @Test("an entry whose record lies in the trash is stored, and the trash is named")
  func removedEntries() throws {
    let workspace = try Workspace.withVault()
    let table = "name,url,username,password\nA,https://a.example,ann,hunter2\nB,https://b.example,bob,hunter3\n"
    #expect(!workspace.open("import", "chrome-csv", "-", input: table).errors.contains("trash"))
    #expect(workspace.open("remove", "A", "--yes").code == 0)
    let again = workspace.open("import", "chrome-csv", "-", input: table)
    #expect(again.output.hasPrefix("1 stored, 0 updated, 1 already stored"))
    #expect(again.errors.contains("is still in the trash; `vault trash restore RECORD` brings"))
  }

  @Test("an export of one kind says nothing but the members")
  func oneKind() throws {
    let workspace = try Workspace.withVault()
    #expect(
      workspace.open("import", "json", "-", "--kind", "login", input: #"[{"title":"a"},{"title":"b"}]"#).code == 0)
    #expect(!workspace.open("export", "--reveal").output.contains("$vault"))
  }

  @Test("sops' JSON comes back into a second vault as equal records, of every kind")
  func sopsSecondVault() throws {
    let (origin, second) = (try workspace(), try Workspace.withVault())
    let note = #"[{"title":"n","text":"a\nb"}]"#
    #expect(origin.open("import", "json", "-", "--kind", "secure-note", input: note).code == 0)
    #expect(
      origin.open("export", "--format", "sops", "--reveal", "--age", try recipient(origin), "-o", "out").code == 0)
    let imported = second.open(
      "import", "sops-json", origin.path + "/out", "--source-identity", origin.identity)
    #expect(imported.code == 0)
    #expect(imported.output.hasPrefix("3 stored, "))
    // The place of a value in sops can be given, too, for one record.
    let third = try Workspace.withVault()
    let mapped = third.open(
      "import", "sops-json", origin.path + "/out", "--source-identity", origin.identity, "--map",
      "title=records[0].kind")
    #expect(mapped.code == 0, "\(mapped.errors)")
    #expect(mapped.output.hasPrefix("1 stored, "), "\(mapped.errors)")
    // Which record is the first goes by ids, which are random.
    let title = JSON(third.open("list", "--json").stdout)["records"]?[0]?["name"]?.text
    #expect(title == "login" || title == "secure-note", "\(title ?? "none")")
    let (want, have) = (
      origin.open("export", "--reveal", "--format", "jsonl"), second.open("export", "--reveal", "--format", "jsonl")
    )
    func sorted(_ outcome: ProcessOutcome) -> [JSON] {
      outcome.output.split(separator: "\n").map { JSON(String($0)).withoutExternalID }
        .sorted { $0["title"]?.text ?? "" < $1["title"]?.text ?? "" }
    }
    #expect(sorted(have) == sorted(want))
  }

  @Test("a shell that reads the variables has the exact bytes")
  func environment() throws {
    let workspace = try workspace()
    #expect(workspace.open("export", "--format", "env", "--reveal", "-o", "out.env").code == 0)
    var shell = ProcessRun(
      path: "/bin/sh", arguments: ["-c", #". ./out.env; printf '%s|%s' "$ADA_S_PASSWORD" "$ADA_S_NOTES""#],
      directory: workspace.path)
    shell.environment = ["PATH": "/usr/bin:/bin"]
    #expect(shell.run().output == "p'w\"d\nline2\r\n$x `y` \\z|=1+1")
  }

  @Test("--age leaves nothing in clear, neither in the file nor beside it", .atTerminal)
  func age() throws {
    let workspace = try workspace()
    let recipient = try recipient(workspace)
    let sealed = workspace.open(
      "export", "--format", "bitwarden", "--reveal", "--age", recipient, "--age", recipient, "-o", "out.age")
    #expect(sealed.code == 0, "\(sealed.errors)")
    let bytes = try #require(FileTree.contents(of: workspace.path + "/out.age"))
    #expect(bytes.starts(with: Array("age-encryption.org/v1\n-> X25519 ".utf8)))
    #expect(!bytes.holds(Array("line2".utf8)))
    #expect(!bytes.holds(Array("0042".utf8)))
    #expect(FileTree.names(in: workspace.path).sorted() == ["home", "id.txt", "out.age", "state", "tmp", "v"])
    let refused = workspace.type(
      ["export", "--age", recipient, "--vault", workspace.vault, "--identity", workspace.identity], [],
      outputOnTerminal: true)
    #expect(refused.status == .usage)
  }

  @Test("sops' JSON is opened by an independent reader, which refuses a changed value and a changed MAC")
  func sops() throws {
    guard let python = ReferencePython.path else { return Need.notRun("sops", ReferencePython.need) }
    func read(_ workspace: Workspace) -> ProcessOutcome {
      ReferencePython.run(python, "readsops.py", [workspace.path + "/out.json", workspace.path + "/id.txt"])
    }
    let workspace = try workspace()
    let exported = workspace.open(
      "export", "--format", "sops", "--reveal", "--age", try recipient(workspace), "-o", "out.json")
    #expect(exported.code == 0, "\(exported.errors)")
    let text = workspace.text(of: "out.json")
    #expect(text.contains("\"username\":\"ada\""))
    #expect(!text.contains("line2"))
    #expect(!text.contains("0042"))
    let opened = read(workspace)
    #expect(opened.code == 0, "\(opened.errors)")
    let records = try #require(JSON(opened.stdout)["records"]?.items).compactMap { $0["record"] }
    #expect(records == JSON(workspace.open("export", "--reveal").stdout).items)
    _ = workspace.write(text.replacing("\"ada\"", with: "\"eve\""), to: "out.json")
    #expect(read(workspace).errors.contains("mac"))
    // The password of one record in the place of another's note: bound to the names on its way.
    let moved = text.replacing("\"password\":", with: "\"notes\":")
    _ = workspace.write(moved, to: "out.json")
    #expect(read(workspace).errors.contains("value"))
  }
}

extension JSON {
  /// The record without what an import has added to it.
  fileprivate var withoutExternalID: JSON {
    guard case .object(var members) = self else { return self }
    for map in ["fields", "extra"] {
      guard case .object(var values)? = members[map] else { continue }
      values["external_id"] = nil
      members[map] = values.isEmpty ? nil : .object(values)
    }
    return .object(members)
  }
}
