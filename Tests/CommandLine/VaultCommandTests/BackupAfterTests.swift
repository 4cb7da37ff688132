import Testing
import VaultTestSupport

/// `--after` of `vault backup create` and of `Scripts/backup`.
@Suite("A command after a backup")
struct BackupAfterTests {
  private let bench: Workspace

  init() throws {
    bench = try Workspace.withVault()
    FileTree.makeFolder(bench.path + "/b")
  }

  private func create(
    _ after: String, to folder: String = "b", _ more: String..., adding: [String: String] = [:]
  ) -> ProcessOutcome {
    bench.run(
      ["backup", "create", "--to", folder, "--vault", "v", "--identity", "id.txt", "--after", after] + more,
      adding: adding)
  }

  private var backups: [String] {
    FileTree.names(in: bench.path + "/b").filter { $0.hasSuffix(".age") }.map { "\(bench.path)/b/\($0)" }
  }

  @Test("it gets the path of the backup, and what it prints is not the answer of the command")
  func succeeds() throws {
    let made = create("echo \"$BACKUP_FILE\" >seen; echo said; echo \"$BACKUP_DIR $BACKUP_SHA256\" >>seen")
    #expect(made.code == 0, "\(made.errors)")
    #expect(made.output == "b/\(backups[0].split(separator: "/").last ?? "")\n")
    #expect(made.errors.contains("said"), "\(made.errors)")
    let seen = bench.text(of: "seen").split(separator: "\n").map(String.init)
    #expect(seen[0] == backups[0])
    #expect(bench.text(of: "b/backups.json").contains(seen[1].split(separator: " ")[1]))
    #expect(seen[1].hasPrefix(bench.path + "/b "))
  }

  @Test("a command that fails gives 21 and its exit status, and the backup is good")
  func fails() throws {
    for (command, words) in [
      ("exit 7", "ended with exit status 7"), ("nosuchprogram-x", "was not found"), ("./b", "could not be started"),
      ("kill -9 $$", "ended with exit status 137"),
    ] {
      let made = create(command)
      #expect(made.status == .afterFailed, "\(command): \(made.errors)")
      #expect(made.errors.contains("vault: --after: the command \(words)"), "\(made.errors)")
      #expect(made.errors.contains("is good"), "\(made.errors)")
      #expect(made.output.hasSuffix(".cvault.age\n"))
    }
    #expect(backups.count == 4)
    #expect(bench.run("backup", "status", "b", "--read").code == 0)
    let document = create("exit 9", "--json")
    #expect(document.status == .afterFailed)
    #expect(JSON(document.stdout)["after_exit"] == .number(9), "\(document.output)")
    #expect(document.errors.contains("after_failed"), "\(document.errors)")
    let good = JSON(bench.run("backup", "create", "--to", "b", "--vault", "v", "--json").stdout)
    #expect(good["after_exit"] == .null)
  }

  @Test("it does not run if there is no backup, and neither its words nor a key reach any output")
  func notRun() throws {
    let words = "echo hunter2 >ran; exit 3"
    for refused in [
      create(words, to: "nowhere"), create(words, "--prove-with", "v/vault.json"), create("  ", "--name", "x"),
      bench.run("backup", "create", "--to", "-", "--vault", "v", "--after", words),
    ] {
      #expect(refused.code != 0)
      #expect(refused.status != .afterFailed, "\(refused.errors)")
      #expect(!refused.errors.contains("hunter2"), "\(refused.errors)")
    }
    #expect(bench.text(of: "ran") == "")
    let failed = create(words, "--verbose")
    #expect(!(failed.output + failed.errors).contains("hunter2"), "\(failed.errors)")
  }

  @Test("its environment has no variable of the program, some of which lead to keys")
  func environment() throws {
    let made = create("env >seen", adding: ["CVAULT_IDENTITY_FILE": bench.identity, "CVAULT_PASSPHRASE_FILE": "p"])
    #expect(made.code == 0, "\(made.errors)")
    let seen = bench.text(of: "seen")
    #expect(!seen.contains("CVAULT_"), "\(seen)")
    #expect(seen.contains("BACKUP_FILE="))
    #expect(!seen.contains("AGE-SECRET"))
  }

  @Test("a command that may not reveal secrets starts none that does")
  func forbidding() throws {
    for (words, variables) in [
      (["--no-reveal"], ["CVAULT_ALLOW_REVEAL": "1"]), ([], ["CVAULT_NO_REVEAL": "1"]), ([], ["CVAULT_NO_REVEAL": ""]),
    ] {
      let made = bench.run(
        [
          "backup", "create", "--to", "b", "--vault", "v", "--identity", "id.txt", "--after",
          "env | grep CVAULT_ >seen",
        ]
          + words, adding: variables)
      #expect(made.code == 0, "\(made.errors)")
      #expect(bench.text(of: "seen") == "CVAULT_NO_REVEAL=\(variables["CVAULT_NO_REVEAL"] ?? "1")\n")
    }
  }

  private static let script = OwnVectors.package + "/Scripts/backup"

  @Test(
    "Scripts/backup runs it after all steps, reports it, and ends with 21 if it fails",
    .enabled(if: Need.command("flock").isMet(forCases: 1, of: "Scripts/backup --after")))
  func script() throws {
    func run(_ after: String, _ more: [String] = []) -> ProcessOutcome {
      ProcessRun(
        path: "/bin/bash",
        arguments: [
          Self.script, "--to", "b", "--vault", "v", "--identity", "id.txt", "--command", Binary.path, "--after", after,
        ] + more,
        environment: bench.environment, directory: bench.path
      ).run()
    }
    func steps(_ run: ProcessOutcome) -> [String] {
      run.output.split(separator: "\n").map {
        let line = JSON(Array($0.utf8))
        let code = (0..<256).first { line["exit"] == .number(Double($0)) }
        return "\(line["step"]?.text ?? "") \(code ?? -1)"
      }
    }
    let good = run("echo \"$BACKUP_FILE\" >seen; env | grep -c CVAULT_ >>seen; true")
    #expect(good.code == 0, "\(good.errors)\(good.output)")
    #expect(steps(good).last == "after 0")
    #expect(bench.text(of: "seen") == backups[0] + "\n0\n")
    bench.prepare("printf '#!/bin/sh\\necho \"$1\" >seen\\n' >p; chmod +x p")
    #expect(run("./p plain").code == 0)
    #expect(bench.text(of: "seen") == "plain\n")
    let failed = run("echo nothing arrived >&2; exit 7")
    #expect(failed.code == 21, "\(failed.errors)")
    #expect(steps(failed).last == "after 7")
    #expect(failed.output.contains("nothing arrived"))
    let early = run("touch ran", ["--max-age", "nonsense"])
    #expect(early.code != 0)
    #expect(bench.text(of: "ran") == "" && FileTree.mode(of: bench.path + "/ran") == nil)
  }
}
