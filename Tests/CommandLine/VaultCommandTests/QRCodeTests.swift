import Testing
import VaultTestSupport

@Suite(
  "QR codes", .atTerminal, .enabled(if: Need.qrencode.isMet(forCases: 5, of: "QR codes")))
struct QRCodeTests {
  private static let key = ["--vault", "v", "--identity", "id.txt"]

  private func made(_ password: String) throws -> Workspace {
    let workspace = try Workspace.withVault()
    let added = workspace.open(
      "add", "login", "title=Guest network", "username=ada", "--secret-stdin", "password", input: password)
    try #require(added.code == 0, "\(added.errors)")
    return workspace
  }

  private func run(
    _ workspace: Workspace, _ words: [String], screen: (UInt16, UInt16) = (0, 0), adding: [String: String] = [:]
  ) -> ProcessOutcome {
    var plan = workspace.plan(words + Self.key)
    plan.terminal = []
    plan.outputOnTerminal = true
    plan.screen = screen
    plan.environment.merge(adding) { $1 }
    return plan.run()
  }

  /// The code as a reader sees it: a picture of the lines, four dots per module.
  private func read(_ shown: String, in workspace: Workspace) throws -> String {
    let drawn = shown.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("\u{1B}[30;107m") }
    let lines = drawn.map { Array($0.dropFirst("\u{1B}[30;107m".count).dropLast("\u{1B}[0m".count)) }
    let width = try #require(lines.first?.count)
    #expect(lines.allSatisfy { $0.count == width && $0.allSatisfy { " █▀▄".contains($0) } })
    let rows = lines.flatMap { line in [line.map { "█▀".contains($0) }, line.map { "█▄".contains($0) }] }
    var picture = Array("P5 \(width * 4) \(rows.count * 4) 255\n".utf8)
    for row in rows {
      let dots = row.flatMap { [UInt8](repeating: $0 ? 0 : 255, count: 4) }
      for _ in 0..<4 { picture += dots }
    }
    FileTree.write(picture, to: workspace.path + "/code.pgm")
    let zbar = ProcessRun(
      path: "/usr/bin/zbarimg", arguments: ["--quiet", "--raw", "--nodbus", "code.pgm"],
      environment: workspace.environment, directory: workspace.path
    ).run()
    #expect(zbar.code == 0, "\(zbar.errors)")
    return String(zbar.output.dropLast())
  }

  @Test(
    "what a camera reads is the value",
    .enabled(if: Need.command("zbarimg").isMet(forCases: 5, of: "QR codes, read again")),
    arguments: [
      "hunter2", "grüße – 東京", "$(x)`'\"\\;:,\u{1B}[31m", "line one\nline two\n\tthree",
      String(repeating: "0123456789abcdef", count: 60),
    ])
  func values(_ password: String) throws {
    let workspace = try made(password)
    let drawn = run(workspace, ["get", "Guest network", "password", "--qr"])
    #expect(drawn.code == 0, "\(drawn.errors)")
    #expect(drawn.stdout.isEmpty)
    #expect(!drawn.shown.contains(password))
    #expect(try read(drawn.shown, in: workspace) == password)
  }

  @Test(
    "readable values, references, one-time codes and addresses are drawn as they would be printed",
    .enabled(if: Need.command("zbarimg").isMet(forCases: 1, of: "QR codes, read again")))
  func forms() throws {
    let workspace = try made("hunter2")
    let set = workspace.open("set", "Guest network", "--secret-stdin", "totp", input: "JBSWY3DPEHPK3PXP")
    #expect(set.code == 0)
    let database = workspace.open(
      "add", "database", "title=Db", "engine=postgresql", "host=db.example.com", "database=app", "user=ada",
      "--secret-stdin", "password", input: "p@ss")
    try #require(database.code == 0, "\(database.errors)")
    func drawn(_ words: String...) throws -> String {
      let drawn = run(workspace, words + ["--qr"])
      #expect(drawn.code == 0, "\(words): \(drawn.errors)")
      return try read(drawn.shown, in: workspace)
    }
    #expect(try drawn("get", "Guest network", "username") == "ada")
    #expect(try drawn("get", "cvault://Guest%20network/password") == "hunter2")
    let code = try drawn("get", "cvault://Guest%20network/totp?view=otp")
    #expect(code.count == 6)
    #expect(code.allSatisfy { $0.isNumber })
    #expect(try drawn("get", "Db", "--url") == workspace.open("get", "Db", "--url").output)
    #expect(try drawn("otp", "Guest network") == "otpauth://totp/Guest%20network?secret=JBSWY3DPEHPK3PXP")
  }

  @Test("it is drawn at a terminal only, before a key is asked for")
  func nowhereElse() throws {
    let workspace = try made("hunter2")
    let words = ["get", "Guest network", "password", "--qr"]
    for refused in [
      // Without a key, because the refusal comes first.
      workspace.run(words + ["--vault", "v"]), workspace.run(words + Self.key), run(workspace, words + ["--json"]),
      run(workspace, words, adding: ["TERM": "dumb"]),
    ] {
      #expect(refused.status == .inputRefused, "\(refused.errors)")
      #expect(refused.stdout.isEmpty, "\(refused.errors)")
      #expect(refused.errors.contains("needs a terminal to draw on"))
      #expect(!refused.shown.contains("█"))
    }
    workspace.prepare("! \(Binary.path) get 'Guest network' password --qr --vault v --identity id.txt >code.txt 2>&1")
    #expect(!workspace.text(of: "code.txt").contains("█"))
    let hidden = run(workspace, words, adding: ["CVAULT_NO_REVEAL": "1"])
    #expect(hidden.status == .declined)
    #expect(!hidden.shown.contains("█"))
  }

  @Test("a screen that cannot show all of it is told how large it would have to be, and none is cut")
  func screens() throws {
    let workspace = try made("hunter2")
    let words = ["get", "Guest network", "password", "--qr"]
    // Version 1 has 21 modules, and 4 of light on both sides.
    for (screen, fits) in [((29, 16), true), ((80, 24), true), ((28, 16), false), ((29, 15), false)] {
      let drawn = run(workspace, words, screen: (UInt16(screen.0), UInt16(screen.1)))
      #expect(drawn.code == (fits ? 0 : 17), "\(screen): \(drawn.errors)")
      #expect(drawn.shown.contains("█") == fits)
      let reason = "needs 29 columns and 16 lines, but the terminal has \(screen.0) and \(screen.1)"
      #expect(drawn.errors.contains(reason) != fits, "\(drawn.errors)")
    }
    // With less to spare for faults 17 characters fit into version 1, otherwise 14.
    #expect(workspace.open("set", "Guest network", "--secret-stdin", "password", input: "abcdefghijklmnop").code == 0)
    #expect(run(workspace, words, screen: (29, 16)).code == 0)
    #expect(run(workspace, words, screen: (80, 18)).shown.contains(String(repeating: " ", count: 33)))
  }

  @Test("what is longer than any code is refused")
  func tooLong() throws {
    let workspace = try made(String(repeating: "x", count: 2953))
    let words = ["get", "Guest network", "password", "--qr"]
    #expect(run(workspace, words).code == 0)
    let set = workspace.open(
      "set", "Guest network", "--secret-stdin", "password", input: String(repeating: "x", count: 2954))
    #expect(set.code == 0)
    let refused = run(workspace, words)
    #expect(refused.status == .inputRefused)
    #expect(refused.errors.contains("the value is too long for a QR code, which holds 2,953 bytes"))
  }
}
