import Testing
import VaultTestSupport

@Suite("Attachments, when versions of a record are compared")
struct AttachmentReviewTests {
  private static let missing = "what became of attachments, from commit to commit"

  /// A vault in git, with two commits: a record, and the same with `big` and `small`. Nil without git.
  private func committed() throws -> (workspace: Workspace, file: String)? {
    guard FileTree.mode(of: "/usr/bin/git") != nil else { return nil }
    let workspace = try Workspace.withVault()
    workspace.prepare("head -c 200000 /dev/urandom >big; head -c 3000 /dev/urandom >small")
    try #require(workspace.open("add", "login", "Office", "-g", "tags=a").code == 0)
    workspace.prepare("git -C v init -q && \(Self.commit)")
    try #require(workspace.open("attach", "Office", "big", "small").code == 0)
    workspace.prepare(Self.commit)
    return (workspace, "v/" + (try workspace.recordFile("Office")))
  }

  private static let commit =
    "git -C v add -A && git -C v -c user.name=Ada -c user.email=ada@example.com commit -qm all"

  /// Edits by hand.
  private func edit(_ workspace: Workspace, _ file: String, _ change: String) {
    let old = workspace.text(of: file)
    workspace.prepare("sed -i '\(change)' \(file)")
    #expect(workspace.text(of: file) != old, "\(change)")
  }

  private static let exchange =
    #"s/"name" : "big"/"name" : "-"/; s/"name" : "small"/"name" : "big"/; s/"name" : "-"/"name" : "small"/"#

  @Test("accept tells of attachments that were exchanged, renamed or changed, by name and size, and refuses them")
  func exchanged() throws {
    guard let (workspace, file) = try committed() else { return Need.notRun(Self.missing, "git is not installed") }
    let changes = [
      (
        Self.exchange,
        ["  attachment big: 195 KiB → 3000 bytes, replaced", "  attachment small: 3000 bytes → 195 KiB, replaced"]
      ),
      (#"s/"name" : "big"/"name" : "large"/"#, ["  - attachment big: 195 KiB", "  + attachment large: 195 KiB"]),
      (#"s/"sha256" : "..../"sha256" : "0000/"#, ["  attachment big: 195 KiB → 195 KiB, replaced"]),
      (#"/"attachments" : {/,/^    },/d; /"requires"/,/]/d"#, ["  - attachment big: 195 KiB"]),
    ]
    let good = workspace.text(of: file)
    for (change, lines) in changes {
      edit(workspace, file, change)
      let before = workspace.snapshot()
      let refused = workspace.open("accept", "Office", "-y")
      #expect(refused.status == .damaged, "\(refused.errors)")
      #expect(refused.errors.contains("$vault.attachments does not have the attachments"), "\(refused.errors)")
      for line in lines { #expect(refused.output.contains(line + "\n"), "\(change): \(refused.output)") }
      #expect(workspace.open("accept", "Office", "-y", "--no-baseline").status == .damaged)
      #expect(workspace.snapshot() == before)
      _ = workspace.write(good, to: file)
    }
    edit(workspace, file, "s/\"a\"/\"b\"/")
    let accepted = workspace.open("accept", "Office", "-y")
    #expect(accepted.code == 0, "\(accepted.errors)\(accepted.output)")
    #expect(!accepted.output.contains("attachment"), "\(accepted.errors)\(accepted.output)")
    #expect(workspace.open("get", "Office", "--attachment", "big", "-o", "out").code == 0)
    #expect(workspace.open("verify").code == 0)
  }

  @Test("without a version to compare with each attachment is shown, and must open as one of the record")
  func blind() throws {
    guard let (workspace, file) = try committed() else { return Need.notRun(Self.missing, "git is not installed") }
    workspace.prepare("rm -rf v/.git")
    let good = workspace.text(of: file)
    edit(workspace, file, #"s/"sha256" : "..../"sha256" : "0000/"#)
    let other = workspace.open("accept", "Office", "-y", "--no-baseline")
    #expect(other.status == .damaged, "\(other.errors)")
    #expect(other.errors.contains("attachments/"), "\(other.errors)")
    _ = workspace.write(good, to: file)
    edit(workspace, file, Self.exchange)
    let shown = workspace.open("accept", "Office", "-y")
    #expect(shown.status == .declined)
    #expect(shown.output.contains("big, 3000 bytes"))
    #expect(shown.output.contains("small, 195 KiB"))
    #expect(workspace.open("accept", "Office", "-y", "--no-baseline").code == 0)
    #expect(workspace.open("verify").code == 0)
    #expect(workspace.open("get", "Office", "--attachment", "big", "-o", "-").stdout.count == 3000)
  }

  @Test("diff, log and git check say by name and size what came, went and was replaced")
  func history() throws {
    guard let (workspace, file) = try committed() else { return Need.notRun(Self.missing, "git is not installed") }
    #expect(workspace.open("detach", "Office", "small", "--yes").code == 0)
    #expect(workspace.open("detach", "Office", "big", "--yes").code == 0)
    #expect(workspace.open("attach", "Office", "small", "--name", "big").code == 0)
    let lines = "  attachment big: 195 KiB → 3000 bytes, replaced\n  - attachment small: 3000 bytes\n"
    let differing = workspace.run("diff", "--vault", "v")
    #expect(differing.output.contains(lines), "\(differing.output)\(differing.errors)")
    #expect(workspace.run("diff", "--stat", "--vault", "v").output.contains(": 2 attachments\n"))
    #expect(workspace.run("diff", "--markdown", "--vault", "v").output.contains("195 KiB"))
    let found = JSON(workspace.run("diff", "--json", "--vault", "v").stdout)["records"]?[0]?["attachments"]
    #expect(found?[0]?["name"]?.text == "big")
    #expect(found?[0]?["after"]?["size"] == .number(3000))
    #expect(found?[1]?["name"]?.text == "small")
    #expect(found?[1]?["after"] == .null)
    let logged = workspace.run("log", "Office", "--vault", "v").output
    #expect(logged.contains(lines), "\(logged)")
    #expect(logged.contains("  + attachment big: 195 KiB\n"), "\(logged)")
    workspace.prepare("git -C v add -A")
    let checked = workspace.run("git", "check", "--staged", "--vault", "v")
    #expect(checked.code == 0, "\(checked)")
    #expect(checked.errors.contains("attachment big: 195 KiB → 3000 bytes, replaced"), "\(checked)")
    // Without a key nobody makes an exchange that a check does not tell.
    workspace.prepare(Self.commit)
    edit(workspace, file, #"s/"name" : "big"/"name" : "large"/"#)
    workspace.prepare("git -C v add -A")
    let refused = workspace.run("git", "check", "--staged", "--vault", "v")
    #expect(refused.status == .findings, "\(refused)")
    #expect(refused.output.contains("was changed without a key"), "\(refused)")
    #expect(refused.errors.contains("- attachment big: 3000 bytes"))
    #expect(refused.errors.contains("+ attachment large: 3000 bytes"))
  }
}
