import Testing
import VaultTestSupport

/// A vault with a login, whose password has quotes and two lines, and a database.
private func makeWorkspace() throws -> Workspace {
  let workspace = try Workspace.withVault()
  let login = workspace.open(
    "add", "login", "GitHub", "--set", "username=ada", "--secret-stdin", "password", input: "p w\"x\n2")
  #expect(login.code == 0, "\(login.errors)")
  #expect(workspace.open("set", "GitHub", "--secret-stdin", "totp", input: "JBSWY3DPEHPK3PXP").code == 0)
  let database = workspace.open(
    "add", "database", "Orders", "--set", "engine=postgresql", "--set", "host=h", "--set", "database=d", "--set",
    "user=u", "--secret-stdin", "password", input: "s3cret")
  #expect(database.code == 0, "\(database.errors)")
  return workspace
}

extension Workspace {
  /// `vault run` with these options, of a command line of the shell.
  fileprivate func runShell(
    _ options: [String], _ script: String, adding: [String: String] = [:]
  ) -> ProcessOutcome {
    run(
      ["run", "--vault", vault, "--identity", identity, "--redact", "never"] + options + ["--", "sh", "-c", script],
      adding: adding)
  }
}

@Suite("vault run")
struct RunTests {
  @Test("a program gets values in variables, in memory files and on standard input, byte for byte, and ends as it does")
  func forms() throws {
    let workspace = try makeWorkspace()
    let both = workspace.runShell(
      ["--env", "A=cvault://GitHub/password", "--env", "B=cvault://GitHub/username"], #"printf "%s|$B" "$A"; exit 7"#)
    #expect(both.code == 7)
    #expect(both.output == "p w\"x\n2|ada")
    #expect(both.errors == "")
    let file = workspace.runShell(
      ["--fd", "F=cvault://GitHub/password"], #"cat "$F" "$F"; (echo x > "$F") 2>/dev/null || echo sealed"#)
    #expect(file.output == "p w\"x\n2p w\"x\n2sealed\n")
    #expect(workspace.runShell(["--stdin", "cvault://GitHub/password"], "cat").output == "p w\"x\n2")
    let views = workspace.runShell(
      ["--env", "U=cvault://Orders?view=url", "--env", "O=cvault://GitHub/totp?view=otp"], #"echo "$U ${#O}""#)
    #expect(views.output == "postgresql://u:s3cret@h/d 6\n")
    // Killed by a signal, it is this process that is.
    #expect(workspace.runShell([], "kill -TERM $$").code == -15)
    #expect(workspace.runShell([], "kill -PIPE $$").code == -13)
  }

  @Test("nothing runs when one reference fails, and what fails here is 125")
  func allOrNothing() throws {
    let workspace = try makeWorkspace()
    for reference in [
      "cvault://Nope/password", "cvault://GitHub/nope", "cvault://git/password", "cvault://GitHub?view=url", "GitHub",
      "cvault://GitHub/username?view=otp", "cvault://github/password",
    ] {
      let outcome = workspace.runShell(
        ["--env", "OK=cvault://GitHub/username", "--env", "A=\(reference)"], "touch ran")
      #expect(outcome.status == .notRun, "\(reference): \(outcome.errors)")
      #expect(outcome.errors.hasPrefix("vault: "))
    }
    for words in [["run"], ["run", "x"], ["run", "--nope"], ["run", "--inherit", "X", "--", "touch", "ran"]] {
      #expect(workspace.run(words + ["--vault", "v"]).status == .notRun, "\(words)")
    }
    let locked = workspace.run("run", "--vault", "v", "--env", "A=cvault://GitHub/password", "--", "touch", "ran")
    #expect(locked.status == .notRun)
    #expect(locked.errors.contains("no key is given"))
    let json = workspace.open("run", "--json", "--env", "A=cvault://GitHub/nope")
    #expect(json.status == .notRun)
    #expect(json.errors.contains("no program is named"))
    #expect(FileTree.kind(of: workspace.path + "/ran") == nil)
    #expect(
      workspace.run("run", "--vault", "v", "--identity", "id.txt", "--", "no-such-program").status == .commandNotFound)
    #expect(workspace.run("run", "--vault", "v", "--identity", "id.txt", "--", "/etc/passwd").status == .cannotExecute)
  }

  @Test("a damaged record is delivered to nobody")
  func damaged() throws {
    let workspace = try makeWorkspace()
    let file = workspace.vault + "/" + (try workspace.recordFile("GitHub"))
    let text = String(decoding: FileTree.contents(of: file) ?? [], as: UTF8.self)
    FileTree.write(Array(text.replacing("\"ada\"", with: "\"eve\"").utf8), to: file)
    let outcome = workspace.runShell(["--env", "A=cvault://GitHub/password"], "touch ran")
    #expect(outcome.status == .notRun, "\(outcome.errors)")
    #expect(outcome.errors.contains("records/"), "\(outcome.errors)")
    #expect(outcome.errors.contains("A of --env"), "\(outcome.errors)")
    #expect(FileTree.kind(of: workspace.path + "/ran") == nil)
  }

  @Test("files of variables: options go before them, later ones before earlier ones; the environment is opt-in")
  func sources() throws {
    let workspace = try makeWorkspace()
    _ = workspace.write("A=cvault://GitHub/username\nB='x y'\nC=one\n", to: "a.env")
    _ = workspace.write("C=two\n", to: "b.env")
    let script = #"echo "$A|$B|$C""#
    let outcome = workspace.runShell(
      ["--env-file", "a.env", "--env-file", "b.env", "--env", "B=cvault://GitHub/username"], script)
    #expect(outcome.output == "ada|ada|two\n")
    #expect(
      outcome.errorLines == [
        "note: C of a.env, line 3 is replaced by b.env, line 1", "note: B of a.env, line 2 is replaced by --env",
      ])
    #expect(workspace.runShell(["--env-file", "a.env", "--only", "B"], script).output == "|x y|\n")
    #expect(workspace.runShell(["--env-file", "a.env", "--only", "X"], script).status == .notRun)
    let inherited = ["A": "cvault://GitHub/username"]
    let left = workspace.runShell([], script, adding: inherited)
    #expect(left.output == "cvault://GitHub/username||\n")
    #expect(left.errors.contains("--from-environment"))
    #expect(workspace.runShell(["--from-environment"], script, adding: inherited).output == "ada||\n")
    for line in ["PATH=/x", "CVAULT_DIR=x", "LD_PRELOAD=x", "A", "A=cvault://GitHub"] {
      _ = workspace.write("OK=1\n\(line)\n", to: "bad.env")
      let refused = workspace.runShell(["--env-file", "bad.env"], "touch ran")
      #expect(refused.status == .notRun, "\(refused.errors)")
      #expect(refused.errors.contains("vault: bad.env: line 2: "), "\(refused.errors)")
      let name = line.prefix { $0 != "=" }
      let hint = name.count > 1 ? "set \(name) outside the file: `\(name)=… vault run …`" : "write one NAME="
      #expect(refused.errors.contains("hint: " + hint), "\(refused.errors)")
    }
    #expect(workspace.runShell(["--env", "A=cvault://a/b", "--env", "A=cvault://a/b"], script).status == .notRun)
    #expect(FileTree.kind(of: workspace.path + "/ran") == nil)
  }

  @Test("our own variables stay here, --pristine leaves little, and bytes that are no text pass through")
  func environment() throws {
    let workspace = try makeWorkspace()
    let own = workspace.runShell([], "env | grep -c ^CVAULT_", adding: ["CVAULT_LABEL": "x"])
    #expect(own.output == "0\n")
    #expect(workspace.runShell(["--pass-vault"], "echo $CVAULT_LABEL", adding: ["CVAULT_LABEL": "x"]).output == "x\n")
    let names = workspace.runShell(
      ["--pristine", "--inherit", "KEPT", "--env", "A=cvault://GitHub/username"], "env | sed 's/=.*//' | sort",
      adding: ["KEPT": "1", "LOST": "2"])
    let left = Set(names.output.split(separator: "\n"))
    #expect(left.isSuperset(of: ["A", "KEPT", "PATH", "HOME"]))
    #expect(!left.contains("LOST"))
    #expect(!left.contains("TMP"))
    let program = "\(Binary.path) run --vault v --identity id.txt -- sh -c 'printf %s \"$N$1\" > out'"
    workspace.prepare(#"export N=$(printf '\377'); "# + program + #" x "$(printf '\376')""#)
    #expect(FileTree.contents(of: workspace.path + "/out") == [0xFF, 0xFE])
    #expect(workspace.runShell([], "grep SigBlk /proc/self/status").output.hasSuffix("\t0000000000000000\n"))
  }

  @Test(
    "CVAULT_NO_REVEAL and --no-reveal: nothing sealed is shown, programs get it nevertheless, and hide it", .atTerminal)
  func noReveal() throws {
    let workspace = try makeWorkspace()
    let variable = ["CVAULT_NO_REVEAL": ""]
    for words in [
      ["get", "GitHub", "password"], ["get", "Orders", "--url"], ["show", "GitHub", "--reveal"], ["otp", "GitHub"],
      ["export", "--reveal", "--yes", "--format", "json"], ["otp", "GitHub", "--uri"],
    ] {
      for outcome in [
        workspace.run(words + ["--vault", "v", "--identity", "id.txt"], adding: variable),
        workspace.run(["--no-reveal"] + words + ["--vault", "v", "--identity", "id.txt"]),
      ] {
        #expect(outcome.status == .declined, "\(words): \(outcome.errors)")
        #expect(outcome.stdout.isEmpty, "\(words): \(outcome.errors)")
      }
    }
    #expect(
      workspace.type(["edit", "GitHub", "--vault", "v", "--identity", "id.txt"], [], adding: variable).status
        == .declined)
    #expect(workspace.run("show", "GitHub", "--vault", "v", adding: variable).code == 0)
    let words = ["--vault", "v", "--identity", "id.txt", "--env", "A=cvault://Orders/password", "--", "sh", "-c"]
    for start in [["run"], ["--no-reveal", "run"]] {
      let run = workspace.run(
        start + words + ["echo ${#A} \"${CVAULT_NO_REVEAL-unset}\""], adding: start == ["run"] ? variable : [:])
      #expect(run.output == (start == ["run"] ? "6 \n" : "6 1\n"), "\(run)")
      let shown = workspace.run(
        start + ["--redact", "never"] + words + ["touch ran"], adding: start == ["run"] ? variable : [:])
      #expect(shown.status == .notRun, "\(shown)")
    }
    let passed = workspace.run(
      ["--no-reveal", "run"] + words + ["env | grep ^CVAULT_"], adding: ["CVAULT_ALLOW_REVEAL": "1"])
    #expect(passed.output == "CVAULT_NO_REVEAL=1\n", "\(passed)")
    #expect(FileTree.kind(of: workspace.path + "/ran") == nil)
  }

  @Test("--dry-run tells it all without a key, and ends with 14 when something would be refused")
  func preview() throws {
    let workspace = try makeWorkspace()
    let words = ["run", "--vault", "v", "--dry-run", "--env", "A=cvault://GitHub/password"]
    let good = workspace.run(words)
    #expect(good.code == 0, "\(good.errors)")
    #expect(good.output.contains("sealed 20"), "\(good.errors)")
    #expect(good.output.contains("GitHub"), "\(good.errors)")
    let bad = workspace.run(words + ["--fd", "B=cvault://Gone/x"])
    #expect(bad.status == .findings)
    #expect(bad.output.contains("fault"))
    #expect(bad.errors.contains("cvault://Gone/x"))
    let document = JSON(workspace.run(words + ["--json"]).stdout)
    #expect(document["deliveries"]?[0]?["record"]?.text == "GitHub")
    #expect(document["verified"]?.bool == false)
  }
}

@Suite("vault ref and refs")
struct ReferenceCommandTests {
  @Test("ref prints what get, copy, otp and run take; a new name is told by the label")
  func references() throws {
    let workspace = try makeWorkspace()
    let reference = workspace.run("ref", "GitHub", "password", "--vault", "v").output.filter { $0 != "\n" }
    #expect(reference.hasPrefix("cvault://"))
    #expect(reference.hasSuffix("/password#GitHub"))
    #expect(workspace.open("get", reference).output == "p w\"x\n2")
    let named = workspace.run("ref", "GitHub", "totp", "--view", "otp", "--name", "--vault", "v").output
    #expect(named == "cvault://GitHub/totp?view=otp\n")
    #expect(workspace.open("get", "cvault://GitHub/totp?view=otp").output.utf8.count == 6)
    #expect(workspace.open("otp", "cvault://GitHub/totp").code == 0)
    #expect(workspace.open("get", reference, "username").status == .usage)
    #expect(workspace.open("get", "cvault://GitHub").status == .usage)
    #expect(workspace.run("ref", "GitHub", "nope", "--vault", "v").status == .notFound)
    #expect(workspace.open("set", "GitHub", "title=Forge").code == 0)
    let renamed = workspace.open("get", reference)
    #expect(renamed.output == "p w\"x\n2")
    #expect(renamed.errors.contains("is called \"Forge\" now"))
    #expect(workspace.open("get", "cvault://GitHub/password").status == .notFound)
  }

  @Test("refs finds, without a key, what is gone, renamed, no text, or a secret in the clear")
  func check() throws {
    let workspace = try makeWorkspace()
    _ = workspace.write("x: \"cvault://GitHub/password\", y: {{ cvault://Orders?view=url }}\n", to: "good.yaml")
    let good = workspace.run("refs", "good.yaml", "--vault", "v")
    #expect(good.code == 0)
    #expect(good.errors == "note: 2 are good, 0 need action, in 1 file; not verified\n")
    _ = workspace.write(
      "A=cvault://Gone/x\nB=cvault://GitHub/nope\nAPI_TOKEN=abc\nC=cvault://GitHub/username#Old\nD=cvault://GitHub\n",
      to: "bad.env")
    let bad = workspace.run("refs", "bad.env", "--vault", "v", "--json")
    #expect(bad.status == .findings)
    let lines = try #require(JSON(bad.stdout)["references"]?.items).compactMap { $0["line"]?.number }
    #expect(lines == [1, 2, 3, 4, 5])
    #expect(!bad.output.contains("abc"))
    #expect(workspace.run(["refs", "-", "--vault", "v"], input: "cvault://Gone/x").status == .findings)
    #expect(workspace.run("refs", "missing", "--vault", "v").status == .inputOutput)
  }
}
