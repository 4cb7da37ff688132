import Testing
import VaultTestSupport

@Suite("Former values of an editor, a helper, an agent and a database")
struct FormerWritingTests {
  @Test("edit keeps what it replaces and removes, and says so like set", .atTerminal)
  func edit() throws {
    let bench = try FormerBench()
    let workspace = bench.workspace
    #expect(workspace.open("set", "Mail", "--secret-stdin", "secrets.pin", input: "pin-4711-pin").errors.isEmpty)
    let script = #"sed -i -e 's/\#(FormerBench[2])/fourth-secret-44/' -e '/"pin"/d' "$1""#
    let editor = workspace.write("#!/bin/sh\n\(script)\n", to: "editor.sh")
    let outcome = workspace.type(
      ["edit", "Mail", "--vault", "v", "--identity", "id.txt"], [],
      adding: ["CVAULT_EDITOR": "sh \(editor)", "EDITOR": "false"])
    #expect(outcome.code == 0, "\(outcome.errors)")
    let notes = [
      "note: Mail: password replaced; the former one stays (vault restore Mail password --former)",
      "note: Mail: secrets.pin removed; the former one stays (vault restore Mail secrets.pin --former)",
    ]
    for note in notes { #expect(outcome.errorLines.contains(note), "\(outcome.errors)") }
    #expect(bench.former(1) == FormerBench[2])
    #expect(bench.former(1, of: "Mail", "secrets.pin") == "pin-4711-pin")
    #expect(workspace.open("restore", "Mail", "secrets.pin", "--former").code == 0)
    #expect(workspace.open("get", "Mail", "secrets.pin").output == "pin-4711-pin")
  }

  @Test("a password that git replaces stays as a former one, and git reads nothing of it")
  func credential() throws {
    let bench = try FormerBench()
    let workspace = bench.workspace
    #expect(workspace.open("set", "Mail", "urls=https://git.example.com").code == 0)
    let request = "protocol=https\nhost=git.example.com\nusername=ada\npassword=fourth-secret-44\n\n"
    let stored = workspace.open("credential", "git", "store", "--store", input: request)
    #expect(stored.code == 0, "\(stored.errors)")
    #expect(stored.output.isEmpty)
    #expect(workspace.open("get", "Mail", "password").output == "fourth-secret-44")
    #expect(bench.former(1) == FormerBench[2])
    bench.requireSilent(stored)
    let given = workspace.open("credential", "git", "get", input: "protocol=https\nhost=git.example.com\n\n")
    #expect(given.output == "username=ada\npassword=fourth-secret-44\n")
  }

  @Test("an agent opens former values, for reading, for bringing one back and for a search")
  func agent() throws {
    let bench = try FormerBench()
    let workspace = bench.workspace
    let scope = ["XDG_RUNTIME_DIR": workspace.path, "CVAULT_DIR": workspace.vault]
    func run(_ words: String...) -> ProcessOutcome { workspace.run(words, adding: scope) }
    let unlocked = workspace.run("unlock", "--identity", workspace.identity, adding: scope)
    try #require(unlocked.code == 0, "\(unlocked.errors)")
    defer { _ = run("lock") }
    #expect(run("get", "Mail", "password", "--former", "2").output == FormerBench[0])
    workspace.prepare("echo \(FormerBench[0]) > leak")
    #expect(run("scan", "leak").status == .findings)
    let masked = run("run", "--env", "A=cvault://Mail/password", "--", "echo", FormerBench[0])
    #expect(masked.output == "«Mail/password (former)»\n", "\(masked.errors)")
    #expect(run("restore", "Mail", "password", "--former", "2").code == 0)
    #expect(run("get", "Mail", "password").output == FormerBench[0])
    #expect(run("get", "Mail", "password", "--former").output == FormerBench[2])
    #expect(run("lock").code == 0)
    #expect(run("get", "Mail", "password", "--former").status == .cannotUnlock)
  }

  @Test("a database keeps former values as a folder does")
  func database() throws {
    guard PostgresServer.need.isMet(forCases: 1, of: "former values in a database") else { return }
    let bench = try DatabaseBench.withVault()
    func get(_ former: String...) -> String { bench.run(["get", "GitLab", "password"] + former).output }
    for value in ["pw2", "pw3"] {
      let set = bench.run("set", "GitLab", "--secret-stdin", "password", input: value)
      #expect(set.errors.contains("the former one stays"), "\(set.errors)")
    }
    #expect(get("--former") == "pw2")
    #expect(get("--former", "2") == "pw1")
    #expect(bench.run("restore", "GitLab", "password", "--former", "2").code == 0)
    #expect(get() == "pw1")
    #expect(get("--former") == "pw3")
    #expect(bench.run("rekey", "--reseal").code == 0)
    #expect(get("--former") == "pw3")
    #expect(bench.run("remove", "GitLab", "--yes").code == 0)
    #expect(bench.run("restore", "GitLab").code == 0)
    #expect(get("--former", "2") == "pw2")
    #expect(bench.run("forget", "GitLab", "--yes").code == 0)
    #expect(bench.run("get", "GitLab", "password", "--former").status == .notFound)
    #expect(get() == "pw1")
    #expect(bench.run("verify").code == 0)
  }
}
