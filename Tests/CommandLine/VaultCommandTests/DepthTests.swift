import Testing
import VaultTestSupport

@Suite("Deep values")
struct DepthTests {
  /// An array in arrays around a number: so many levels.
  private func nested(_ levels: Int) -> String {
    String(repeating: "[", count: levels - 1) + "1" + String(repeating: "]", count: levels - 1)
  }

  /// A record that has so many levels when `a` is sealed under `extra`.
  private func input(_ levels: Int) -> String { "{\"title\":\"x\(levels)\",\"a\":\(nested(levels - 2))}\n" }

  @Test("a record of more than 64 levels, with what is sealed in it, is refused where it is stored, by its member")
  func refused() throws {
    let workspace = try Workspace.withVault()
    for levels in 60...66 {
      let file = workspace.write(input(levels), to: "in.json")
      let isGood = levels <= 64
      for words in [
        ["add", "custom", "--from", file, "--keep-unknown"],
        ["import", "json", file, "--kind", "custom", "--keep-unknown", "--dry-run"],
        ["import", "jsonl", file, "--kind", "custom", "--keep-unknown", "--dry-run"],
      ] {
        let outcome = workspace.run(words + ["--vault", "v", "--identity", "id.txt"])
        #expect(outcome.code == (isGood ? 0 : 17), "\(levels): \(words): \(outcome.errors)")
        guard !isGood else { continue }
        #expect(outcome.errors.contains("nested too deeply"), "\(outcome.errors)")
        // Text beyond the reader's limit has a line and a column.
        if levels == 65 { #expect(outcome.errors.contains("extra.a is "), "\(outcome.errors)") }
      }
    }
    let set = workspace.open("set", "x60", "--secret-stdin", "extra.a", input: nested(63))
    #expect(set.status == .inputRefused, "\(set.errors)")
    #expect(set.errors.contains("extra.a"), "\(set.errors)")
    #expect(workspace.open("set", "x60", "--secret-stdin", "extra.a", input: nested(62)).code == 0)
  }

  @Test("the deepest record that can be stored is edited as a whole", .atTerminal)
  func edited() throws {
    let workspace = try Workspace.withVault()
    let file = workspace.write(input(64), to: "in.json")
    #expect(workspace.open("add", ["custom", "--from", file, "--keep-unknown"]).code == 0)
    let outcome = workspace.type(
      ["edit", "x64", "--vault", "v", "--identity", "id.txt"], [], adding: ["CVAULT_EDITOR": "sed -i s/x64/new/"])
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(workspace.open("get", ["new", "extra.a"]).code == 0)
  }

  @Test("what is stored is exported in every format, and comes back from those that are imported")
  func exported() throws {
    let workspace = try Workspace.withVault()
    let file = workspace.write((60...64).map(input).joined(), to: "in.jsonl")
    #expect(workspace.open("import", "jsonl", file, "--kind", "custom", "--keep-unknown").code == 0)
    for format in [
      "json", "jsonl", "plist", "plist-binary", "csv", "yaml", "env", "bitwarden", "keepass-xml", "1password-csv",
    ] {
      let out = workspace.open("export", "--reveal", "--format", format, "-y", "-o", "out." + format)
      #expect(out.code == 0 || out.status == .partlyDone, "\(format): \(out.errors)")
    }
    let expected = JSON(workspace.open("get", "x64", "extra.a").stdout)
    #expect(expected.items?.count == 1)
    for words in [["get", "x64", "extra.a"], ["show", "x64", "--reveal"], ["export", "--reveal", "-y"]] {
      #expect(workspace.open(words[0], Array(words.dropFirst()) + ["--json"]).code == 0, "\(words)")
    }
    for (format, importer) in [("json", "json"), ("jsonl", "jsonl"), ("plist", "plist"), ("plist-binary", "plist")] {
      let folder = "from-" + format
      #expect(workspace.run("init", folder, "--generate-identity", folder + ".txt").code == 0)
      let key = ["--vault", folder, "--identity", folder + ".txt"]
      let back = workspace.run(["import", importer, "out." + format, "--kind", "custom"] + key)
      #expect(back.code == 0, "\(format): \(back.errors)")
      guard importer != "plist" else { continue }
      #expect(JSON(workspace.run(["get", "x64", "extra.a"] + key).stdout) == expected, "\(format)")
    }
  }
}

extension Workspace {
  fileprivate func open(_ command: String, _ arguments: [String]) -> ProcessOutcome {
    run([command] + arguments + ["--vault", vault, "--identity", identity])
  }
}
