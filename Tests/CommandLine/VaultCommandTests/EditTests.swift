import Testing
import VaultTestSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@Suite("Editing")
struct EditTests {
  /// Runs `edit` with an editor that is a shell script.
  private func edit(
    _ workspace: Workspace, _ script: String, _ arguments: String..., answers: [(prompt: String, reply: String)] = []
  ) -> ProcessOutcome {
    let editor = workspace.write("#!/bin/sh\n\(script)\n", to: "editor.sh")
    let command = ["edit", "Shai Mishali", "--vault", "v", "--identity", "id.txt"] + arguments
    return workspace.type(command, answers, adding: ["CVAULT_EDITOR": "sh \(editor)", "EDITOR": "false"])
  }

  /// The path that a message says a text is kept at.
  private func keptPath(_ outcome: ProcessOutcome) throws -> String {
    let line = try #require(outcome.errorLines.first { $0.contains("your text is kept in ") }, "\(outcome.errors)")
    return String(
      try #require(line.split(separator: " ").first { $0.hasPrefix("/") }?.drop { $0 == ":" }).prefix { $0 != ":" })
  }

  @Test("what was changed in the editor is applied field by field; sealed ones are sealed")
  func changesAreApplied() throws {
    let workspace = try Workspace.withCustomers()
    let outcome = edit(
      workspace,
      #"sed -i -e 's/Albuquerque/Santa Fe/' -e 's/"000522"/"123456"/' -e '/"email"/d' "$1" && sed -i -e 's/"name" : "Shai Mishali"/"name" : "Shai M."/' "$1""#
    )
    #expect(outcome.code == 0, "\(outcome.errors)")
    let record = JSON(workspace.open("show", "Shai M.", "--reveal", "--json").stdout)["record"]
    #expect(record?["address"]?["city"]?.text == "Santa Fe")
    #expect(record?["atm_code"]?.text == "123456")
    #expect(record?["contact_info"]?["email"] == nil)
    #expect(record?["contact_info"]?["website"] != nil)
    #expect(record?["access_key"]?.text == "~7hgUh2a*4<%z#g4qM\"%Ekx9dl9Wg~")
  }

  @Test("the text is in memory-backed storage, for the owner only, and goes with everything beside it")
  func textIsInMemory() throws {
    let workspace = try Workspace.withCustomers()
    let outcome = edit(
      workspace,
      #"echo "$1" >place.txt; stat -c %a "$1" "$(dirname "$1")" >mode.txt; touch "$1~"; stat -f -c %T "$1" >type.txt"#)
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(outcome.errorLines.last == "note: nothing changed")
    #expect(workspace.text(of: "mode.txt") == "600\n700\n")
    #expect(workspace.text(of: "type.txt") == "tmpfs\n")
    let path = String(workspace.text(of: "place.txt").dropLast())
    #expect(path.hasPrefix("/dev/shm/"))
    #expect(FileTree.names(in: Binary.parent(path)).isEmpty)
    #expect(!FileTree.names(in: "/dev/shm").contains { path.hasSuffix($0) })
  }

  @Test("one field is edited as plain text")
  func oneFieldIsEdited() throws {
    let workspace = try Workspace.withCustomers()
    #expect(edit(workspace, #"test "$(cat "$1")" = 000522 && echo 777 >"$1""#, "--field", "atm_code").code == 0)
    #expect(workspace.open("get", "Shai Mishali", "atm_code").output == "777")
    #expect(edit(workspace, #"printf 'two\nlines' >"$1""#, "--field", "address.street").code == 0)
    #expect(workspace.open("get", "Shai Mishali", "address.street").output == "two\nlines")
    #expect(edit(workspace, "true", "--field", "address").status == .usage)
  }

  @Test(
    "a text that cannot be read or stored is kept, and its file named",
    arguments: [
      (#"echo '{ "name" : ' >"$1""#, Int32(17)), (#"echo '{}' >"$1""#, 17), (#"sed -i s/Albuquerque/es1:x/ "$1""#, 17),
      (#"sed -i s/Albuquerque/Oslo/ "$1"; exit 3"#, 1),
    ])
  func textIsKept(_ script: String, _ code: Int32) throws {
    let workspace = try Workspace.withCustomers()
    let before = workspace.snapshot()
    let outcome = edit(workspace, script, answers: code == 17 ? [("Edit again? [Y/n] ", "n\n")] : [])
    #expect(outcome.code == code, "\(outcome.errors)")
    let path = try keptPath(outcome)
    #expect(FileTree.contents(of: path)?.isEmpty == false)
    FileTree.remove(Binary.parent(path))
    #expect(workspace.snapshot() == before)
  }

  @Test("a text that is refused as it is stored can be edited again at a terminal", .atTerminal)
  func refusedTextIsEditedAgain() throws {
    let workspace = try Workspace.withCustomers()
    let editor = workspace.write(
      #"if grep -q citty "$1"; then sed -i s/citty/city/ "$1"; else sed -i 's/"city" : "[A-Z]/"citty" : "O/' "$1"; fi"#,
      to: "editor.sh")
    let outcome = workspace.type(
      ["edit", "Shai Mishali", "--vault", "v", "--identity", "id.txt"], [("Edit again? [Y/n] ", "\n")],
      adding: ["CVAULT_EDITOR": "sh \(editor)"])
    #expect(outcome.code == 0, "\(outcome.errors)\(outcome.shown)")
    #expect(outcome.errorLines.contains("vault: address.citty is not a field of the kind customer"))
    #expect(workspace.open("get", "Shai Mishali", "address.city").output == "Olbuquerque")
  }

  @Test("a record that somebody else changed meanwhile is 15, and the text is kept")
  func concurrentChange() throws {
    let workspace = try Workspace.withCustomers()
    let change = "\(Binary.path) set 'Shai Mishali' website=theirs --vault v --identity id.txt"
    let outcome = edit(workspace, change + #" && sed -i s/Albuquerque/Oslo/ "$1""#)
    #expect(outcome.status == .changedUnderneath, "\(outcome.errors)")
    let path = try keptPath(outcome)
    #expect(String(decoding: FileTree.contents(of: path) ?? [], as: UTF8.self).contains("Oslo"))
    FileTree.remove(Binary.parent(path))
    #expect(workspace.open("get", "Shai Mishali", "website").output == "theirs")
    #expect(workspace.open("get", "Shai Mishali", "address.city").output == "Albuquerque")
  }

  @Test(
    "SIGTERM while the editor runs ends with 143; what was saved, or is in a file of the editor's, is kept and named",
    arguments: [
      (#"echo >>"$1""#, "your text is kept in PATH: `vault edit ID --resume` continues with it"),
      (#"touch "$1.swp""#, "the files of the editor are kept in FOLDER: remove them when you are done"),
      ("true", nil), (#"rm "$1""#, nil),
    ])
  func terminatedEditor(_ typing: String, _ note: String?) throws {
    let workspace = try Workspace.withCustomers()
    let before = workspace.snapshot()
    let editor = workspace.write(
      "echo \"$1\" >path.txt; \(typing); echo ready >&2; \(EditorScript.waiting)\n", to: "editor.sh")
    let id = try workspace.recordFile("Shai Mishali").split(separator: "/").last?.prefix(8) ?? ""
    var plan = workspace.plan(["edit", "Shai Mishali", "--vault", "v", "--identity", "id.txt"])
    plan.environment["CVAULT_EDITOR"] = "sh \(editor)"
    plan.terminal = []
    plan.signal = ("ready", SIGTERM)
    let outcome = plan.run()
    #expect(outcome.code == 143)
    let path = String(workspace.text(of: "path.txt").dropLast())
    let isKept = note != nil
    let said = note?.replacing("PATH", with: path).replacing("FOLDER", with: Binary.parent(path))
    #expect(
      outcome.errorLines.last == said.map { "note: \($0.replacing("ID", with: id))" } ?? "ready", "\(outcome.errors)")
    #expect((FileTree.contents(of: path) != nil) == isKept)
    #expect((FileTree.mode(of: Binary.parent(path)) != nil) == isKept)
    FileTree.remove(Binary.parent(path))
    #expect(workspace.snapshot() == before)
  }

  @Test("what the editor linked to stays as it is, also where the link cannot be removed")
  func linksAreNotFollowed() throws {
    let workspace = try Workspace.withCustomers()
    FileTree.makeFolder(workspace.path + "/target")
    _ = workspace.write("precious\n", to: "target/file")
    let editor = workspace.write(
      #"cd "${1%/*}" && pwd >"$OLDPWD/place.txt" && mkdir d && ln -s "$OLDPWD/target" d/link && chmod 500 d"#,
      to: "editor.sh")
    // The superuser may write everywhere, unless without capabilities.
    let isSuper = getuid() == 0
    let words = isSuper ? ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] : []
    guard !isSuper || workspace.shell("setpriv --bounding-set=-all --inh-caps=-all true").code == 0 else {
      return print("editor's links: NOT RUN: capabilities cannot be dropped")
    }
    var plan = workspace.plan(["edit", "Shai Mishali", "--vault", "v", "--identity", "id.txt"])
    plan.arguments = words + [plan.path] + plan.arguments
    plan.path = "/usr/bin/env"
    plan.environment["CVAULT_EDITOR"] = "sh \(editor)"
    plan.terminal = []
    let outcome = plan.run()
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(workspace.text(of: "target/file") == "precious\n")
    let folder = String(workspace.text(of: "place.txt").dropLast())
    #expect(FileTree.isLink(folder + "/d/link"), "it cannot be removed")
    FileTree.setMode(0o700, of: folder + "/d")
    FileTree.remove(folder)
  }

  @Test("an editor that fails without a change leaves nothing behind")
  func failingEditor() throws {
    let workspace = try Workspace.withCustomers()
    let names = FileTree.names(in: "/dev/shm").filter { $0.hasPrefix("vault-") }
    let outcome = edit(workspace, "exit 1")
    #expect(outcome.code == 1)
    #expect(outcome.errorLines.contains("vault: editor: the editor ended with exit status 1"))
    #expect(!outcome.errors.contains("kept"))
    #expect(FileTree.names(in: "/dev/shm").filter { $0.hasPrefix("vault-") }.count <= names.count + 2)
  }

  @Test(
    "without a terminal, or when nothing may be asked, no editor is started: 3",
    arguments: [(false, [String]()), (true, ["--no-input"])])
  func nobodyIsThere(_ hasTerminal: Bool, _ more: [String]) throws {
    let workspace = try Workspace.withCustomers()
    var plan = workspace.plan(["edit", "Shai Mishali", "--vault", "v", "--identity", "id.txt"] + more)
    plan.environment["CVAULT_EDITOR"] = "touch started;"
    if hasTerminal { plan.terminal = [] }
    let outcome = plan.run()
    #expect(outcome.status == .declined)
    #expect(outcome.errorLines.first == "vault: edit: there is no terminal for the editor")
    #expect(!FileTree.names(in: workspace.path).contains("started"))
  }

  @Test("an editor has the terminal, whatever the streams of the command are")
  func editorHasTheTerminal() throws {
    let workspace = try Workspace.withCustomers()
    let editor = workspace.write("test -t 0 && test -t 1 && read -r city && sed -i s/Albuquerque/$city/ $1", to: "e.sh")
    let outcome = workspace.run(
      ["edit", "Shai Mishali", "--vault", "v", "--identity", "id.txt", "--json"], input: "no answer", typed: "Oslo\n",
      adding: ["CVAULT_EDITOR": "echo ready >&2; sh \(editor)"])
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(JSON(outcome.stdout)["changed"] == JSON("true"))
    #expect(workspace.open("get", "Shai Mishali", "address.city").output == "Oslo")
  }

  @Test(
    "what is no plain file in the place of the text is not waited for, followed or read, and is named",
    arguments: ["mkfifo \"$1\"", "ln -s \"$PWD/id.txt\" \"$1\"", "mkdir \"$1\"", "ln -s /dev/zero \"$1\""])
  func textIsNoFile(_ replacement: String) throws {
    let workspace = try Workspace.withCustomers()
    let before = workspace.snapshot()
    let outcome = edit(workspace, "echo \"$1\" >place.txt; rm \"$1\"; \(replacement)")
    let path = String(workspace.text(of: "place.txt").dropLast())
    #expect(outcome.status == .inputOutput, "\(outcome.errors)")
    #expect(outcome.errorLines.contains("vault: \(path) is not a plain file any more, so it was not read"))
    #expect(outcome.errors.contains("the files of the editor are kept in \(Binary.parent(path))"))
    #expect(workspace.snapshot() == before)
    FileTree.remove(Binary.parent(path))
  }

  @Test("a text that the editor took away is told, and nothing is left of it")
  func textIsGone() throws {
    let workspace = try Workspace.withCustomers()
    let before = workspace.snapshot()
    let outcome = edit(workspace, "echo \"$1\" >place.txt; rm \"$1\"")
    #expect(outcome.status == .inputOutput)
    #expect(outcome.errors.contains("is missing: the editor left no text"), "\(outcome.errors)")
    #expect(FileTree.names(in: Binary.parent(String(workspace.text(of: "place.txt").dropLast()))).isEmpty)
    #expect(workspace.snapshot() == before)
  }

  @Test("SIGTERM ends it also when a FIFO is in the place of the text")
  func terminatedAtFIFO() throws {
    let workspace = try Workspace.withCustomers()
    let editor = workspace.write(
      "echo \"$1\" >place.txt; rm \"$1\"; mkfifo \"$1\"; echo ready >&2; \(EditorScript.waiting)", to: "e.sh")
    var plan = workspace.plan(["edit", "Shai Mishali", "--vault", "v", "--identity", "id.txt"])
    plan.environment["CVAULT_EDITOR"] = "sh \(editor)"
    plan.terminal = []
    plan.signal = ("ready", SIGTERM)
    #expect(plan.run().code == 143)
    FileTree.remove(Binary.parent(workspace.text(of: "place.txt")))
  }
}
