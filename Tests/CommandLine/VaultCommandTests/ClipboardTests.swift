import Testing
import VaultTestSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The commands `copy` and `otp`, with a clipboard that is a file.
@Suite("Clipboard and codes")
struct ClipboardTests {
  /// A workspace with a login, and tools in its `bin` of which only the given ones are there.
  private static func made(_ tools: String...) throws -> (Workspace, adding: [String: String]) {
    let workspace = try Workspace.withVault()
    let added = workspace.open(
      "add", "login", "title=GitHub", "username=ada", "--secret-file",
      "totp=\(workspace.write("JBSW Y3DP EHPK 3PXP", to: "seed"))",
      "--secret-stdin", "password", input: "pass word")
    try #require(added.code == 0, "\(added.errors)")
    for tool in tools {
      let script = workspace.write(
        """
        #!/bin/sh
        echo "$0 $*" >> \(workspace.path)/calls
        case "$*" in
        *--help*) echo ' --sensitive' ;;
        *-out*|*--output*|*no-newline*) /bin/cat \(workspace.path)/board ;;
        *--clear*) : > \(workspace.path)/board ;;
        *) /bin/cat > \(workspace.path)/board; [ -z "${FAIL_COPY:-}" ] ;;
        esac
        """, to: "bin-\(tool)")
      workspace.prepare("mkdir -p bin; mv \(script) bin/\(tool); chmod 700 bin/\(tool)")
    }
    return (workspace, ["PATH": "\(workspace.path)/bin", "DISPLAY": ":0"])
  }

  /// Whether something becomes true in time.
  private func waits(forSeconds seconds: Int = 20, _ condition: () -> Bool) -> Bool {
    for _ in 0..<seconds * 20 {
      if condition() { return true }
      usleep(50_000)
    }
    return false
  }

  @Test("copy gives the main secret to the tool, says so, and leaves it alone when it has changed")
  func copying() throws {
    let (workspace, variables) = try Self.made("xclip")
    let copied = workspace.open("copy", "GitHub", "--clear-after", "1", adding: variables)
    #expect(copied.code == 0)
    #expect(copied.stdout.isEmpty)
    #expect(copied.errors == "note: password of GitHub: copied for 1 s\n")
    #expect(workspace.text(of: "board") == "pass word")
    #expect(waits { workspace.text(of: "board").isEmpty })
    #expect(workspace.open("copy", "GitHub", "username", "--clear-after", "1", adding: variables).code == 0)
    #expect(workspace.text(of: "board") == "ada")
    _ = workspace.write("mine", to: "board")
    #expect(waits { !FileTree.files(below: workspace.path + "/state").contains("clipboard") })
    #expect(workspace.text(of: "board") == "mine")
    #expect(!workspace.text(of: "calls").contains("pass"))
  }

  @Test("copying again begins the time again")
  func copyingAgain() throws {
    let (workspace, variables) = try Self.made("xsel")
    #expect(workspace.open("copy", "GitHub", "--clear-after", "1", adding: variables).code == 0)
    #expect(workspace.open("copy", "GitHub", "--clear-after", "0", adding: variables).code == 0)
    #expect(!waits(forSeconds: 3) { workspace.text(of: "board").isEmpty })
    #expect(workspace.text(of: "board") == "pass word")
  }

  @Test("Wayland comes first, with the hint for histories where its tool has it")
  func wayland() throws {
    var (workspace, variables) = try Self.made("wl-copy", "wl-paste", "xclip")
    variables["WAYLAND_DISPLAY"] = "wayland-1"
    let copied = workspace.open("copy", "GitHub", "--once", "--primary", "--clear-after", "0", "-v", adding: variables)
    #expect(copied.code == 0)
    #expect(copied.errors.contains("note: password of GitHub: copied, and not cleared, to paste once\n"))
    #expect(copied.errors.contains("note: clipboard histories are told not to keep the value\n"))
    #expect(workspace.text(of: "calls").contains("wl-copy --sensitive --primary --paste-once\n"))
  }

  @Test("without a way to the clipboard nothing is printed in its place")
  func failures() throws {
    var (workspace, variables) = try Self.made("xclip")
    let failed = workspace.open("copy", "GitHub", adding: variables.merging(["FAIL_COPY": "1"]) { $1 })
    #expect(failed.status == .inputOutput)
    #expect(failed.stdout.isEmpty)
    #expect(failed.errors.hasPrefix("vault: xclip cannot reach the clipboard (exit status 1)\n"))
    variables["DISPLAY"] = nil
    let none = workspace.open("copy", "GitHub", adding: variables)
    #expect(none.status == .inputOutput)
    #expect(none.stdout.isEmpty)
    #expect(none.errors.contains("neither WAYLAND_DISPLAY nor DISPLAY is set"))
    let noTool = workspace.open("copy", "GitHub", adding: ["DISPLAY": ":0", "PATH": workspace.path])
    #expect(noTool.status == .inputOutput)
    #expect(noTool.errors.contains("there is no xclip or xsel"))
    #expect(workspace.open("copy", "GitHub", "--clear-after", "-1", adding: variables).status == .usage)
    #expect(workspace.open("copy", "GitHub", "--via", "osc52", "--once", adding: variables).status == .usage)
    #expect(workspace.open("copy", "GitHub", "nosuch", "--via", "x11", adding: variables).status == .notFound)
    for outcome in [failed, none, noTool] { #expect(!outcome.errors.contains("pass word")) }
  }

  @Test("the terminal gets it as OSC 52 when that is asked for", .atTerminal)
  func terminal() throws {
    let (workspace, _) = try Self.made()
    let copied = workspace.type(
      ["copy", "GitHub", "--via", "osc52", "--vault", "v", "--identity", "id.txt"], [], errorsOnTerminal: true)
    #expect(copied.code == 0)
    #expect(copied.shown.contains("\u{1B}]52;c;cGFzcyB3b3Jk\u{07}"))
    #expect(copied.shown.contains("given to the terminal, and not cleared"))
  }

  @Test("CVAULT_CLIPBOARD says which way is taken without --via, which goes before it", .atTerminal)
  func variable() throws {
    let (workspace, variables) = try Self.made("xclip")
    let words = ["copy", "GitHub", "--vault", "v", "--identity", "id.txt"]
    let usual = workspace.type(words, [], errorsOnTerminal: true, adding: ["CVAULT_CLIPBOARD": "osc52"])
    #expect(usual.code == 0, "\(usual.shown)")
    #expect(usual.shown.contains("\u{1B}]52;c;cGFzcyB3b3Jk\u{07}"))
    let other = workspace.type(
      words + ["--via", "x11", "--clear-after", "0"], [],
      adding: variables.merging(["CVAULT_CLIPBOARD": "osc52"]) { $1 })
    #expect(other.code == 0, "\(other.errors)")
    #expect(workspace.text(of: "board") == "pass word")
    let wrong = workspace.open("copy", "GitHub", adding: variables.merging(["CVAULT_CLIPBOARD": "osc"]) { $1 })
    #expect(wrong.status == .usage)
    #expect(wrong.errors.contains("which is not a way to copy"), "\(wrong.errors)")
    let none = workspace.open("copy", "GitHub")
    #expect(none.errors.contains("CVAULT_CLIPBOARD=osc52"), "\(none.errors)")
  }

  @Test(
    "the text that was in the clipboard comes back, and nothing that is no text",
    arguments: [("my own text\n", true), ("مرحبا", true), ("", false), ("\u{0}binary", false)], ["xclip", "xsel"])
  func givenBack(_ before: (text: String, comesBack: Bool), _ tool: String) throws {
    let (workspace, variables) = try Self.made(tool)
    _ = workspace.write(before.text, to: "board")
    #expect(workspace.open("copy", "GitHub", "--clear-after", "1", adding: variables).code == 0)
    #expect(workspace.text(of: "board") == "pass word")
    let expected = before.comesBack ? before.text : ""
    #expect(waits { workspace.text(of: "board") == expected }, "\(workspace.text(of: "board").debugDescription)")
    #expect(waits { !FileTree.files(below: workspace.path + "/state").contains("clipboard") })
    #expect(!workspace.text(of: "calls").contains("own text"))
  }

  @Test("a value that an earlier copy has put there is not given back")
  func earlierCopy() throws {
    let (workspace, variables) = try Self.made("xclip")
    #expect(workspace.open("copy", "GitHub", "username", "--clear-after", "30", adding: variables).code == 0)
    #expect(workspace.open("copy", "GitHub", "--clear-after", "1", adding: variables).code == 0)
    #expect(waits { workspace.text(of: "board").isEmpty })
    #expect(waits { !FileTree.files(below: workspace.path + "/state").contains("clipboard") })
    #expect(workspace.text(of: "board").isEmpty)
  }

  @Test("several secrets, or none, have to be named")
  func mainSecret() throws {
    let workspace = try Workspace.withCustomers()
    let several = workspace.open("copy", "Shai Mishali", "--via", "x11")
    #expect(several.status == .usage)
    #expect(several.errors.contains("the record has several: access_key, atm_code"))
    let none = workspace.open("otp", "Shai Mishali")
    #expect(none.status == .notFound)
    #expect(none.errors.hasPrefix("vault: Shai Mishali has no key for one-time codes\n"))
    #expect(none.errors.contains("hint: records of the kind customer have no field for it"), "\(none.errors)")
    #expect(workspace.open("add", "login", "title=Mail box").code == 0)
    let login = workspace.open("otp", "Mail box")
    #expect(login.errors.contains("hint: `vault set 'Mail box' --secret totp` adds one"), "\(login.errors)")
  }

  @Test("otp prints a code and nothing else, and how long it is good")
  func codes() throws {
    let (workspace, variables) = try Self.made("xclip")
    let code = workspace.open("otp", "GitHub")
    #expect(code.code == 0)
    #expect(code.output.count == 7)
    #expect(code.output.dropLast().allSatisfy { $0.isNumber })
    #expect(code.errors.hasPrefix("note: good for "))
    let document = JSON(workspace.open("otp", "GitHub", "--json").stdout)
    #expect(document["period"]?.number == 30)
    #expect((1...30).contains(Int(document["remaining"]?.number ?? 0)))
    #expect(document["code"]?.text?.count == 6)
    #expect(document["path"]?.text == "totp")
    let address = workspace.open("otp", "GitHub", "--uri").output
    #expect(address == "otpauth://totp/GitHub?secret=JBSWY3DPEHPK3PXP\n")
    let copied = workspace.open("otp", "GitHub", "--copy", "--clear-after", "0", adding: variables)
    #expect(copied.code == 0)
    #expect(copied.stdout.isEmpty)
    #expect(workspace.text(of: "board").count == 6)
    #expect(workspace.open("otp", "GitHub", "--qr").status == .inputRefused)
    #expect(workspace.open("otp", "GitHub", "--uri", "--copy", adding: variables).status == .usage)
  }

  @Test("a key of one-time codes is checked when a person gives it")
  func checkedKeys() throws {
    let (workspace, _) = try Self.made()
    let refused = workspace.open("set", "GitHub", "--secret-stdin", "totp", input: "1l0O8")
    #expect(refused.status == .inputRefused)
    #expect(refused.errors == "vault: totp is not a key of one-time codes: it is not base32\n")
    let short = workspace.open("set", "GitHub", "--secret-stdin", "totp", input: "JBSWY3DP")
    #expect(short.code == 0)
    #expect(short.errors.contains("should have at least 80 bits; this key has 40"))
  }
}
