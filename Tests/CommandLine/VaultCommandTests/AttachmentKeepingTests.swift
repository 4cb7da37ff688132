import Testing
import VaultTestSupport

@Suite("Attachments, resealed and repaired")
struct AttachmentKeepingTests {
  /// A vault with a record, and one in the trash, each with an attachment.
  private func attached(_ byteCount: Int = 200_000) throws -> Workspace {
    let workspace = try Workspace.withVault()
    workspace.prepare("head -c \(byteCount) /dev/urandom >big; head -c 3000 /dev/urandom >small")
    for (name, file) in [("Office", "big"), ("Old", "small")] {
      try #require(workspace.open("add", "login", name, "-g").code == 0)
      try #require(workspace.open("attach", name, file).code == 0)
    }
    try #require(workspace.open("rm", "Old", "--yes").code == 0)
    return workspace
  }

  /// The sealed files, as paths below the vault.
  private func files(_ workspace: Workspace) -> Set<String> {
    Set(FileTree.files(below: workspace.vault).filter { $0.hasPrefix("attachments/") })
  }

  /// Expects unchanged attachments, a vault that verifies, and no other file.
  private func expectWhole(_ workspace: Workspace, _ comment: Comment = "") {
    let verified = workspace.open("verify")
    #expect(verified.code == 0, "\(comment): \(verified.errors)")
    #expect(!verified.errors.contains("no record names"), "\(comment): \(verified.errors)")
    #expect(files(workspace).count == 2, comment)
    let got = workspace.open("get", "Office", "--attachment", "big", "-o", "out", "--yes")
    #expect(got.code == 0, "\(comment): \(got.errors)")
    #expect(FileTree.contents(of: workspace.path + "/out") == FileTree.contents(of: workspace.path + "/big"), comment)
  }

  @Test("a reseal gives each another file under another key, live and in the trash, and the old ones go")
  func resealed() throws {
    let workspace = try attached()
    let before = files(workspace)
    let bytes = Set(before.map { FileTree.contents(of: workspace.vault + "/" + $0) ?? [] })
    let run = workspace.open("rekey", "--reseal", "--yes")
    #expect(run.code == 0, "\(run.errors)")
    #expect(files(workspace).isDisjoint(with: before))
    #expect(!files(workspace).contains { bytes.contains(FileTree.contents(of: workspace.vault + "/" + $0) ?? []) })
    expectWhole(workspace)
    #expect(workspace.open("restore", "Old").code == 0)
    #expect(workspace.open("get", "Old", "--attachment", "small", "-o", "-").stdout.count == 3000)
    if let python = ReferencePython.path {
      let read = ReferencePython.run(python, "readvault.py", [workspace.vault, "--identity", workspace.identity])
      #expect(read.code == 0, "\(read.errors)")
    }
  }

  @Test("an earlier version brings fields back, and names what was attached then", .enabled(if: GitBench.isThere))
  func earlier() throws {
    let bench = try GitBench()
    bench.here.shell("head -c 100 /dev/urandom >../f; vault attach Ada ../f; git add -A; git commit -qm all")
    #expect(bench.here.vault("detach", "Ada", "f", "-y").code == 0)
    let restored = bench.here.vault("restore", "Ada@HEAD", "-y")
    #expect(restored.code == 0, "\(restored.errors)")
    #expect(restored.errors.contains("note: f was attached then"), "\(restored.errors)")
    #expect(bench.here.vault("verify").code == 0)
  }

  @Test("a missing or changed file, also in the trash, ends a reseal before anything has changed")
  func damaged() throws {
    for (index, change) in ["rm", "truncate -s -1", "printf X | dd conv=notrunc bs=1 seek=9 status=none of="]
      .enumerated()
    {
      for name in ["big", "small"] {
        let workspace = try attached()
        let size = name == "big" ? "-size +100k" : "-size -100k"
        workspace.prepare("\(change)\(index == 2 ? "" : " ")$(find v/attachments -type f \(size))")
        let before = workspace.snapshot()
        let run = workspace.open("rekey", "--reseal", "--yes")
        #expect(run.status == .damaged, "\(change) \(name): \(run.errors)")
        #expect(run.errors.contains("attachments/"), "\(change) \(name): \(run.errors)")
        #expect(workspace.snapshot() == before, "\(change) \(name)")
      }
    }
  }

  @Test("a reseal that is killed at any moment leaves a vault that verifies, and is finished without a rest")
  func killed() throws {
    for index in 0..<12 {
      let workspace = try attached(30_000_000)
      workspace.prepare(
        "'\(Binary.path)' rekey --reseal --yes --vault v --identity id.txt >/dev/null 2>&1 & p=$!; sleep 0.\(index)5; "
          + "kill -KILL $p 2>/dev/null; wait $p; true")
      let verified = workspace.open("verify")
      #expect(verified.code == 0, "\(index): \(verified.errors)")
      let again = workspace.open("rekey", "--reseal", "--yes")
      #expect(again.code == 0, "\(index): \(again.errors)")
      expectWhole(workspace, "\(index)")
    }
  }

  @Test("repair says how many files no record names, and removes those alone")
  func repaired() throws {
    let workspace = try attached()
    let named = files(workspace)
    workspace.prepare(
      "mkdir -p v/attachments/00 && printf x >v/attachments/00/00112233-4455-6677-8899-aabbccddeeff")
    let before = workspace.snapshot()
    let planned = workspace.open("repair", "--dry-run")
    #expect(planned.status == .damaged, "\(planned)")
    #expect(planned.output.contains("remove attachments: no record names 1 file in"), "\(planned)")
    #expect(workspace.snapshot() == before)
    #expect(workspace.open("repair").status == .declined)
    let repaired = workspace.open("repair", "--yes")
    #expect(repaired.code == 0, "\(repaired.errors)")
    #expect(files(workspace) == named)
    expectWhole(workspace)
    #expect(workspace.open("repair", "--dry-run").code == 0)
  }

  @Test("repair removes nothing where a record is damaged, edited or unreadable")
  func notRepaired() throws {
    for change in [
      "printf x >$R", #"sed -i "s/\"kind\" : \"login\"/\"kind\" : \"token\"/" $R"#,
      #"sed -i "/\"attachments\" : {/,/^    },/d; /\"requires\"/,/]/d" $R"#,
    ] {
      let workspace = try attached()
      workspace.prepare(
        "mkdir -p v/attachments/00 && printf x >v/attachments/00/00112233-4455-6677-8899-aabbccddeeff; "
          + "R=$(find v/records -name '*.json'); \(change)")
      let before = files(workspace)
      let planned = workspace.open("repair", "--dry-run")
      #expect(planned.status == .damaged, "\(change): \(planned.output)")
      #expect(!planned.output.contains("remove "), "\(change): \(planned.output)")
      _ = workspace.open("repair", "--yes")
      #expect(files(workspace) == before, "\(change)")
    }
  }
}
