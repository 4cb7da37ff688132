import Testing
import VaultTestSupport

@Suite("Attachments")
struct AttachmentTests {
  /// A vault with one record, and a file of three chunks and a bit.
  private func withRecord() throws -> Workspace {
    let workspace = try Workspace.withVault()
    workspace.prepare("head -c 200000 /dev/urandom >big; printf x >small; : >empty")
    try #require(workspace.open("add", "login", "Office", "-g").code == 0)
    return workspace
  }

  private func same(_ workspace: Workspace, _ one: String, _ other: String) -> Bool {
    FileTree.contents(of: workspace.path + "/" + one) == FileTree.contents(of: workspace.path + "/" + other)
  }

  /// The sealed files, as paths below the vault.
  private func files(_ workspace: Workspace) -> [String] {
    FileTree.files(below: workspace.vault).filter { $0.hasPrefix("attachments/") }
  }

  @Test("files of any size come back as they were, and both implementations verify them")
  func roundTrip() throws {
    let workspace = try withRecord()
    workspace.prepare("head -c 65536 big >chunk")
    let attached = workspace.open("attach", "Office", "big", "small", "empty", "chunk", "--json")
    #expect(attached.code == 0, "\(attached.errors)")
    let piped = workspace.open("attach", "Office", "-", "--name", "piped.txt", input: "a\0b")
    #expect(piped.code == 0, "\(piped.errors)")
    for name in ["big", "small", "empty", "chunk"] {
      let got = workspace.open("get", "Office", "--attachment", name, "-o", "out", "--yes")
      #expect(got.code == 0, "\(name): \(got.errors)")
      #expect(same(workspace, name, "out"), "\(name): \(got.errors)")
    }
    #expect(workspace.open("get", "Office", "--attachment", "piped.txt").output == "a\0b")
    #expect(workspace.open("get", "Office", "--attachment", "big", "-o", "-").stdout.count == 200_000)
    let listed = workspace.run("attachments", "Office", "--vault", "v")
    #expect(listed.code == 0, "\(listed.output)")
    #expect(listed.output.contains("  195 KiB  big\n"), "\(listed.output)")
    #expect(workspace.run("show", "Office", "--vault", "v").output.contains("big, 195 KiB"))
    #expect(files(workspace).count == 5)
    #expect(workspace.open("verify").code == 0)
    #expect(workspace.run("lint", "--vault", "v").code == 0)
    if let python = ReferencePython.path {
      let read = ReferencePython.run(python, "readvault.py", [workspace.vault, "--identity", workspace.identity])
      #expect(read.code == 0, "\(read.errors)")
    }
  }

  @Test("the same content twice is two files that have nothing in common; other changes keep both")
  func twice() throws {
    let workspace = try withRecord()
    #expect(workspace.open("attach", "Office", "big").code == 0)
    let again = workspace.open("attach", "Office", "big")
    #expect(again.status == .alreadyExists, "\(again.errors)")
    #expect(again.errors.contains("the record already has an attachment \""), "\(again.errors)")
    #expect(workspace.open("attach", "Office", "big", "--name", "again").code == 0)
    let bytes = files(workspace).map { FileTree.contents(of: workspace.vault + "/" + $0) ?? [] }
    try #require(bytes.count == 2)
    #expect(bytes[0].count == bytes[1].count)
    #expect(bytes[0].prefix(64) != bytes[1].prefix(64))
    #expect(workspace.open("set", "Office", "tags=a").code == 0)
    #expect(workspace.open("rm", "Office", "--yes").code == 0)
    #expect(workspace.open("restore", "Office").code == 0)
    #expect(workspace.open("rekey", "--yes").code == 0)
    #expect(workspace.open("get", "Office", "--attachment", "again", "-o", "out").code == 0)
    #expect(same(workspace, "big", "out"))
  }

  @Test("a sealed file that was changed, cut, grown, exchanged or taken away is damage, and nothing is written")
  func damage() throws {
    let changes = [
      "printf X | dd of=$A bs=1 seek=70000 conv=notrunc 2>/dev/null", "truncate -s -1 $A", "truncate -s 65552 $A",
      "printf X >>$A", "cp $B $A", "rm $A", ": >$A",
    ]
    for change in changes {
      let workspace = try withRecord()
      workspace.prepare("head -c 200000 /dev/urandom >other")
      #expect(workspace.open("attach", "Office", "big").code == 0)
      let first = try #require(files(workspace).first)
      #expect(workspace.open("attach", "Office", "other").code == 0)
      let second = try #require(files(workspace).first { $0 != first })
      workspace.prepare("A=v/\(first); B=v/\(second); \(change)")
      let got = workspace.open("get", "Office", "--attachment", "big", "-o", "out")
      #expect(got.status == .damaged, "\(change): \(got.errors)")
      #expect(got.errors.hasPrefix("vault: \(first) is "), "\(change): \(got.errors)")
      #expect(!FileTree.names(in: workspace.path).contains { $0.contains("out") })
      let piped = workspace.open("get", "Office", "--attachment", "big")
      #expect(piped.status == .damaged, "\(change)")
      #expect(piped.stdout.isEmpty, "\(change)")
      #expect(workspace.open("verify").status == .damaged, "\(change)")
      #expect(workspace.open("get", "Office", "--attachment", "other", "-o", "ok").code == 0)
    }
  }

  @Test("detach and the emptied trash take files away; until then they stay")
  func removal() throws {
    let workspace = try withRecord()
    #expect(workspace.open("attach", "Office", "big", "small").code == 0)
    #expect(workspace.open("detach", "Office", "small").status == .declined)
    #expect(workspace.open("detach", "Office", "none", "--yes").status == .notFound)
    #expect(workspace.open("detach", "Office", "small", "--yes").code == 0)
    #expect(files(workspace).count == 1)
    #expect(workspace.open("rm", "Office", "--yes").code == 0)
    #expect(files(workspace).count == 1)
    #expect(workspace.open("verify").code == 0)
    #expect(workspace.open("trash", "empty", "--yes").code == 0)
    #expect(files(workspace).isEmpty)
    #expect(workspace.open("verify").code == 0)
  }

  @Test("what does not take attachments refuses or says so, and changes nothing")
  func refusals() throws {
    let workspace = try withRecord()
    #expect(workspace.open("attach", "Office", "big").code == 0)
    let before = workspace.snapshot()
    let export = workspace.open("export")
    #expect(export.status == .partlyDone, "\(export.errors)")
    #expect(export.errors.contains("1 attachment was left out"), "\(export.errors)")
    for name in ["a/b", "..", "", "a\nb"] {
      #expect(workspace.open("attach", "Office", "small", "--name", name).status == .usage, "\(name)")
    }
    let missing = workspace.open("attach", "Office", "small", "nowhere")
    #expect(missing.status == .inputOutput, "\(missing.errors)")
    #expect(workspace.snapshot() == before)
    #expect(workspace.run("store", "copy", "v", "w").code == 0)
    #expect(workspace.run("attachments", "Office", "--vault", "w").output.contains("big"))
    #expect(workspace.run("lint", "--vault", "w").code == 0)
  }

  @Test("a process killed at any moment leaves the record as it was, or with its attachment, and at most an orphan")
  func killed() throws {
    let workspace = try withRecord()
    workspace.prepare("head -c 20000000 /dev/urandom >huge")
    for index in 0..<12 {
      workspace.prepare(
        "'\(Binary.path)' attach Office huge --name n\(index) --vault v --identity id.txt 2>/dev/null & p=$!; "
          + "sleep 0.\(index < 5 ? "0" : "")\(index * 2 % 10 + 1); kill -KILL $p 2>/dev/null; wait $p; true")
      #expect(workspace.open("verify").code == 0)
    }
    let listed = workspace.open("attachments", "Office").output
    let count = listed.split(separator: "\n").count
    #expect(files(workspace).count >= count)
    print("killed: 12 times, \(count) attached, \(files(workspace).count) files")
  }

  @Test("a full disk attaches nothing and leaves nothing")
  func full() throws {
    let workspace = try withRecord()
    let script = "mkdir m && mount -t tmpfs -o size=1m tmpfs m && cp -a v m/v && head -c 3000000 /dev/urandom >huge"
    let mounted = ProcessRun(
      path: "/bin/sh", arguments: ["-c", script], environment: workspace.environment, directory: workspace.path
    ).run()
    guard mounted.code == 0 else { return Need.notRun("attachments on a full disk", Need.noMounts) }
    defer { workspace.prepare("umount m || umount -l m") }
    let outcome = workspace.run("attach", "Office", "big", "huge", "--vault", "m/v", "--identity", "id.txt")
    #expect(outcome.status == .inputOutput, "\(outcome.errors)")
    let listed = workspace.run("attachments", "Office", "--vault", "m/v", "--identity", "id.txt")
    #expect(listed.output.isEmpty)
    workspace.prepare("test -z \"$(find m/v/attachments m/v/.staging -type f)\"")
  }
}
