import Testing
import VaultTestSupport

@Suite("Sealed values that a vault without former values would lose", .atTerminal)
struct LostValueTests {
  private static let key = ["--vault", "v", "--identity", "id.txt"]
  private static let question = "[y/N] "

  /// A login in a vault that keeps some former values.
  private static func withLogin(keeping count: Int = 0) throws -> Workspace {
    let workspace = try Workspace()
    let made = workspace.run("init", "v", "--generate-identity", "id.txt", "--former", "\(count)")
    try #require(made.code == 0, "\(made.errors)")
    let added = workspace.open("add", "login", "Mail", "username=u", "--secret-stdin", "password", input: "old")
    try #require(added.code == 0, "\(added.errors)")
    return workspace
  }

  private static func type(_ workspace: Workspace, _ words: String, _ answers: [(String, String)]) -> ProcessOutcome {
    workspace.type(
      words.split(separator: " ").map(String.init) + key, answers.map { (prompt: $0.0, reply: $0.1) },
      errorsOnTerminal: true)
  }

  static let losing = ["set -g Mail", "set Mail password -g", "set Mail --generate password", "unset Mail password"]

  @Test("a value that nothing keeps is asked about, and stays if the answer is no", arguments: losing)
  func asks(_ words: String) throws {
    let workspace = try Self.withLogin()
    let declined = Self.type(workspace, words, [(Self.question, "n\n")])
    #expect(declined.status == .declined, "\(declined.shown)")
    #expect(declined.shown.contains("the value of password is kept nowhere else and will be lost"), "\(declined.shown)")
    #expect(!declined.shown.contains("made"), "\(declined.shown)")
    #expect(workspace.open("get", "Mail", "password").output == "old")
    let agreed = Self.type(workspace, words, [(Self.question, "y\n")])
    #expect(agreed.code == 0, "\(agreed.shown)")
    #expect(agreed.shown.contains("this vault keeps no former values"), "\(agreed.shown)")
    #expect(workspace.open("get", "Mail", "password").output != "old")
    #expect(workspace.open("get", "Mail", "password", "--former").status == .notFound)
  }

  @Test("a vault that keeps former values asks nothing", arguments: losing)
  func keeps(_ words: String) throws {
    let workspace = try Self.withLogin(keeping: 1)
    let changed = Self.type(workspace, words, [])
    #expect(changed.code == 0, "\(changed.shown)")
    #expect(changed.shown.contains("the former one stays (vault restore Mail password --former)"), "\(changed.shown)")
    #expect(workspace.open("get", "Mail", "password", "--former").output == "old")
  }

  @Test("--yes answers, and where there is no terminal nobody is asked", arguments: losing)
  func goesOn(_ words: String) throws {
    let workspace = try Self.withLogin()
    let answered = Self.type(workspace, words + " --yes", [])
    #expect(answered.code == 0, "\(answered.shown)")
    let other = try Self.withLogin()
    let script = other.run(words.split(separator: " ").map(String.init) + Self.key)
    #expect(script.code == 0, "\(script.errors)")
  }

  @Test(
    "a field without a value, and a record that git has as it is, are not asked about", .enabled(if: GitBench.isThere))
  func isKept() throws {
    let workspace = try Self.withLogin()
    let new = Self.type(workspace, "set Mail secrets.pin -g", [])
    #expect(new.code == 0, "\(new.shown)")
    workspace.prepare(
      "cd v && git init -q && git add -A && git -c user.name=a -c user.email=a@b commit -qm x")
    let kept = Self.type(workspace, "set -g Mail", [])
    #expect(kept.code == 0, "\(kept.shown)")
    // The new one is in no commit.
    let lost = Self.type(workspace, "set -g Mail", [(Self.question, "n\n")])
    #expect(lost.status == .declined, "\(lost.shown)")
  }
}
