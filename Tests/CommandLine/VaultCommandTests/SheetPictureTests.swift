import Testing
import VaultTestSupport

/// A sheet on paper: printed, turned into a picture, and read again.
@Suite("Printed recovery sheets", .serialized)
struct SheetPictureTests {
  private static let tools = Need(
    Need.qrencode.isMet && Need.command("zbarimg").isMet && Need.command("pdftoppm").isMet && Need.cairo.isMet,
    otherwise: "libqrencode, libcairo2, zbar-tools or poppler-utils is not installed")

  private func made(_ name: String, _ more: String...) throws -> Workspace {
    let workspace = try Workspace.withCustomers()
    let made = workspace.run(["key", "sheet", "-o", name, "--vault", "v", "--identity", "id.txt"] + more)
    try #require(made.code == 0, "\(made.errors)")
    return workspace
  }

  @Test(
    "a PDF, as it is or printed and scanned, opens the vault, on both sizes of paper, and no copy stays",
    .enabled(if: tools.isMet(forCases: 2, of: "printed recovery sheets")), arguments: ["a4", "letter"])
  func pdf(_ paper: String) throws {
    let workspace = try made("s.pdf", "--paper", paper)
    #expect(FileTree.mode(of: workspace.path + "/s.pdf") == 0o600)
    workspace.prepare("pdftoppm -r 150 -gray -png s.pdf scan; test \"$(ls scan*)\" = scan-1.png")
    workspace.prepare("pdftoppm -r 120 -jpeg -singlefile s.pdf scan; pdfinfo s.pdf >info")
    #expect(workspace.text(of: "info").contains("Pages:           1"))
    #expect(workspace.text(of: "info").contains(paper == "a4" ? "(A4)" : "(letter)"), "\(workspace.text(of: "info"))")
    let before = Set(FolderState(below: workspace.path).map { $0.0 })
    for words in [["s.pdf"], ["scan-1.png"], ["scan.jpg"]] {
      let checked = workspace.run(["key", "sheet", "--vault", "v", "--check"] + words)
      #expect(checked.code == 0, "\(words): \(checked.errors)")
      #expect(checked.output.contains("opened: v"), "\(checked.output)")
    }
    workspace.prepare("\(Binary.path) key sheet --vault v --check - <scan-1.png")
    let after = Set(FolderState(below: workspace.path).map { $0.0 })
    #expect(after.subtracting(before).filter { !$0.hasPrefix("state/") } == [])
  }

  @Test(
    "the text of a PDF is the text of the sheet, so that it can be typed from paper",
    .enabled(if: tools.isMet(forCases: 1, of: "printed recovery sheets")))
  func text() throws {
    let workspace = try made("s.pdf")
    workspace.prepare("pdftotext -layout s.pdf s.txt")
    let text = workspace.text(of: "s.txt")
    #expect(text.contains("RECOVERY SHEET"), "\(text)")
    let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
    let words = (5...8).compactMap { number in lines.first { $0.hasPrefix("\(number) ") }.map(String.init) }
    #expect(words.count == 4, "\(text)")
    #expect(workspace.checkSheet(words.joined(separator: "\n")).code == 0)
  }

  @Test(
    "a picture without the code of a sheet, and a PDF that is none, are refused (17)",
    .enabled(if: tools.isMet(forCases: 1, of: "printed recovery sheets")))
  func others() throws {
    let workspace = try made("s.pdf")
    workspace.prepare("pdftoppm -r 20 -png -singlefile s.pdf small; printf '%%PDF-1.4 no' >none.pdf")
    for (name, told) in [
      ("small.png", "has no QR code of a sheet that zbarimg can read"),
      ("none.pdf", "is not a PDF that pdftoppm can read"),
    ] {
      let refused = workspace.run("key", "sheet", "--vault", "v", "--check", name)
      #expect(refused.status == .inputRefused, "\(refused.errors)")
      #expect(refused.errors.contains(told), "\(refused.errors)")
    }
    let bare = workspace.run("key", "sheet", "--vault", "v", "--check", "s.pdf", adding: ["PATH": "/nonexistent"])
    #expect(bare.status == .failed, "\(bare.errors)")
    #expect(bare.errors.contains("is a picture, and pdftoppm is not installed"), "\(bare.errors)")
  }

  @Test("a PDF for a terminal is refused, and libraries that are missing are named", .atTerminal)
  func refusals() throws {
    let workspace = try Workspace.withVault()
    var plan = workspace.plan(["key", "sheet", "--format", "pdf", "--vault", "v", "--identity", "id.txt"])
    (plan.terminal, plan.outputOnTerminal) = ([], true)
    let refused = plan.run()
    #expect(refused.status == .usage, "\(refused.errors)")
    #expect(!refused.shown.contains("AGE-"))
  }
}

/// What the sheet says of a recovery, done as it stands there on a machine that has nothing else.
@Suite("Recovery by the text of a sheet")
struct SheetRecoveryTests {
  private static let (withProgram, without) = ("RECOVERY WITH THE PROGRAM", "RECOVERY WITHOUT IT")

  private func made(stem: String = "v") throws -> (Workspace, SheetText) {
    let workspace = try Workspace.withCustomers()
    workspace.prepare("mkdir 'back ups'")
    #expect(workspace.open("backup", "create", "--to", "back ups", "--name", stem).code == 0)
    let sheet = try workspace.sheet()
    #expect(workspace.open("backup", "create", "--to", "back ups", "--name", stem).code == 0)
    return (workspace, sheet)
  }

  /// Runs the commands of a sheet in a new folder, with the key typed into the first one.
  private func run(
    _ commands: [String], _ sheet: SheetText, in workspace: Workspace, path: String = "/usr/bin:/bin"
  ) -> ProcessOutcome {
    workspace.prepare("rm -rf desk elsewhere; mkdir -p desk elsewhere bin; ln -sf \(Binary.path) bin/vault")
    var plan = ProcessRun(
      path: "/bin/sh", arguments: ["-c", commands.map { $0 + " || exit 9\n" }.joined()],
      environment: [
        "HOME": workspace.path + "/elsewhere", "PATH": "\(workspace.path)/bin:\(path)", "LANG": "C.UTF-8",
        "TMPDIR": workspace.path + "/tmp",
      ], directory: workspace.path + "/desk")
    plan.input = Array((sheet.identity + "\n").utf8)
    return plan.run()
  }

  @Test("with the program: the vault and its newest backup open, and the restored vault has every record")
  func program() throws {
    let (workspace, sheet) = try made(stem: "team-a")
    let commands = sheet.commands(below: Self.withProgram)
    #expect(commands.count == 5, "\(sheet.text)")
    let run = run(commands, sheet, in: workspace)
    #expect(run.code == 0, "\(run.errors)\(run.output)")
    #expect(run.output.contains("Shai Mishali"), "\(run.output)")
    #expect(FileTree.mode(of: workspace.path + "/desk/sheet.key") == nil)
    #expect(FileTree.mode(of: workspace.path + "/desk/recovered/vault.json") != nil)
  }

  @Test("without the program: age, tar and recovery.py show every record, also after a rekey")
  func withoutProgram() throws {
    guard let python = ReferencePython.path, Need.command("age").isMet else {
      return Need.notRun("recovery by the text of a sheet", "age, or " + ReferencePython.need)
    }
    let (workspace, sheet) = try made()
    #expect(workspace.open("rekey", "--reseal", "--yes").code == 0)
    _ = workspace.write("eleven quiet otters\n", to: "new")
    #expect(workspace.open("key", "add", "--passphrase", "--new-passphrase-file", "new").code == 0)
    workspace.prepare("sleep 1")
    #expect(workspace.open("backup", "create", "--to", "back ups").code == 0)
    let commands = sheet.commands(below: Self.without)
    #expect(commands.count == 5, "\(sheet.text)")
    let outer = ProcessRun(path: "/usr/bin/env", arguments: ["which", python], environment: [:]).run()
    let program = python.hasPrefix("/") ? python : String(outer.output.dropLast())
    _ = workspace.write("#!/bin/sh\nexec \(program.isEmpty ? "/usr/bin/python3" : program) \"$@\"\n", to: "python3")
    workspace.prepare("mkdir -p bin; mv python3 bin; chmod +x bin/python3")
    let listing = [
      "cp '\(OwnVectors.package)/docs/recovery.py' ."
    ]
    let run = run(listing + commands, sheet, in: workspace)
    #expect(run.code == 0, "\(run.errors)\(run.output)")
    let shown = Set(run.output.split(separator: "\n").compactMap { JSON(Array($0.utf8))["access_key"]?.text })
    let secrets = Set(try Fixture.longSecrets().map { String(decoding: $0, as: UTF8.self) })
    #expect(secrets.count > 20 && secrets.isSubset(of: shown), "\(secrets.subtracting(shown).count)")
  }
}
