import Testing
import VaultTestSupport

@Suite("Several copies of a vault on one machine")
struct CopyTests {
  private static let prepared =
    Workspace.threeRecords + "\n" + """
      set_() { vault set --vault $1 A username=$2; }; get_() { vault get --vault $1 A username; }
      commit() { git -C $1 add -A; git -C $1 commit -qm c; }
      id=$(vault list | awk '$3 == "A" { print $1 }')

      """

  @Test(
    "a change in one copy is no rollback in another, in whatever order they are used",
    arguments: [
      "cp -R v w; set_ v 1; get_ w; set_ w 2; get_ v; set_ v 3; get_ w; set_ w 4",
      "set_ v 1; cp -R v w; set_ w 2; set_ v 3; set_ v 4; set_ w 5; get_ v; get_ w",
      "cp -R v w; get_ w; vault checkpoint; vault checkpoint --vault w; vault checkpoint; get_ w; vault verify --vault w",
      "cp -R v w; vault key add --recipient $(vault key list | sed -n 's/.*\\(age1[a-z0-9]*\\).*/\\1/p') --label x || true; "
        + "get_ w; set_ w 2; get_ v",
      // A replica that is behind, and brought up to date.
      "cp -R v w; get_ w; set_ v 1; set_ v 2; get_ w; rm -r w; cp -R v w; get_ w; set_ w 3; get_ v",
      "cp -R v w; vault verify --vault w; vault remove B -y; vault trash empty -y; vault verify --vault w; rm -r w; cp -R v w; "
        + "vault verify --vault w",
      // Clones and work trees of git.
      "git init -q v; commit v; git clone -q v w; set_ v 1; set_ w 2; get_ v; set_ v 3; get_ w",
      "git init -q v; commit v; git clone -q v w; set_ v 1; commit v; get_ w; git -C w pull -q; get_ w; set_ w 2; get_ v",
      "git init -q v; commit v; git -C v worktree add -q ../w; set_ w 1; get_ v; set_ v 2; get_ w; vault verify",
      // Through a link, and by the folder itself.
      "cp -R v w; ln -s w link; set_ link 1; get_ v; set_ v 2; get_ w; get_ link; set_ w 3; get_ link",
      // Three of them.
      "cp -R v w; cp -R v x; for p in v w x v w x; do set_ $p u$p; get_ v; get_ w; get_ x; done",
      // A copy that stays when the first is gone.
      "cp -R v w; set_ w 1; set_ v 2; rm -r v; get_ w; set_ w 3; vault verify --vault w",
      // After a rotation elsewhere, once the copy has it.
      "cp -R v w; get_ w; vault rekey -y; rm -r w; cp -R v w; get_ w; set_ w 1; get_ v",
      "cp -R v w; get_ w; vault rekey --vault w -y; get_ w; rm -r v; cp -R w v; get_ v; set_ v 1; get_ w",
    ])
  func separate(_ lines: String) throws {
    let workspace = try Workspace()
    let run = workspace.script(Self.prepared + lines)
    #expect(run.code == 0, "\(run.errors)")
  }

  @Test(
    "an older state in the place of a newer one is refused, in each copy",
    arguments: [
      "cp -R v w; get_ w; cp -R v old; set_ v 1; rm -r v; mv old v; get_ v",
      "cp -R v w; get_ w; cp -R w old; set_ w 1; rm -r w; mv old w; get_ w",
      "cp -R v w; set_ w 1; cp w/records/*/$id.json old; set_ w 2; cp old w/records/*/$id.json; get_ w",
      "cp -R v w; set_ w 1; rm w/records/*/$id.json; vault verify --vault w",
      "cp -R v w; vault checkpoint --vault w; rm w/checkpoint.jsonl; vault verify --vault w",
      "cp -R v w; git init -q w; commit w; set_ w 1; commit w; git -C w checkout -q HEAD~; get_ w",
      // One copy in the place of another that has seen more.
      "cp -R v w; get_ w; set_ v 1; rm -r v; cp -R w v; get_ v",
      "cp -R v w; set_ w 1; rm -r w; cp -R v w; get_ w",
      "cp -R v w; get_ w; set_ v 1; rm -r v; ln -s w v; get_ v",
      "cp -R v w; set_ w 1; rm -r w; ln -s v w; get_ w",
      // The vault is nowhere else: it was moved, or is cloned anew.
      "cp -R v old; set_ v 1; rm -r v; mv old moved; get_ moved",
      "git init -q v; commit v; git clone -q --bare v origin; set_ v 1; rm -r v; git clone -q origin w; get_ w",
      // A backup in a new folder.
      "mkdir b; vault backup create --to b; set_ v 1; vault backup restore b/*.age --to w",
      // From before a rotation.
      "cp -R v w; get_ w; vault rekey -y; get_ w", "cp -R v w; vault rekey --vault w -y; get_ v",
    ])
  func rollbacks(_ lines: String) throws {
    let workspace = try Workspace()
    let run = workspace.script(Self.prepared + lines)
    #expect(run.status == .unexpectedVault, "\(run.output)\(run.errors)")
    #expect(run.errors.contains("hint: "), "\(run.errors)")
  }

  @Test("a copy that is behind is told of once, and the line of a refusal works for this copy alone")
  func told() throws {
    let workspace = try Workspace()
    let first = workspace.script(Self.prepared + "cp -R v w; set_ v 1; set_ v 2; get_ w")
    #expect(first.code == 0, "\(first.errors)")
    #expect(first.errors.contains("note: this is a copy of the vault at \(workspace.vault)"), "\(first.errors)")
    #expect(first.errors.contains("note: this copy is behind: it has revision"), "\(first.errors)")
    #expect(workspace.script("vault get --vault w A username").errors.isEmpty)
    let back = workspace.script(
      "cp -R w old; vault set --vault w A username=3; rm -r w; mv old w; vault get --vault w A username")
    #expect(back.status == .unexpectedVault)
    let line = try #require(back.errors.split(separator: "`").first { $0.hasPrefix("vault pin update") })
    #expect(workspace.script("\(line) --vault w; vault get --vault w A username").code == 0)
    #expect(workspace.script("cp -R w x; rm -r v; mv x v; vault get A username").status == .unexpectedVault)
  }

  @Test("forgetting a vault forgets all copies")
  func forgotten() throws {
    let workspace = try Workspace()
    let run = workspace.script(Self.prepared + "cp -R v w; set_ w 1; set_ v 2; vault pin forget")
    #expect(run.code == 0, "\(run.errors)")
    for place in ["paths", "pins"] { #expect(FileTree.names(in: workspace.path + "/state/" + place).isEmpty) }
    #expect(FileTree.files(below: workspace.path + "/state/seen").isEmpty)
  }

  @Test("two places that share a memory of an earlier program are told apart by pin update")
  func shared() throws {
    let workspace = try Workspace()
    #expect(workspace.script(Self.prepared + "cp -R v w; vault list --vault w; set_ v 1; get_ w").code == 0)
    // The notes of an earlier program about the second place name no copy.
    workspace.prepare("sed -i '/\"copy\"/d' state/paths/*; rm -r state/pins/*.*.json state/seen/*.*")
    let refused = workspace.script("vault get --vault w A username")
    #expect(refused.status == .unexpectedVault, "\(refused.errors)")
    let accepted = workspace.script(
      "vault pin update --vault w --fingerprint $(vault fingerprint); vault get --vault w A username; vault get A username; "
        + "vault set A username=9; vault set --vault w A username=8; vault get A username")
    #expect(accepted.code == 0, "\(accepted.errors)")
  }
}
