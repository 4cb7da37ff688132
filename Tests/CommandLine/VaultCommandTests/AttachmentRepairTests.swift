import Testing
import VaultTestSupport

@Suite("Attachments that git has are put back", .enabled(if: GitBench.isThere))
struct AttachmentRepairTests {
  private let bench: GitBench
  private var here: GitBench.Clone { bench.here }

  init() throws {
    bench = try GitBench()
    bench.workspace.prepare("head -c 70000 /dev/urandom >scan")
    let run = here.vault("attach", bench.id, bench.workspace.path + "/scan")
    try #require(run.code == 0, "\(run.errors)")
    here.shell("git add -A; git commit -qm attached")
  }

  @Test(
    "an attachment that is gone, cut, changed or replaced is restored from the commit that has it",
    arguments: [
      "rm -r attachments", "rm attachments/*/*",
      "for f in attachments/*/*; do head -c 100 \"$f\" >x; mv x \"$f\"; done",
      "for f in attachments/*/*; do head -c 70032 /dev/urandom >\"$f\"; done",
      "for f in attachments/*/*; do rm \"$f\"; ln -s /etc/passwd \"$f\"; done",
      "for f in attachments/*/*; do echo x >\"$f\"; done; git commit -qam damaged",
      "git rm -qr attachments; git commit -qm gone",
    ])
  func restored(_ damage: String) throws {
    here.shell("cd \"$CVAULT_DIR\"; \(damage)")
    #expect(here.vault("verify").status == .damaged)
    let repaired = here.vault("repair", "--yes")
    #expect(repaired.code == 0, "\(repaired.output)\(repaired.errors)")
    #expect(repaired.output.contains("from git commit"), "\(repaired.output)")
    #expect(here.vault("verify").code == 0)
    let got = here.vault("get", bench.id, "--attachment", "scan", "-o", bench.workspace.path + "/got")
    #expect(got.code == 0, "\(got.errors)")
    bench.workspace.prepare("cmp scan got")
  }

  @Test("an attachment of which git has only other bytes is left, with what to do")
  func left() throws {
    here.shell(
      "cd \"$CVAULT_DIR\"; git checkout -q --orphan new; for f in attachments/*/*; do echo x >\"$f\"; done; git commit -qam x"
    )
    let left = here.vault("repair", "--yes")
    #expect(left.code != 0)
    #expect(left.output.contains("restore it from version control or a backup"), "\(left.output)")
  }
}
