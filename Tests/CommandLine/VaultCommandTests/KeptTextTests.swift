import Testing
import VaultTestSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Texts that an editor had when its command ended.
@Suite("Texts that edit has left", .atTerminal)
struct KeptTextTests {
  private func workspace() throws -> Workspace {
    let workspace = try Workspace.withVault()
    let added = workspace.open("add", "login", "title=Bank", "username=ada", "--generate", "password")
    try #require(added.code == 0, "\(added.errors)")
    return workspace
  }

  private func edit(
    _ workspace: Workspace, _ editor: String, _ more: String..., answers: [(String, String)] = [],
    adding variables: [String: String] = [:]
  ) -> ProcessOutcome {
    workspace.type(
      ["edit", "Bank", "--vault", "v", "--identity", "id.txt"] + more, answers.map { (prompt: $0.0, reply: $0.1) },
      adding: variables.merging(["CVAULT_EDITOR": "\(editor); :"]) { $1 })
  }

  /// A text that is no JSON is typed, and editing is given up.
  private func leave(_ workspace: Workspace, _ more: String...) throws -> String {
    let script = #"echo "$1" >place.txt; echo broken >>"$1""#
    let editor = workspace.write(script, to: "leave.sh")
    let outcome = workspace.type(
      ["edit", "Bank", "--vault", "v", "--identity", "id.txt"] + more, [("Edit again? [Y/n] ", "n\n")],
      adding: ["CVAULT_EDITOR": "sh \(editor)"])
    #expect(outcome.status == .inputRefused, "\(outcome.errors)")
    return String(workspace.text(of: "place.txt").dropLast())
  }

  @Test("--resume goes on with the text, and it is gone when it is stored")
  func resume() throws {
    let workspace = try workspace()
    let path = try leave(workspace)
    let editor = workspace.write(#"grep -q broken "$1" && sed -i -e /broken/d -e s/ada/bob/ "$1""#, to: "e.sh")
    let outcome = edit(workspace, "sh \(editor) \"$1\"", "--resume")
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(workspace.open("get", "Bank", "username").output == "bob")
    #expect(FileTree.mode(of: Binary.parent(path)) == nil)
    let again = edit(workspace, "true", "--resume")
    #expect(again.status == .notFound)
    #expect(again.errorLines.first == "vault: Bank: no text of an earlier edit is kept")
  }

  @Test("--resume waits for a command that looks at the text just then")
  func waits() throws {
    guard Need.command("flock").isMet(forCases: 1, of: "texts that edit has left") else { return }
    let workspace = try workspace()
    let folder = Binary.parent(try leave(workspace))
    let editor = workspace.write(#"sed -i -e /broken/d -e s/ada/bob/ "$1""#, to: "e.sh")
    let holder = workspace.script("flock -n '\(folder)' sleep 1 >held 2>&1 & sleep 0.2; cat held")
    #expect(holder.output.isEmpty, "\(holder.output)")
    let outcome = edit(workspace, "sh \(editor) \"$1\"", "--resume")
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(workspace.open("get", "Bank", "username").output == "bob")
  }

  @Test("check and doctor name the text with what goes on with it, and a plain edit says that it is there")
  func named() throws {
    let workspace = try workspace()
    #expect(workspace.open("check").code == 0)
    let path = try leave(workspace)
    defer { FileTree.remove(Binary.parent(path)) }
    for command in ["check", "doctor"] {
      let outcome = workspace.open(command)
      #expect(outcome.status == .findings)
      #expect(outcome.output.contains("opened text: an earlier edit left \(path), in clear text"), "\(outcome.output)")
      #expect(outcome.output.contains("--resume` continues with it, `rm -r \(Binary.parent(path))` removes it"))
    }
    let plain = edit(workspace, "true")
    #expect(plain.errors.contains("note: the text of an earlier edit is kept in \(path): --resume continues with it"))
    #expect(FileTree.contents(of: path) != nil)
  }

  @Test("the text of one field is not taken for that of another, nor for the record's")
  func fields() throws {
    let workspace = try workspace()
    let left = workspace.type(
      ["edit", "Bank", "--field", "username", "--vault", "v", "--identity", "id.txt"], [],
      adding: ["CVAULT_EDITOR": "sh -c 'echo carl >\"$0\"; echo \"$0\" >place.txt; exit 3'"])
    #expect(left.code == 1, "\(left.errors)")
    defer { FileTree.remove(Binary.parent(String(workspace.text(of: "place.txt").dropLast()))) }
    #expect(left.errors.contains("--field username --resume` continues with it"), "\(left.errors)")
    #expect(edit(workspace, "true", "--resume").status == .notFound)
    #expect(edit(workspace, "true", "--field", "password", "--resume").status == .notFound)
    #expect(edit(workspace, "true", "--field", "username", "--resume").code == 0)
    #expect(workspace.open("get", "Bank", "username").output == "carl")
  }

  @Test("a text of a record that was changed since is not stored over the change: 15, and it stays")
  func changed() throws {
    let workspace = try workspace()
    let path = try leave(workspace)
    defer { FileTree.remove(Binary.parent(path)) }
    #expect(workspace.open("set", "Bank", "username=eve").code == 0)
    let outcome = edit(workspace, "true", "--resume")
    #expect(outcome.status == .changedUnderneath)
    #expect(outcome.errors.contains("was changed after the text in \(path) was opened"), "\(outcome.errors)")
    #expect(FileTree.contents(of: path) != nil)
  }

  @Test(
    "a text in which nothing was typed, of a command that was killed, is named by check and goes with the next edit")
  func killed() throws {
    let workspace = try workspace()
    var plan = workspace.plan(["edit", "Bank", "--vault", "v", "--identity", "id.txt"])
    let editor = workspace.write("echo \"$1\" >place.txt; echo ready >&2; \(EditorScript.waiting)", to: "e.sh")
    plan.environment["CVAULT_EDITOR"] = "sh \(editor)"
    // A folder of its own: the next edit of another test would take the text away.
    let runtime = ["XDG_RUNTIME_DIR": workspace.path]
    plan.environment.merge(runtime) { $1 }
    plan.terminal = []
    plan.signal = ("ready", SIGKILL)
    #expect(plan.run().code == -SIGKILL)
    let path = String(workspace.text(of: "place.txt").dropLast())
    #expect(workspace.open("check", adding: runtime).output.contains("left \(path)"))
    #expect(edit(workspace, "true", adding: runtime).code == 0)
    #expect(FileTree.contents(of: path) == nil)
    #expect(workspace.open("check", adding: runtime).code == 0)
  }

  @Test("a text that an editor has now is left alone and not named")
  func inUse() throws {
    let workspace = try workspace()
    let editor = workspace.write(
      "\(Binary.path) check --vault v --identity id.txt >inner.txt 2>&1; echo $? >code.txt", to: "e.sh")
    let outcome = edit(workspace, "sh \(editor)")
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(workspace.text(of: "code.txt") == "0\n", "\(workspace.text(of: "inner.txt"))")
  }

  @Test("a folder that others could have made is not looked into")
  func openFolder() throws {
    let workspace = try workspace()
    let path = try leave(workspace)
    defer { FileTree.remove(Binary.parent(path)) }
    FileTree.setMode(0o755, of: Binary.parent(path))
    #expect(edit(workspace, "true", "--resume").status == .notFound)
    #expect(workspace.open("check").code == 0)
  }
}
