import Testing
import VaultTestSupport

@Suite("vault lint")
struct LintCommandTests {
  @Test("a good vault is 0 and silent, without a key and from within it")
  func good() throws {
    let workspace = try Workspace.withCustomers()
    let outcome = workspace.run("lint", "--vault", "v")
    #expect(outcome.code == 0)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.isEmpty)
    var plan = workspace.plan(["lint"])
    plan.directory = workspace.vault
    #expect(plan.run().code == 0)
    #expect(workspace.run("lint", "--vault", "nowhere").status == .noVault)
  }

  @Test("each finding is a line `file: reason`, all of them are named, and it ends with 14")
  func findings() throws {
    let workspace = try Workspace.withCustomers()
    let files = FileTree.files(below: workspace.vault + "/records").map { "records/" + $0 }
    func put(_ bytes: [UInt8], _ file: String) { FileTree.write(bytes, to: workspace.vault + "/" + file) }
    let good = try files.prefix(2).map { try #require(FileTree.contents(of: workspace.vault + "/" + $0)) }
    put(Array(good[0].dropLast(5)), files[0])
    put(good[1] + [0x0A], files[1])
    put([], "records/note.txt")
    let before = workspace.snapshot()
    let outcome = workspace.run("lint", "--vault", "v")
    #expect(outcome.status == .findings)
    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(lines.count == 3)
    #expect(lines[0].hasPrefix("\(files[0]): line "))
    #expect(lines[1].hasPrefix("\(files[1]) is not in canonical form"))
    #expect(lines[2] == "records/note.txt does not belong in the vault")
    #expect(workspace.snapshot() == before)
    let found = try #require(JSON(workspace.run("lint", "--vault", "v", "--json").stdout)["findings"]?.items)
    #expect(found.map { $0["code"]?.text } == ["malformed_document", "not_canonical", "stray_entry"])
  }

  @Test("a readable address with a secret in it is found, and taken neither by add nor by set")
  func addresses() throws {
    let workspace = try Workspace.withVault()
    let file = workspace.write(
      #"[{"title":"old","urls":["https://a.example","https://bob:hunter2@b.example"]}]"#, to: "a.json")
    let imported = workspace.open("import", "json", file, "--kind", "login")
    #expect(imported.code == 0)
    #expect(imported.errors.hasPrefix("note: element 0: urls[1] has an address"))
    let outcome = workspace.run("lint", "--vault", "v")
    #expect(outcome.status == .findings)
    #expect(outcome.output.contains(": urls[1] has an address with a password"))
    for text in ["otpauth://totp/A?secret=HUNTER2A", "https://a.example/?api_key=hunter2"] {
      let added = workspace.open("add", "login", "--set", "title=x", "--set", "urls=\(text)")
      #expect(added.status == .usage)
      #expect(added.errors.contains("use --secret "))
      #expect(workspace.open("set", "old", "urls[0]=\(text)").status == .usage)
      #expect(!(added.errors + imported.errors + outcome.output).lowercased().contains("hunter2"))
    }
    #expect(workspace.open("set", "old", "urls[1]=https://b.example/a?b=c#d").code == 0)
    #expect(workspace.run("lint", "--vault", "v").code == 0)
  }

  @Test("a damaged header is one finding among others")
  func header() throws {
    let workspace = try Workspace.withCustomers()
    FileTree.write(Array("{}".utf8), to: workspace.vault + "/vault.json")
    let outcome = workspace.run("lint", "--vault", "v")
    #expect(outcome.status == .findings)
    #expect(outcome.output.hasPrefix("vault.json: "))
  }

  @Test("a clear text where a secret belongs is found, and its text is not printed")
  func clearText() throws {
    let workspace = try Workspace.withCustomers()
    let file = try workspace.recordFile("Shai Mishali")
    let text = workspace.text(of: "v/" + file)
    let start = try #require(text.firstRange(of: "\"access_key\" : \"es1:"))
    _ = workspace.write(text.replacingCharacters(in: start, with: "\"access_key\" : \"hunter2:"), to: "v/" + file)
    let outcome = workspace.run("lint", "--vault", "v")
    #expect(outcome.status == .findings)
    #expect(outcome.output == "\(file): access_key must be sealed, but it is clear text\n")
  }

  @Test("--fix writes the canonical form, byte for byte, and leaves what it cannot mend")
  func fix() throws {
    let workspace = try Workspace.withCustomers()
    let before = workspace.snapshot().filter { $0.key != ".lock" }
    for file in ["vault.json"] + FileTree.files(below: workspace.vault + "/records").map({ "records/" + $0 }) {
      let text = workspace.text(of: "v/" + file).split(separator: "\n").joined(separator: "\t\r\n")
      _ = workspace.write(text, to: "v/" + file)
    }
    #expect(workspace.run("lint", "--vault", "v").output.split(separator: "\n").count == 25)
    let fixed = workspace.run("lint", "--fix", "--vault", "v")
    #expect(fixed.code == 0, "\(fixed.errors)")
    #expect(fixed.output.isEmpty, "\(fixed.errors)")
    #expect(fixed.errorLines.filter { $0.hasPrefix("note: rewritten: ") }.count == 25)
    #expect(workspace.snapshot().filter { $0.key != ".lock" } == before)
    #expect(workspace.open("verify").code == 0)
  }

  @Test("as a pre-commit hook it refuses a commit with findings")
  func hook() throws {
    let workspace = try Workspace.withCustomers()
    guard FileTree.mode(of: "/usr/bin/git") != nil else { return Need.notRun("vault lint", "git is not installed") }
    func git(_ arguments: String...) -> Int32? {
      let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-C", workspace.vault]
      return ProcessRun(path: "/usr/bin/git", arguments: identity + arguments, environment: workspace.environment)
        .run().code
    }
    #expect(git("init", "-q") == 0)
    let hook = workspace.write("#!/bin/sh\nexec '\(Binary.path)' lint --vault .\n", to: "v/.git/hooks/pre-commit")
    #expect(ProcessRun(path: "/bin/chmod", arguments: ["+x", hook], environment: [:]).run().code == 0)
    #expect(git("add", "-A") == 0)
    #expect(git("commit", "-qm", "good") == 0)
    _ = workspace.write("x", to: "v/records/note.txt")
    #expect(git("add", "-A") == 0)
    #expect(git("commit", "-qm", "bad") != 0)
  }
}

extension String {
  fileprivate func replacingCharacters(in range: Range<String.Index>, with text: String) -> String {
    self[..<range.lowerBound] + text + self[range.upperBound...]
  }
}
