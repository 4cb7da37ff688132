import Testing
import VaultTestSupport

/// The process that reads a foreign file: its output, its rights, and how an import handles its end.
@Suite("The reader of imports")
struct ImportReaderTests {
  private static let table = "name,url,username,password,note\nshop,https://shop.example,ann,hunter2,\n"
  /// The child of the process `$p` that reads.
  private static let child = """
    child() {
      until test -n "$c"; do
        kill -0 $p 2>/dev/null || return
        for s in /proc/[0-9]*/stat; do
          { read -r a b d e rest <$s; } 2>/dev/null && test "$e" = $p && tr '\\0' ' ' </proc/$a/cmdline | grep -q parse-only && c=$a
        done
      done
    }
    c=

    """

  private func lines(_ outcome: ProcessOutcome) -> [JSON] {
    outcome.output.split(separator: "\n").map { JSON(Array($0.utf8)) }
  }

  private func bench(_ files: [String: String] = ["a.csv": table]) throws -> FaultBench {
    let bench = try FaultBench()
    for (name, text) in files { _ = bench.workspace.write(text, to: name) }
    return bench
  }

  // MARK: Its output

  @Test("--parse-only prints every record with its values in clear, and a last line that counts, without vault or key")
  func prints() throws {
    let workspace = try Workspace()
    _ = workspace.write(Self.table + "x,y\n", to: "a.csv")
    let outcome = workspace.run("import", "auto", "a.csv", "--parse-only")
    let lines = lines(outcome)
    #expect(outcome.status == .partlyDone, "\(outcome)")
    #expect(lines.count == 4, "\(outcome)")
    #expect(lines.first?["begin"]?["format"]?.text == "chrome-csv")
    let record = lines[1]["record"]
    #expect(record?["kind"]?.text == "login")
    #expect(record?["external_id"]?.text?.hasPrefix("chrome-csv:") == true)
    #expect(record?["members"]?["password"]?.text == "hunter2")
    #expect(record?["place"]?["line"]?.number == 2)
    #expect(record?["values"]?[3]?[0]?.text == "password")
    #expect(record?["values"]?[3]?[1]?.text == "stored")
    #expect(lines[2]["refused"]?["reason"]?.text == "the row has fewer cells than the header")
    let end = lines[3]["end"]
    #expect(end?["records"]?.number == 1)
    #expect(end?["refused"]?.number == 1)
    #expect(end?["values"]?.number == 7)
    #expect(FileTree.names(in: workspace.path + "/state").isEmpty)
  }

  @Test("a file that cannot be taken ends with a line that says so, and as an import does")
  func fails() throws {
    let files = [
      "a.csv": Self.table, "cut.json": #"{"folders": [], "items": [{"name": "hunter2""#,
      "plain.txt": "hunter2 is mine\n",
    ]
    let bench = try bench(files)
    let cases = [
      ("auto", "cut.json", 17), ("auto", "plain.txt", 17), ("firefox-csv", "a.csv", 17), ("auto", "none.csv", 18),
      ("nosuch", "a.csv", 64),
    ]
    for (format, file, code) in cases {
      let parsed = bench.workspace.run("import", format, file, "--parse-only")
      let imported = bench.workspace.open("import", format, file)
      #expect(parsed.code == Int32(code), "\(parsed)")
      #expect(imported.code == Int32(code), "\(parsed)")
      #expect(parsed.errors == imported.errors, "\(parsed)")
      let last = lines(parsed).last
      #expect(code == 64 || last?["error"]?["exit"]?.number == Double(code), "\(parsed)")
      #expect(!parsed.output.contains("hunter2"))
      #expect(!parsed.output.contains("\"end\""))
    }
    for option in ["--dry-run", "--update", "--strict"] {
      #expect(bench.workspace.run("import", "auto", "a.csv", "--parse-only", option).status == .usage)
    }
    #expect(bench.workspace.run("import", "json", Fixture.customers, "--parse-only").status == .usage)
  }

  @Test("a file that cannot be read on says where, behind what was good")
  func stops() throws {
    let workspace = try Workspace()
    _ = workspace.write(Self.table + "x,,,\"hunter2", to: "a.csv")
    let outcome = workspace.run("import", "auto", "a.csv", "--parse-only")
    let lines = lines(outcome)
    #expect(outcome.status == .partlyDone)
    try #require(lines.count == 4)
    #expect(lines[2]["stopped"]?["place"]?["line"]?.number == 3)
    #expect(lines[3]["end"]?["records"]?.number == 1)
    #expect(outcome.errors.hasPrefix("vault: a.csv: line 3, column "))
  }

  @Test("at a terminal it asks before it prints secrets, as an export does", .atTerminal)
  func asksFirst() throws {
    let workspace = try Workspace()
    _ = workspace.write(Self.table, to: "a.csv")
    let arguments = ["import", "auto", "a.csv", "--parse-only"]
    let no = workspace.type(arguments, [("to stdout in clear? [y/N]", "n\n")])
    #expect(no.status == .declined)
    #expect(no.output == "")
    let yes = workspace.type(arguments, [("to stdout in clear? [y/N]", "y\n")])
    #expect(yes.code == 0)
    #expect(yes.output.contains("hunter2"))
    #expect(workspace.type(arguments + ["--yes"], []).output.contains("hunter2"))
  }

  @Test("kinds that the vault declares are known without a key")
  func declaredKinds() throws {
    let schema =
      #"{"title":"Door","type":"object","properties":{"where":{"type":"string"},"code":{"type":"string","x-sealed":true}}}"#
    let bench = try bench(["door.json": schema, "a.csv": "where,code\nfront,hunter2\n"])
    let added = bench.workspace.open("kinds", "add", "door.json", "--name", "door")
    try #require(added.code == 0, "\(added)")
    let arguments = ["import", "csv", "a.csv", "--parse-only", "--kind", "door"]
    let parsed = lines(bench.workspace.run(arguments + ["--vault", "v"]))
    #expect(parsed[1]["record"]?["members"]?["code"]?.text == "hunter2")
    #expect(bench.workspace.run(arguments).status == .inputRefused)
    #expect(bench.workspace.open("import", "csv", "a.csv", "--kind", "door").output.hasPrefix("1 stored"))
  }

  // MARK: Its rights

  /// An import that waits for the rest of a FIFO, and what the shell `look` says of its child `$c`.
  private func waiting(_ bench: FaultBench, _ arguments: String, look: String, then end: String) -> ProcessOutcome {
    bench.shell(
      Self.child + """
        mkfifo f; { cat a.csv; sleep 30 & echo $! >sleep; wait; } >f & w=$!
        \(arguments) >out.txt 2>err.txt & p=$!
        child
        until ls -l /proc/$c/fd 2>/dev/null | grep -q '/f$'; do kill -0 $p 2>/dev/null || break; done
        \(look)
        \(end)
        kill $(cat sleep) $w 2>/dev/null
        wait $p; echo "code $?"
        """)
  }

  @Test("it has no variable, no descriptor and no byte of the key, and no terminal")
  func hasNoKey() throws {
    let bench = try bench()
    let secret = bench.workspace.text(of: "id.txt").split(separator: "\n").first { $0.hasPrefix("AGE-SECRET-KEY") }
    let key = String(try #require(secret))
    guard bench.shell("cat /proc/self/environ >/dev/null && test $(id -u) = 0").code == 0 else {
      return Need.notRun("the reader of imports", "only root may look into a process that cannot be dumped")
    }
    let look = """
      tr '\\0' '\\n' </proc/$c/environ >environ; ls -l /proc/$c/fd >fds; cut -d' ' -f7 /proc/$c/stat >tty
      tr '\\0' ' ' </proc/$c/cmdline >words; cat /proc/$c/limits /proc/$c/status | tr -s ' ' >limits
      while read -r range mode rest; do
        case $mode in rw*) ;; *) continue;; esac
        from=$((0x${range%-*} / 4096)); to=$((0x${range#*-} / 4096))
        dd if=/proc/$c/mem bs=4096 skip=$from count=$((to - from)) 2>/dev/null
      done </proc/$c/maps >memory
      grep -c -a 'https://shop.example,ann' memory >table; grep -c -a '\(key.dropFirst(20).prefix(24))' memory >held
      test "$(readlink /proc/$c/ns/net)" = "$(readlink /proc/self/ns/net)" || echo own >net
      unshare -n true && echo can >>net
      """
    let outcome = waiting(
      bench,
      "CVAULT_IDENTITY_FILE=id.txt CVAULT_EDITOR=x SECRET=y $V import auto f --vault v --passphrase-fd 7 --identity id.txt 7<id.txt",
      look: look, then: "")
    #expect(outcome.output == "code 0\n", "\(outcome.errors) \(bench.workspace.text(of: "err.txt"))")
    let text = bench.workspace.text(of:)
    let names = Set(text("environ").split(separator: "\n").map { $0.prefix { $0 != "=" } })
    #expect(names.isSubset(of: ["LANG", "LC_ALL", "TZ"]), "\(names)")
    #expect(!text("fds").contains("id.txt"), "\(text("fds"))")
    #expect(text("tty") == "0\n", "\(text("words"))")
    #expect(!text("words").contains("id.txt"), "\(text("words"))")
    #expect(text("limits").contains("NoNewPrivs:\t1"), "\(text("limits"))")
    for limit in ["core file size 0 0", "open files 64 64", "file size 0 0", "cpu time 632 637"] {
      #expect(text("limits").contains("Max \(limit)"), "\(text("limits"))")
    }
    #expect(text("net") == "" || text("net") == "own\ncan\n", "\(text("net"))")
    // The search finds existing text, so a text that is not found is missing.
    #expect(text("table") != "0\n")
    #expect(text("held") == "0\n")
    #expect(text("out.txt").hasPrefix("1 stored"))
  }

  @Test("a source's keys are its own: a passphrase by a pipe, an identity that is named, never those of the vault")
  func sourceKeys() throws {
    let bench = try bench()
    let recipient = bench.shell("$V key list --vault v --json | grep -o 'age1[a-z0-9]*' | head -n 1").output
    let made = bench.shell(
      "$V export --format sops --reveal --age \(recipient.dropLast()) -o s.json $K --yes && $V import sops-json s.json $K"
    )
    #expect(made.status == .cannotUnlock, "\(made)")
    #expect(made.errors.contains("those of the vault are not tried"), "\(made)")
    let named = bench.shell("bash -c '$V import sops-json s.json $K --source-identity <(cat id.txt) --dry-run'")
    // One record lacks what its kind requires in an export without it.
    #expect(named.status == .partlyDone, "\(named.errors)")
    #expect(named.output.contains("23 would be stored"), "\(named.errors)")
    #expect(bench.shell("bash -c '$V import auto <(cat a.csv) $K'").output.hasPrefix("1 stored"))
    #expect(bench.shell("$V import auto /dev/stdin --dry-run $K <a.csv").output.contains("would be stored"))
  }

  @Test("the passphrase of a file is asked for at the terminal by the import, which hands it over", .atTerminal)
  func asksForPassphrase() throws {
    let bench = try bench(["a.json": Self.sealed(rounds: 5000)])
    let command = ["import", "auto", "a.json", "--vault", "v", "--identity", "id.txt"]
    let wrong = bench.workspace.type(command, [("Passphrase of a.json: ", "hunter2\n")])
    #expect(wrong.status == .cannotUnlock, "\(wrong)")
    #expect(wrong.errors.hasPrefix("vault: a.json: the password does not open the file\n"), "\(wrong)")
    let both = bench.shell("$V import auto a.json $K --source-passphrase-file pw --source-passphrase-fd 3")
    #expect(both.status == .usage, "\(both)")
    #expect(both.errors.hasPrefix("vault: --source-passphrase-fd cannot be combined"), "\(both)")
    let given = bench.shell("echo hunter2 >pw; $V import auto a.json $K --source-passphrase-fd 3 3<pw")
    #expect(given.status == .cannotUnlock, "\(given)")
    #expect(given.errors == wrong.errors, "\(given)")
  }

  // MARK: How it ends

  @Test("a reader that is killed stores nothing, and the import says so")
  func killed() throws {
    let bench = try bench()
    let before = bench.state()
    let outcome = waiting(bench, "$V import auto f $K", look: "", then: "kill -9 $c")
    let errors = bench.workspace.text(of: "err.txt")
    #expect(outcome.output == "code 17\n", "\(outcome) \(errors)")
    // The table is so short that its format is only known at its end.
    #expect(errors.hasPrefix("vault: f: its reader was ended by signal 9; nothing was stored\n"), "\(errors)")
    #expect(bench.state() == before)
  }

  @Test("a reader that is killed behind records that it gave stores none of them")
  func killedBehindRecords() throws {
    let rows = (1...20_000).map { "shop\($0),https://shop\($0).example,ann,hunter2,\n" }
    let bench = try bench(["a.csv": "name,url,username,password,note\n" + rows.joined()])
    let before = bench.state()
    let outcome = waiting(bench, "$V import chrome-csv f $K", look: "sleep 2", then: "kill -9 $c")
    let errors = bench.workspace.text(of: "err.txt")
    #expect(outcome.output == "code 17\n", "\(outcome) \(errors)")
    #expect(
      errors.hasPrefix("vault: f: the reader of chrome-csv was ended by signal 9; nothing was stored\n"), "\(errors)")
    #expect(!errors.contains("hunter2"))
    #expect(bench.state() == before)
  }

  @Test("a reader ends with its import")
  func orphan() throws {
    let bench = try bench()
    let look =
      "kill -9 $p; n=0; while test -e /proc/$c/exe && test $n -lt 150; do sleep 0.1; n=$((n + 1)); done; echo $n"
    let outcome = waiting(bench, "$V import auto f $K", look: look, then: "")
    let tenths = outcome.output.split(separator: "\n").first.flatMap { Int($0) } ?? 999
    #expect(tenths < 150, "\(outcome)")
    #expect(outcome.output.hasSuffix("code 137\n"), "\(outcome)")
  }

  /// An export of Bitwarden on which a password is tried in so many rounds; ten million take seconds.
  private static func sealed(rounds: Int) -> String {
    let box = "2.AAAAAAAAAAAAAAAAAAAAAA==|AAAAAAAAAAAAAAAAAAAAAA==|AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    return
      #"{"encrypted": true, "passwordProtected": true, "salt": "c2FsdA==", "kdfType": 0, "kdfIterations": \#(rounds),"#
      + #" "encKeyValidation_DO_NOT_EDIT": "\#(box)", "data": "\#(box)"}"#
  }

  @Test("a reader that computes for too long, or does nothing, is ended")
  func late() throws {
    let bench = try bench(["a.json": Self.sealed(rounds: 10_000_000), "pw": "hunter2\n"])
    let before = bench.state()
    let command = "$V import auto a.json --source-passphrase-file pw $K"
    let busy = bench.shell("ulimit -S -t 1; exec \(command)")
    #expect(busy.status == .inputRefused, "\(busy)")
    #expect(busy.errors.hasPrefix("vault: a.json: its reader took longer than 1 s; nothing"), "\(busy)")
    let stopped = bench.shell(
      Self.child + "ulimit -S -t 2; \(command) & p=$!; child; sleep 0.5; kill -STOP $c; wait $p; echo $?")
    #expect(stopped.output == "17\n", "\(stopped)")
    #expect(stopped.errors.contains("its reader took longer than 2 s; nothing"), "\(stopped)")
    #expect(bench.state() == before)
    #expect(!busy.errors.contains("hunter2"))
  }

  @Test("a zip file that unpacks into more than a format may be is refused, and stores nothing")
  func zipBomb() throws {
    let bench = try FaultBench()
    let before = bench.state()
    let python = """
      import zipfile
      file = zipfile.ZipFile("a.1pux", "w", zipfile.ZIP_DEFLATED, compresslevel=1)
      file.writestr("export.attributes", "{}")
      with file.open("export.data", "w", force_zip64=True) as entry:
          for _ in range(600): entry.write(b" " * (1 << 20))
      file.close()
      """
    guard Need.command("python3").isMet(forCases: 1, of: "zip bombs") else { return }
    _ = bench.workspace.write(python, to: "bomb.py")
    try #require(bench.shell("python3 bomb.py").code == 0)
    let outcome = bench.shell("$V import auto a.1pux $K")
    #expect(outcome.status == .inputRefused, "\(outcome)")
    #expect(outcome.errors.hasPrefix("vault: a.1pux has "), "\(outcome)")
    #expect(!outcome.errors.contains("signal"), "\(outcome)")
    #expect(bench.state() == before, "\(outcome)")
  }

  @Test("a reader that wants more memory than there is ends the import and stores nothing")
  func memory() throws {
    let bench = try FaultBench()
    let before = bench.state()
    let made = bench.shell(
      "{ printf '['; yes '{\"a\":[[],[],[],[],[],[],[],[],[],[]]},' | head -c 60000000; printf '{}]'; } >a.json")
    try #require(made.code == 0, "\(made)")
    let outcome = bench.shell("ulimit -v 900000; exec $V import plain-json a.json $K")
    #expect(outcome.status == .inputRefused, "\(outcome)")
    #expect(
      outcome.errors.hasPrefix("vault: a.json: the reader of plain-json used too much memory; nothing was stored\n"),
      "\(outcome)")
    #expect(bench.state() == before)
  }
}
