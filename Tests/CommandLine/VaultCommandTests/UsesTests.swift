import Testing
import VaultTestSupport

@Suite("vault uses")
struct UsesTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace.withVault()
    let added = workspace.open(
      "add", "login", "GitHub", "--set", "username=ada", "--secret-stdin", "password", input: "p-4711-secret")
    #expect(added.code == 0, "\(added.errors)")
  }

  private func run(_ words: [String], adding: [String: String] = [:]) -> ProcessOutcome {
    workspace.run(
      ["run", "--vault", "v", "--identity", "id.txt", "--env", "A=cvault://GitHub/password"] + words, adding: adding)
  }

  private var log: String {
    let found = workspace.shell("find . -name uses.jsonl -exec cat {} +")
    return found.output
  }

  @Test("what was given is listed once for each program, with how often; a record by its name, also after its removal")
  func listed() {
    #expect(workspace.run(["uses", "--vault", "v"]).errors == "note: nothing was logged\n")
    for _ in 0..<2 { #expect(run(["--", "true"]).code == 0) }
    #expect(run(["--stdin", "cvault://GitHub/username", "--", "cat"]).code == 0)
    let all = workspace.run(["uses", "--vault", "v", "--json"])
    let uses = JSON(all.stdout)["uses"]
    #expect(uses?[0]?["form"]?.text != nil, "\(all.output)")
    #expect(uses?[3] == nil, "\(all.output)")
    #expect(uses?[2] != nil, "\(all.output)")
    #expect(all.output.contains("\"count\" : 2"))
    #expect(all.output.contains("/true\""))
    #expect(!log.contains("4711"))
    #expect(log.contains("standard input"))
    #expect(workspace.open("remove", "GitHub", "--yes").code == 0)
    #expect(workspace.run(["uses", "GitHub", "--vault", "v"]).output.split(separator: "\n").count == 4)
    #expect(workspace.run(["uses", "None", "--vault", "v"]).status == .notFound)
    #expect(workspace.run(["uses", "--since", "soon", "--vault", "v"]).status == .usage)
  }

  @Test("a log that cannot be written stops nothing; without one nothing is noted; what is torn is skipped")
  func failing() {
    #expect(run(["--", "true"], adding: ["CVAULT_NO_USES": "1"]).code == 0)
    #expect(log.isEmpty)
    #expect(run(["--", "true"]).code == 0)
    #expect(
      workspace.shell(#"f=$(find . -name uses.jsonl); printf 'torn\n{"time' >> "$f"; stat -c %a "$f""#).output
        == "600\n")
    #expect(run(["--", "true"]).code == 0)
    #expect(workspace.run(["uses", "--vault", "v", "--json"]).output.contains("\"count\" : 2"))
    #expect(workspace.shell(#"f=$(find . -name uses.jsonl); rm "$f"; mkdir "$f""#).code == 0)
    let outcome = run(["--redact", "never", "--", "echo", "ran"])
    #expect(outcome.code == 0)
    #expect(outcome.output == "ran\n")
    #expect(outcome.errors.contains("the delivery was not logged for `vault uses`"))
  }

  @Test("what was given to a program that could not be started is not listed, and the others are")
  func notStarted() {
    #expect(workspace.shell("echo none > data; echo 'a = {{cvault://GitHub/password}}' > t.ini").code == 0)
    #expect(workspace.open("set", "GitHub", "--secret-stdin", "password", input: "two\nlines").code == 0)
    #expect(run(["--", "true"]).code == 0)
    for extra in [[], ["--wait"]] {
      #expect(run(extra + ["--", "no-such-program"]).status == .commandNotFound)
      #expect(run(extra + ["--", "./data"]).status == .cannotExecute)
    }
    let refused = workspace.run(["inject", "-i", "t.ini", "-o", "made.ini", "--vault", "v", "--identity", "id.txt"])
    #expect(refused.status == .inputRefused, "\(refused.errors)")
    let uses = JSON(workspace.run(["uses", "--vault", "v", "--json"]).stdout)["uses"]
    #expect(uses?[0]?["program"]?.text?.hasSuffix("/true") == true, "\(log)")
    #expect(uses?[1] == nil, "\(log)")
    #expect(log.split(separator: "\n").count == 1)
    #expect(run(["--", "true"]).code == 0)
    #expect(log.split(separator: "\n").count == 2)
  }

  @Test("at 1 MiB the log is put aside, and both are read; processes at once lose no line")
  func large() {
    #expect(run(["--", "true"]).code == 0)
    let filled = workspace.shell(
      #"f=$(find . -name uses.jsonl); l=$(tail -1 "$f"); yes "$l" | head -c 1048500 > "$f"; echo >> "$f"; wc -l < "$f""#
    )
    #expect(filled.code == 0)
    let each =
      "for i in 1 2 3 4; do (for j in 1 2 3 4 5; do \(Binary.path) run --vault v --identity id.txt "
      + "--env A=cvault://GitHub/password -- false; done) & done; wait"
    #expect(workspace.shell(each).code == 0)
    let lines = workspace.shell(#"grep -c /false "$(find . -name uses.jsonl)"; find . -name uses.jsonl.1 | wc -l"#)
    #expect(lines.output == "20\n1\n", "\(lines.output)")
  }

  @Test("helpers and templates are noted, and what is due names the programs")
  func others() {
    let git = workspace.shell(
      "\(Binary.path) set GitHub 'urls=[\"https://git.example.com\"]' --vault v --identity id.txt; "
        + "printf 'protocol=https\\nhost=git.example.com\\n\\n' | \(Binary.path) credential git get --vault v --identity id.txt"
    )
    #expect(git.output.contains("password="), "\(git.errors)")
    let made = workspace.shell(
      "echo '{{ cvault://GitHub/password }}' > t.tmpl; "
        + "\(Binary.path) inject -i t.tmpl -o made.txt --vault v --identity id.txt")
    #expect(made.code == 0, "\(made.errors)")
    #expect(log.contains("\"form\":\"git\""), "\(log)")
    #expect(log.contains("/made.txt\""), "\(log)")
    #expect(workspace.open("rekey", "--reseal", "--yes").code == 0)
    let due = workspace.run(["due", "--leaver", "--vault", "v", "--json"])
    #expect(due.status == .findings, "\(due.output)")
    #expect(due.output.contains("/made.txt\""), "\(due.output)")
  }
}
