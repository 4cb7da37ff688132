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
  private func edit(_ workspace: Workspace, _ script: String, _ arguments: String...) -> ProcessOutcome {
    let editor = workspace.write("#!/bin/sh\n\(script)\n", to: "editor.sh")
    let command = ["edit", "Shai Mishali", "--vault", "v", "--identity", "id.txt"] + arguments
    return workspace.run(command, adding: ["CVAULT_EDITOR": "sh \(editor)", "EDITOR": "false"])
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
    #expect(record?["contact_info"]?["email"] == nil && record?["contact_info"]?["website"] != nil)
    #expect(record?["access_key"]?.text == "~7hgUh2a*4<%z#g4qM\"%Ekx9dl9Wg~")
  }

  @Test("the text is in memory-backed storage, for the owner only, and goes with everything beside it")
  func textIsInMemory() throws {
    let workspace = try Workspace.withCustomers()
    let outcome = edit(
      workspace,
      #"echo "$1" >place.txt; stat -c %a "$1" "$(dirname "$1")" >mode.txt; touch "$1~"; stat -f -c %T "$1" >type.txt"#)
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(outcome.errors == "note: nothing changed\n")
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
    #expect(edit(workspace, "true", "--field", "address").code == 64)
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
    let outcome = edit(workspace, script)
    #expect(outcome.code == code, "\(outcome.errors)")
    let path = try keptPath(outcome)
    #expect(FileTree.contents(of: path)?.isEmpty == false)
    FileTree.remove(Binary.parent(path))
    #expect(workspace.snapshot() == before)
  }

  @Test("a text that is refused as it is stored can be edited again at a terminal")
  func refusedTextIsEditedAgain() throws {
    let workspace = try Workspace.withCustomers()
    let editor = workspace.write(
      #"if grep -q citty "$1"; then sed -i s/citty/city/ "$1"; else sed -i 's/"city" : "[A-Z]/"citty" : "O/' "$1"; fi"#,
      to: "editor.sh")
    let outcome = workspace.type(
      ["edit", "Shai Mishali", "--vault", "v", "--identity", "id.txt"], [("Edit again? [y/N] ", "y\n")],
      adding: ["CVAULT_EDITOR": "sh \(editor)"])
    #expect(outcome.code == 0, "\(outcome.errors)\(outcome.shown)")
    #expect(outcome.errorLines.first == "vault: address.citty: is no member of the kind customer")
    #expect(workspace.open("get", "Shai Mishali", "address.city").output == "Olbuquerque")
  }

  @Test("a record that somebody else changed meanwhile is 15, and the text is kept")
  func concurrentChange() throws {
    let workspace = try Workspace.withCustomers()
    let change = "\(Binary.path) set 'Shai Mishali' website=theirs --vault v --identity id.txt"
    let outcome = edit(workspace, change + #" && sed -i s/Albuquerque/Oslo/ "$1""#)
    #expect(outcome.code == 15, "\(outcome.errors)")
    let path = try keptPath(outcome)
    #expect(String(decoding: FileTree.contents(of: path) ?? [], as: UTF8.self).contains("Oslo"))
    FileTree.remove(Binary.parent(path))
    #expect(workspace.open("get", "Shai Mishali", "website").output == "theirs")
    #expect(workspace.open("get", "Shai Mishali", "address.city").output == "Albuquerque")
  }

  @Test(
    "SIGTERM while the editor runs ends with 143; what was saved, or is in a file of the editor's, is kept and named",
    arguments: [#"echo >>"$1""#, #"touch "$1.swp""#, "true"])
  func terminatedEditor(_ typing: String) throws {
    let workspace = try Workspace.withCustomers()
    let before = workspace.snapshot()
    let editor = workspace.write("echo \"$1\" >path.txt; \(typing); echo ready >&2; sleep 2\n", to: "editor.sh")
    var plan = workspace.plan(["edit", "Shai Mishali", "--vault", "v", "--identity", "id.txt"])
    plan.environment["CVAULT_EDITOR"] = "sh \(editor)"
    plan.signal = ("ready", SIGTERM)
    let outcome = plan.run()
    #expect(outcome.code == 143)
    let path = String(workspace.text(of: "path.txt").dropLast())
    let isKept = typing != "true"
    #expect((outcome.errorLines.last == "note: the text is kept in \(path)") == isKept, "\(outcome.errors)")
    #expect((FileTree.contents(of: path) != nil) == isKept)
    #expect(!FileTree.names(in: Binary.parent(path)).isEmpty == isKept)
    FileTree.remove(Binary.parent(path))
    #expect(workspace.snapshot() == before)
  }

  @Test("an editor that fails without a change leaves nothing behind")
  func failingEditor() throws {
    let workspace = try Workspace.withCustomers()
    let names = FileTree.names(in: "/dev/shm").filter { $0.hasPrefix("vault-") }
    let outcome = edit(workspace, "exit 1")
    #expect(outcome.code == 1)
    #expect(outcome.errorLines.first == "vault: editor: ended with 1")
    #expect(!outcome.errors.contains("kept"))
    #expect(FileTree.names(in: "/dev/shm").filter { $0.hasPrefix("vault-") }.count <= names.count + 2)
  }
}
