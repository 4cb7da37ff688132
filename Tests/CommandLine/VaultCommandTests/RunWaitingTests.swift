import Testing
import VaultTestSupport

@Suite("vault run beside its program")
struct RunWaitingTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace.withVault()
    let login = workspace.open(
      "add", "login", "GitHub", "--set", "username=ada-example", "--secret-stdin", "password", input: "p w\"x-4711")
    #expect(login.code == 0, "\(login.errors)")
    let bank = workspace.open(
      "add", "login", "Bank", "--set", "username=ada", "--secret-stdin", "password", input: "1234")
    #expect(bank.code == 0, "\(bank.errors)")
  }

  private func run(_ options: String..., script: String, adding: [String: String] = [:]) -> ProcessOutcome {
    let words = ["run", "--vault", "v", "--identity", "id.txt"] + options + ["--", "sh", "-c", script]
    return workspace.run(words, adding: adding)
  }

  @Test("sealed values are replaced in both streams of a pipe, readable ones are not, and a note says so")
  func redaction() {
    let value = "--env=A=cvault://GitHub/password"
    let outcome = run(
      value, "--env=B=cvault://GitHub/username",
      script: #"echo "$A, $B"; printf %s "$A" | base64 >&2; printf %s "$A" | od -An -tx1 | tr -d ' \n'; exit 7"#)
    #expect(outcome.code == 7)
    #expect(outcome.output == "«GitHub/password», ada-example\n«GitHub/password»")
    #expect(
      outcome.errorLines.last
        == "note: 3 sealed values were replaced in the output; `--redact never` shows the values")
    #expect(outcome.errors.contains("«GitHub/password»"))
    #expect(!outcome.errors.contains("cCB3"))
    #expect(run(value, "--redact", "never", script: "echo $A").output == "p w\"x-4711\n")
    // In the order in which it was written.
    let merged = workspace.shell(
      Binary.path + " run --vault v --identity id.txt " + value
        + #" -- sh -c 'for i in 1 2 3; do echo "o$A"; echo "e$A" >&2; done' > merged 2>&1"#)
    #expect(merged.code == 0)
    let text = String(decoding: FileTree.contents(of: workspace.path + "/merged") ?? [], as: UTF8.self)
    let pair = "o«GitHub/password»\ne«GitHub/password»\n"
    #expect(text.hasPrefix(pair + pair + pair), "\(text)")
    let short = run("--env=A=cvault://Bank/password", script: "echo $A")
    #expect(short.output == "1234\n")
    #expect(short.errors.contains("Bank/password is too short"))
  }

  @Test("--file: a file in memory for its owner alone, gone with the program, or swept by the next when this is killed")
  func files() throws {
    let option = "--file=A=cvault://GitHub/password"
    let outcome = run(
      option, "--redact", "never", script: #"stat -c %a "$A" "${A%/*}"; cat "$A"; echo; echo "$A"; exit 3"#)
    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(outcome.status == .declined, "\(outcome.output)\(outcome.errors)")
    #expect(lines.prefix(3) == ["400", "700", "p w\"x-4711"], "\(outcome.output)\(outcome.errors)")
    let path = try #require(lines.last)
    #expect(path.hasSuffix("/A"))
    #expect(FileTree.kind(of: path) == nil)
    #expect(FileTree.kind(of: String(path.dropLast(2))) == nil)
    let failed = run(option, "--env=B=cvault://GitHub/none", script: "touch ran")
    #expect(failed.status == .notRun)
    #expect(FileTree.kind(of: workspace.path + "/ran") == nil)
    // Kill -9 leaves it to the next one.
    let killed = workspace.shell(
      Binary.path + " run --vault v --identity id.txt " + option
        + #" -- sh -c 'echo "$A" > name; kill -9 $PPID' 2>/dev/null; cat name"#)
    let left = String(killed.output.filter { $0 != "\n" })
    #expect(FileTree.kind(of: left) != nil)
    #expect(run(option, script: "true").code == 0)
    #expect(FileTree.kind(of: left) == nil)
  }

  @Test("it ends as the program ends, and passes on what it is sent, once")
  func signals() {
    #expect(run("--wait", script: "exit 9").code == 9)
    for signal in ["TERM", "KILL", "HUP", "PIPE", "USR1"] {
      let expected: [String: Int32] = ["TERM": -15, "KILL": -9, "HUP": -1, "PIPE": -13, "USR1": -10]
      #expect(run("--wait", script: "kill -\(signal) $$").code == expected[signal], "\(signal)")
    }
    let program = workspace.write(
      """
      n=0
      told() { echo $1 >>said; n=$((n + 1)); }
      trap 'told TERM' TERM; trap 'told USR1' USR1; trap 'told HUP' HUP
      echo $PPID >ready
      while [ $n -lt 3 ]; do sleep 0.05; done
      """, to: "told.sh")
    let outcome = workspace.shell(
      """
      \(Binary.path) run --wait --vault v --identity id.txt -- sh \(program) & p=$!
      until [ -s ready ]; do sleep 0.05; done
      for s in TERM USR1 HUP; do kill -$s $p; until grep -qs $s said; do sleep 0.05; done; done
      wait $p; code=$?; cat said; echo $code
      """)
    #expect(outcome.output == "TERM\nUSR1\nHUP\n0\n", "\(outcome.errors)")
  }

  @Test("when the program stops, so does this, and both go on together")
  func stopping() {
    let outcome = workspace.shell(
      Binary.path + " run --wait --vault v --identity id.txt -- sh -c 'kill -STOP $$; echo on; exit 5' & p=$!; "
        + "until grep -q ') T' /proc/$p/stat; do sleep 0.05; done; kill -CONT $p; wait $p; echo $?")
    #expect(outcome.output == "on\n5\n", "\(outcome.errors)")
  }

  @Test("what cannot be run or written ends as without waiting; marks for a terminal are refused", .atTerminal)
  func failures() {
    let waiting = ["run", "--wait", "--vault", "v", "--identity", "id.txt", "--"]
    #expect(workspace.run(waiting + ["no-such-program"]).status == .commandNotFound)
    #expect(workspace.run(waiting + ["/etc/passwd"]).status == .cannotExecute)
    let full = workspace.shell(
      Binary.path + " run --vault v --identity id.txt --env A=cvault://GitHub/password -- echo x > /dev/full")
    #expect(full.status == .notRun, "\(full.errors)")
    #expect(full.errors.contains("the program's output"), "\(full.errors)")
    let unread = workspace.shell(
      Binary.path + " run --vault v --identity id.txt --env A=cvault://GitHub/password -- yes | head -1")
    #expect(unread.output == "y\n")
    let words = ["run", "--redact", "always", "--vault", "v", "--identity", "id.txt"]
    let terminal = workspace.type(
      words + ["--env", "A=cvault://GitHub/password", "--", "true"], [], outputOnTerminal: true)
    #expect(terminal.status == .notRun)
  }
}
