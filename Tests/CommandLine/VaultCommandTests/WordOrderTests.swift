import Testing
import VaultTestSupport

@Suite("The order of words")
struct WordOrderTests {
  @Test(
    "a new record gets its name from any place that no secret is typed in",
    arguments: [
      ["login", "GitHub", "--generate", "password"], ["login", "--generate", "password", "GitHub"],
      ["--generate", "password", "login", "GitHub"], ["GitHub", "login", "--generate", "password"],
      ["login", "--generate", "password", "GitHub", "username=ada"],
      ["--secret-file", "password=pw.txt", "login", "GitHub"], ["login", "--secret-file", "password=pw.txt", "GitHub"],
      ["GitHub", "login", "username=ada", "--secret-file", "password=pw.txt"],
    ])
  func nameAnywhere(_ words: [String]) throws {
    let workspace = try Workspace.withVault()
    _ = workspace.write("correct horse\n", to: "pw.txt")
    let added = workspace.run(["add"] + words + ["--vault", "v", "--identity", "id.txt"])
    #expect(added.code == 0, "\(added.errors)")
    #expect(workspace.open("get", "GitHub", "title").output == "GitHub")
    #expect(!workspace.open("get", "GitHub", "password").output.isEmpty)
  }

  @Test(
    "a word behind an option that asks for a secret is never stored as a name",
    arguments: [
      ["login", "--secret", "password", "hunter2"], ["login", "--secret-stdin", "password", "hunter2"],
      ["login", "--secret-stdin=password", "hunter2"], ["--secret-stdin", "password", "hunter2", "login"],
    ])
  func secretIsNoName(_ words: [String]) throws {
    let workspace = try Workspace.withVault()
    let refused = workspace.run(["add"] + words + ["--vault", "v", "--identity", "id.txt"], input: "correct horse")
    #expect(refused.code != 0)
    #expect(!refused.errors.contains("hunter2"))
    #expect(workspace.run("list", "--vault", "v", "-q").output.isEmpty)
  }
}
