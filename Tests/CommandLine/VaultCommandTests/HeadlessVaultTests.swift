import Testing
import VaultTestSupport

@Suite("A vault whose vault.json is gone")
struct HeadlessVaultTests {
  static let parts = ["records/ab/x.json", "slots/x.age", "trash/x.json", "attachments/ab/x.age"]

  @Test("init is refused where a folder of a vault holds files, and makes nothing", arguments: parts)
  func initIsRefused(_ file: String) throws {
    let workspace = try Workspace()
    workspace.prepare("mkdir -p v/$(dirname \(file)) && echo x >v/\(file)")
    let made = workspace.run("init", "v", "--generate-identity", "k.txt")
    #expect(made.status == .inputRefused, "\(made.errors)")
    #expect(made.errors.contains("its vault.json is missing"), "\(made.errors)")
    #expect(made.errors.contains("`vault backup restore FILE --to NEW-FOLDER`"), "\(made.errors)")
    #expect(made.errors.contains("for a new vault, name another folder"), "\(made.errors)")
    #expect(FileTree.files(below: workspace.vault) == [file])
    #expect(FileTree.contents(of: workspace.path + "/k.txt") == nil)
  }

  @Test("folders without files, and hidden files, are no vault")
  func emptyFolders() throws {
    let workspace = try Workspace()
    workspace.prepare("mkdir -p v/records/ab v/slots v/trash && touch v/records/.gitkeep")
    let made = workspace.run("init", "v", "--generate-identity", "k.txt")
    #expect(made.code == 0, "\(made.errors)")
  }

  @Test(
    "no command sends to `vault init` there", arguments: ["list", "show x", "verify", "status", "add login x", "check"])
  func othersSayTheSame(_ command: String) throws {
    let workspace = try Workspace.withCustomers()
    workspace.prepare("rm v/vault.json")
    let run = workspace.run(command.split(separator: " ").map(String.init) + ["--vault", "v"])
    #expect(run.status == .noVault, "\(run.errors)")
    #expect(run.errors.contains("its vault.json is missing"), "\(run.errors)")
    #expect(!run.errors.contains("vault init"), "\(run.errors)")
    #expect(!run.errors.contains("for a new vault"), "\(run.errors)")
  }

  @Test("the hint is the line that brings it back from git", .enabled(if: GitBench.isThere))
  func git() throws {
    let workspace = try Workspace.withCustomers()
    workspace.prepare(
      "cd v && git init -q && git add -A && git -c user.name=a -c user.email=a@b commit -qm x && rm vault.json")
    let run = workspace.run("list", "--vault", "v")
    #expect(run.errors.contains("`git -C v checkout HEAD -- vault.json`"), "\(run.errors)")
    workspace.prepare("git -C v checkout HEAD -- vault.json")
    #expect(workspace.run("list", "--vault", "v").code == 0)
    workspace.prepare("cd v && git rm -q vault.json && git -c user.name=a -c user.email=a@b commit -qm y")
    let later = workspace.run("init", "v", "--generate-identity", "k.txt")
    #expect(later.status == .inputRefused, "\(later.errors)")
    #expect(later.errors.contains("brings back the version of commit"), "\(later.errors)")
  }

  @Test("a command in such a folder does not send elsewhere")
  func here() throws {
    let workspace = try Workspace.withCustomers()
    workspace.prepare("rm v/vault.json")
    var plan = workspace.plan(["list"])
    plan.directory = workspace.vault
    let run = plan.run()
    #expect(run.status == .noVault, "\(run.errors)")
    #expect(run.errors.contains("its vault.json is missing"), "\(run.errors)")
  }
}
