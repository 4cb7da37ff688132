import Testing
import VaultTestSupport

/// A sheet that a test has made as text, and what stands on it.
struct SheetText {
  let text: String

  var lines: [String] { text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }

  /// The lines of the key by their numbers, without the code beside them.
  var key: [String] {
    (1...8).compactMap { number in
      let line = lines.first { $0.hasPrefix("\(number)  ") }
      return line.map { $0.filter(\.isASCII).dropFirst(3).trimmed }
    }
  }
  var groups: [String] { Array(key.prefix(4)) }
  var words: [String] { Array(key.dropFirst(4)) }
  var identity: String { groups.joined().filter { $0 != " " } }

  /// The commands below a title, each on one line.
  func commands(below title: String) -> [String] {
    let below = lines.drop { !$0.hasPrefix(title) }.dropFirst()
    var commands: [String] = []
    for line in below.prefix(while: { !$0.isEmpty && !$0.hasPrefix("RECOVERY") }) {
      if line.hasPrefix("  $ ") {
        commands.append(String(line.dropFirst(4)))
      } else if line.hasPrefix("      "), let last = commands.popLast() {
        commands.append(last + "\n" + line)
      }
    }
    return commands
  }
}

extension Substring {
  fileprivate var trimmed: String {
    var rest = self
    while rest.last == " " { rest.removeLast() }
    return String(rest)
  }
}

extension Workspace {
  /// A sheet of the vault on standard output.
  func sheet(_ more: String...) throws -> SheetText {
    let made = run(["key", "sheet", "--vault", vault, "--identity", identity] + more)
    try #require(made.code == 0, "\(made.errors)")
    return SheetText(text: made.output)
  }

  func checkSheet(_ text: String, _ more: String...) -> ProcessOutcome {
    run(["key", "sheet", "--check", "-", "--vault", vault] + more, input: text)
  }
}

@Suite("Recovery sheets")
struct SheetTests {
  @Test("a sheet opens the vault by its lines, by its words, by its whole text, and by its identity in a file")
  func opens() throws {
    let workspace = try Workspace.withCustomers()
    let sheet = try workspace.sheet()
    #expect(sheet.key.count == 8, "\(sheet.text)")
    for typed in [
      sheet.groups.joined(separator: "\n"), sheet.words.joined(separator: "\n"), sheet.text, sheet.identity,
      sheet.identity.lowercased(), sheet.words.joined(separator: " ").uppercased(),
      sheet.words.enumerated().map { "\($0 + 5) \($1.replacing(" ", with: ",  "))\r\n" }.joined(),
      sheet.groups.enumerated().map { "\($0 + 1)  \($1.lowercased())\n\n" }.joined(),
    ] {
      let checked = workspace.checkSheet(typed)
      #expect(checked.code == 0, "\(checked.errors)")
      #expect(checked.output.contains("opened: \(workspace.vault)"), "\(checked.output)")
      #expect(checked.output.contains("\"sheet 20"), "\(checked.output)")
      #expect(!(checked.output + checked.errors).contains(sheet.identity))
    }
    _ = workspace.write(sheet.identity + "\n", to: "sheet.key")
    let read = workspace.run("verify", "--vault", "v", "--identity", "sheet.key")
    #expect(read.code == 0, "\(read.errors)")
  }

  @Test("a page names the vault, its fingerprint, its slot, its place and its backups, and fits on one page")
  func page() throws {
    let workspace = try Workspace.withVault()
    workspace.prepare("mkdir b")
    #expect(workspace.open("backup", "create", "--to", "b").code == 0)
    let sheet = try workspace.sheet("--label", "the safe in the cellar")
    let fingerprint = workspace.run("fingerprint", "--vault", "v").output.dropLast()
    for word in [String(fingerprint), "the safe in the cellar", workspace.vault, "\(workspace.path)/b", "age1"] {
      #expect(sheet.text.contains(word), "\(word)\n\(sheet.text)")
    }
    #expect(sheet.lines.count <= 62, "\(sheet.lines.count)")
    #expect(sheet.lines.allSatisfy { $0.count <= 80 || $0.contains(workspace.path) })
    #expect(workspace.run("key", "list", "--vault", "v").output.contains("the safe in the cellar"))
  }

  @Test("one wrong letter is told by its line and its word or group, and nothing typed is repeated")
  func wrong() throws {
    let workspace = try Workspace.withVault()
    let sheet = try workspace.sheet()
    func changed(_ line: String, at place: Int, to letters: String) -> String {
      var characters = Array(line)
      characters[place] = letters.first { $0 != characters[place] } ?? "x"
      return String(characters)
    }
    var words = sheet.words
    words[1] = changed(words[1], at: 12, to: "bd")
    var unknown = sheet.words
    unknown[2] = changed(unknown[2], at: 7, to: "xq")
    var groups = sheet.groups
    groups[2] = changed(groups[2], at: 6, to: "QP")
    var letter = sheet.groups
    letter[3] = changed(letter[3], at: 0, to: "bo")
    var short = sheet.groups
    short[1] = String(short[1].dropLast())
    var swapped = sheet.words
    swapped.swapAt(0, 1)
    for (lines, told) in [
      (words, "line 6: its words do not fit together"),
      (unknown, "line 7: word 2 is not a word of a sheet"), (groups, "line 3, group 2"), (letter, "line 4, group 1"),
      (short, "line 2 has 19 characters, but must have 20"), (swapped, "line 5: its words do not fit together"),
      (Array(sheet.words.dropLast()), "line 8 is missing"), (Array(sheet.groups.dropLast()), "line 4 is missing"),
      ([], "it is empty"), (["hunter2 hunter2"], "line 1 does not begin with AGE-SECRET-KEY-1"),
    ] {
      let checked = workspace.checkSheet(lines.joined(separator: "\n"))
      #expect(checked.status == .inputRefused, "\(told): \(checked.errors)")
      #expect(checked.errors.contains(told), "\(told): \(checked.errors)")
      // The changed word is named, unless another word could be the wrong one as well.
      #expect(!checked.errors.contains(#/word [1245] is probably wrong/#), "\(checked.errors)")
      for line in lines where line.count > 10 { #expect(!checked.errors.contains(line)) }
    }
  }

  @Test("the sheet of another vault, and a removed one, open nothing (11)")
  func others() throws {
    let workspace = try Workspace.withVault()
    let sheet = try workspace.sheet("--label", "paper")
    #expect(workspace.run("init", "w", "--generate-identity", "id2.txt").code == 0)
    let other = workspace.run("key", "sheet", "--check", "-", "--vault", "w", input: sheet.text)
    #expect(other.status == .cannotUnlock, "\(other.errors)")
    #expect(other.errors.contains("has no slot that this sheet opens"))
    #expect(workspace.open("key", "remove", "paper").code == 0)
    #expect(workspace.checkSheet(sheet.text).status == .cannotUnlock)
  }

  @Test("a key that is not known as a sheet opens the vault, but is not noted as a sheet that was checked")
  func otherKey() throws {
    let workspace = try Workspace.withVault()
    let checked = workspace.checkSheet(workspace.text(of: "id.txt"))
    #expect(checked.code == 0 && checked.errors.contains("as a sheet: it may be another key"), "\(checked.errors)")
    #expect(!workspace.run("key", "list", "--vault", "v").output.contains("checked"))
  }

  @Test("lines of words that are typed as one are typed again as a whole after a fault", .atTerminal)
  func wordsAsOne() throws {
    let workspace = try Workspace.withVault()
    let sheet = try workspace.sheet()
    var wrong = sheet.words
    wrong[1] = wrong[0]
    let checked = workspace.type(
      ["key", "sheet", "--check", "--vault", "v"],
      [wrong, sheet.words + sheet.words, sheet.words].map {
        (prompt: "First line: ", reply: $0.joined(separator: " ") + "\n")
      })
    #expect(checked.code == 0, "\(checked)")
  }

  @Test("beside a coding agent no sheet is made, neither on standard output nor in a file")
  func agent() throws {
    let workspace = try Workspace.withVault()
    let slots = workspace.run("key", "list", "--vault", "v", "--json").output
    for arguments in [[], ["-o", "s.txt"], ["-o", "s.pdf", "--yes"]] {
      let refused = workspace.run(
        ["key", "sheet", "--vault", workspace.vault, "--identity", workspace.identity] + arguments,
        adding: ["CLAUDECODE": "1"])
      #expect(refused.status == .declined, "\(refused)")
      #expect(refused.output.isEmpty && refused.errors.contains("would show a key of the vault to Claude Code"))
      for file in ["s.txt", "s.pdf"] { #expect(FileTree.mode(of: workspace.path + "/" + file) == nil) }
    }
    #expect(workspace.run("key", "list", "--vault", "v", "--json").output == slots)
  }

  @Test("a check proves the newest backup too, and says which; a backup from before the sheet is a finding (14)")
  func backups() throws {
    let workspace = try Workspace.withCustomers()
    workspace.prepare("mkdir b")
    func checkedCount() -> Int {
      workspace.run("key", "list", "--vault", "v", "--json").output.ranges(of: "\"checked_at\" : \"20").count
    }
    let none = workspace.checkSheet(try workspace.sheet().text)
    #expect(none.code == 0)
    #expect(none.output.contains("none is known on this machine"), "\(none.output)")
    #expect(workspace.open("backup", "create", "--to", "b").code == 0)
    let made = workspace.open("key", "sheet", "-o", "s.txt")
    #expect(made.errors.contains("earlier backups do not open with it"), "\(made.errors)")
    let text = workspace.text(of: "s.txt")
    let early = workspace.checkSheet(text)
    #expect(early.status == .findings, "\(early.errors)")
    #expect(early.errors.contains("does not open the newest backup"), "\(early.errors)")
    #expect(checkedCount() == 1, "only the first sheet")
    let file = String(workspace.open("backup", "create", "--to", "b").output.dropLast())
    let checked = workspace.checkSheet(text)
    #expect(checked.code == 0, "\(checked.errors)")
    #expect(checked.output.contains("opened: \(workspace.path)/\(file), 24 records, attested"), "\(checked.output)")
    let document = JSON(workspace.checkSheet(text, "--json").stdout)
    #expect(document["backup"]?["opened"]?.bool == true)
    #expect(workspace.run("key", "list", "--vault", "v").output.contains("sheet, checked 20"))
    #expect(checkedCount() == 2)
  }

  @Test("a folder of backups that this machine does not know can be named; one that is gone is noted")
  func namedBackups() throws {
    let workspace = try Workspace.withVault()
    workspace.prepare("mkdir b c")
    let sheet = try workspace.sheet()
    #expect(workspace.open("backup", "create", "--to", "b").code == 0)
    workspace.prepare("mv b elsewhere")
    let gone = workspace.checkSheet(sheet.text)
    #expect(gone.code == 0)
    #expect(gone.errors.contains("the backups in \(workspace.path)/b cannot be read now"), "\(gone.errors)")
    let named = workspace.checkSheet(sheet.text, "--backups", "elsewhere")
    #expect(named.output.contains("opened: \(workspace.path)/elsewhere/v-"), "\(named.output)\(named.errors)")
    #expect(workspace.checkSheet(sheet.text, "--backups", "nowhere").output.contains("not opened") == false)
    #expect(workspace.checkSheet(sheet.text, "--backups", "nowhere").code != 0)
  }
}

@Suite("Making recovery sheets")
struct SheetMakingTests {
  @Test("a file is made 0600, and the identity is nowhere but in it")
  func file() throws {
    let workspace = try Workspace.withVault()
    for name in ["s.txt", "s.svg"] {
      let made = workspace.open("key", "sheet", "-o", name)
      #expect(made.code == 0, "\(made.errors)")
      #expect(FileTree.mode(of: workspace.path + "/" + name) == 0o600)
      #expect(made.errors.contains("print it, then delete it"), "\(made.errors)")
      #expect(made.output.count == 37, "\(made.output)")
      let text = SheetText(text: workspace.text(of: name).replacing(#/<[^>]*>/#, with: ""))
      #expect(text.identity.count == 74)
      #expect(workspace.checkSheet(text.identity).code == 0)
      for (path, bytes) in FolderState(below: workspace.path) where path != name {
        #expect(!bytes.holds(Array(text.identity.utf8)), "\(path)")
        #expect(!bytes.holds(Array(text.words[0].utf8)), "\(path)")
      }
    }
    let document = JSON(workspace.open("key", "sheet", "-o", "t.txt", "--json").stdout)
    #expect(document["sheet"]?.text == "t.txt")
    #expect(document["slot"]?["label"]?.text?.hasSuffix(" 3") == true)
  }

  @Test(
    "what cannot be written adds no slot",
    arguments: [
      (["-o", "there.txt"], Ending.alreadyExists), (["-o", "v/s.txt"], .inputRefused), (["-o", "s.doc"], .usage),
      (["-o", "none/s.txt"], .inputOutput), (["--json"], .usage), (["s.txt"], .usage),
    ])
  func refused(_ words: [String], _ status: Ending) throws {
    let workspace = try Workspace.withVault()
    _ = workspace.write("x", to: "there.txt")
    let before = workspace.snapshot()
    let made = workspace.run(["key", "sheet", "--vault", "v", "--identity", "id.txt"] + words)
    #expect(made.code != 0, "\(made.output)")
    #expect(made.status == status, "\(made.errors)")
    #expect(workspace.snapshot() == before)
    #expect(!workspace.text(of: "s.txt").contains("AGE-"))
    #expect(workspace.text(of: "there.txt") == "x")
  }

  @Test("a slot that cannot be added leaves no file, and makes a page that was printed worthless")
  func withoutSlot() throws {
    let workspace = try Workspace.withVault()
    let before = workspace.snapshot()
    let sheet = "flock -o v/.lock \(Binary.path) key sheet --vault v --identity id.txt --lock-timeout 0"
    workspace.prepare("\(sheet) -o s.txt 2>errors; test $? = 12; test ! -e s.txt")
    workspace.prepare("\(sheet) >page 2>errors; test $? = 12; grep -q 'page that was written opens nothing' errors")
    #expect(workspace.checkSheet(workspace.text(of: "page")).status == .cannotUnlock)
    #expect(workspace.snapshot() == before)
  }

  @Test("a reader that goes away gets no slot for its page")
  func closedPipe() throws {
    let workspace = try Workspace.withVault()
    let before = workspace.run("key", "list", "--vault", "v").output
    workspace.prepare("\(Binary.path) key sheet --vault v --identity id.txt 2>errors | true")
    // The pipe may take the page before its reader ends; then there is a slot for it.
    let hasSlot = workspace.run("key", "list", "--vault", "v").output != before
    #expect(hasSlot != workspace.text(of: "errors").contains("was closed before all of it was written"))
  }

  @Test("with a passphrase vault it asks as `key add` does, and the sheet then opens the vault", .atTerminal)
  func passphrase() throws {
    let workspace = try Workspace()
    _ = workspace.write("correct horse battery\n", to: "p.txt")
    let made = workspace.run("init", "v", "--passphrase", "--new-passphrase-file", "p.txt", "--work-factor", "10")
    #expect(made.code == 0, "\(made.errors)")
    let sheet = workspace.type(
      ["key", "sheet", "-o", "s.txt", "--vault", "v"], [("Passphrase of", "correct horse battery\n")])
    #expect(sheet.code == 0, "\(sheet.errors)")
    #expect(workspace.checkSheet(workspace.text(of: "s.txt")).code == 0)
  }

  @Test("a person types the words at a terminal, and a wrong line is asked for again", .atTerminal)
  func typing() throws {
    let workspace = try Workspace.withVault()
    let words = try workspace.sheet().words
    let wrong = words[1].split(separator: " ").dropLast().joined(separator: " ")
    let typed = workspace.type(
      ["key", "sheet", "--check", "--vault", "v"],
      [
        ("First line: ", words[0] + "\n"), ("Line 6: ", wrong + "\n"), ("Line 6: ", words[1] + "\n"),
        ("Line 7: ", words[2].uppercased() + "\n"), ("Line 8: ", "8 " + words[3] + "\n"),
      ])
    #expect(typed.code == 0, "\(typed.errors) \(typed.shown)")
    #expect(typed.shown.contains("Line 6 has 4 words, but must have 5. Type this line again."), "\(typed.shown)")
    #expect(!typed.shown.contains(words[2]))
  }
}
