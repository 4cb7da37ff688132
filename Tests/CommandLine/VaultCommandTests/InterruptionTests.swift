import Testing
import VaultTestSupport

@Suite("Interruption")
struct InterruptionTests {
  /// Makes an import of 960 records, so that there is time to interrupt it.
  private static let many =
    "printf '[' >many.json; for i in $(seq 40); do test $i = 1 || printf ,; sed '1d;$d' $CUSTOMERS; done >>many.json; printf ']' >>many.json; "

  /// Starts a command with the signal as a user would send it, sends it once `moment` has come, and prints the exit
  /// code. The command stands still while somebody looks whether the moment has come, so that it is not over by then.
  ///
  /// Between two looks the command gets the processor for a while, however many others want it. On a loaded machine a
  /// command was stopped again before it could run, never came to its moment, and the shell was killed in the end
  /// without having printed anything. A command that waits for something gets no processor, so there is a limit.
  private func interrupt(
    _ bench: FaultBench, _ command: String, at moment: String, _ signal: String
  ) -> ProcessOutcome {
    // A shell starts background jobs with SIGINT ignored.
    bench.shell(
      """
      worked() {
        now=0
        for f in /proc/$p/task/*/schedstat; do if read -r ns rest <$f; then now=$((now + ns)); fi; done 2>/dev/null
      }
      : >v/.lock
      env --default-signal=INT $V \(command) >out.txt 2>err.txt & p=$!
      while kill -STOP $p; do
        until read -r id name state rest </proc/$p/stat || state=Z; test $state = T || test $state = Z; do :; done
        if test $state = Z || { \(moment); }; then break; fi
        worked; before=$now; kill -CONT $p; looks=0
        while looks=$((looks + 1)); test $looks -le 50; do
          sleep 0.002; worked
          if test $now -lt $before || test $now -gt $((before + 100000)); then break; fi
        done
      done
      kill -\(signal) $p; kill -CONT $p; wait $p; echo $?
      """)
  }

  private static let key = "--vault v --identity id.txt"

  private static let cases: [(command: String, moment: String)] = [
    ("import json many.json --kind customer \(key)", "test -s v/.lock"),
    ("import json many.json --kind customer \(key)", "set -- v/.staging/*/*/*; test $# -gt 40"),
    ("import json many.json --kind customer --rejects r.json \(key)", "set -- v/.staging/*/*/*; test $# -gt 200"),
    ("export --reveal -o all.json --vault big --identity id.txt", "test -e .all.json.*.tmp"),
  ]

  @Test(
    "a signal during an import or an export ends it with 130 or 143, undone, with nothing left behind",
    arguments: cases, ["INT", "TERM"])
  func workIsUndone(_ work: (command: String, moment: String), _ signal: String) throws {
    // A machine with much else to do may run the command to its end at one go: then it is done, and tried again.
    for _ in 0..<20 where try isUndone(work, signal) { return }
    Issue.record("in 20 runs the command was done before the signal")
  }

  /// Whether the command was interrupted; false if it was done before.
  private func isUndone(_ work: (command: String, moment: String), _ signal: String) throws -> Bool {
    let bench = try FaultBench()
    _ = bench.shell(Self.many)
    if work.command.hasPrefix("export") {
      let made = bench.shell("cp -a v big; $V import json many.json --kind customer --vault big --identity id.txt")
      try #require(made.code == 0, "\(made.errors)")
    }
    let before = bench.state()
    let outcome = interrupt(bench, work.command, at: work.moment, signal)
    if outcome.output == "0\n" { return false }
    #expect(outcome.output == (signal == "INT" ? "130\n" : "143\n"), "\(bench.workspace.text(of: "err.txt"))")
    #expect(bench.state() == before)
    #expect(bench.leftovers().isEmpty, "\(bench.leftovers())")
    #expect(bench.workspace.text(of: "out.txt") == "")
    #expect(bench.workspace.text(of: "err.txt") == "")
    #expect(!FileTree.names(in: bench.workspace.path).contains("all.json"))
    // On a machine of its own: the copy that was exported is the same vault with more in it, and this one an older
    // state.
    let fresh = ["CVAULT_STATE_DIR": bench.workspace.path + "/fresh"]
    let verified = bench.workspace.open("verify", adding: fresh)
    #expect(verified.output == "24 records, 0 in the trash, 1 slot: all verified\n")
    return true
  }

  @Test("a signal while a new record is written leaves it whole or not there", arguments: ["INT", "TERM"])
  func addIsWholeOrNot(_ signal: String) throws {
    let bench = try FaultBench()
    let command = "add customer --set name=New --generate access_key \(Self.key)"
    for _ in 0..<5 {
      let before = bench.state()
      let outcome = interrupt(bench, command, at: "test -s v/.lock", signal)
      #expect(!outcome.hung)
      #expect([signal == "INT" ? "130\n" : "143\n", "0\n"].contains(outcome.output), "\(outcome.output)")
      #expect(bench.leftovers().isEmpty, "\(bench.leftovers())")
      let added = bench.state().count - before.count
      #expect(added == 0 || added == 1)
      #expect(bench.state().filter { before[$0.key] != nil } == before)
      #expect(bench.workspace.open("verify").code == 0)
    }
  }

  @Test("signals that end nothing, in a storm of stops and goes, change nothing", arguments: ["json many.json", nil])
  func storm(_ file: String?) throws {
    let bench = try FaultBench()
    _ = bench.shell(Self.many)
    let command = file.map { "import \($0) --kind customer \(Self.key)" } ?? "verify \(Self.key)"
    let outcome = bench.shell(
      """
      trap '' ALRM
      $V \(command) >out.txt 2>err.txt & p=$!
      while kill -CONT $p; do for s in ALRM WINCH STOP CONT CHLD URG; do kill -$s $p; done; sleep 0.01; done 2>kill.txt
      wait $p; echo $?
      """)
    #expect(outcome.output == "0\n", "\(bench.workspace.text(of: "err.txt"))")
    #expect(bench.workspace.text(of: "err.txt") == "")
    #expect(bench.leftovers().isEmpty)
    let count = file == nil ? 24 : 984
    #expect(
      bench.workspace.open("verify").output == "\(count) records, 0 in the trash, 1 slot: all verified\n")
  }

  @Test("a signal while another process is waited for ends the wait", arguments: ["INT", "TERM"])
  func waitEnds(_ signal: String) throws {
    let bench = try FaultBench()
    let before = bench.state()
    let command = "set $ID website=x \(Self.key)"
    let outcome = bench.shell(
      """
      exec 9>v/.lock; flock 9
      env --default-signal=INT $V \(command) 9>&- 2>err.txt & p=$!
      until grep -q waiting err.txt; do sleep 0.1; done
      kill -\(signal) $p; wait $p; echo $?
      """)
    #expect(outcome.output == (signal == "INT" ? "130\n" : "143\n"))
    #expect(bench.state() == before)
  }

  @Test("SIGTERM while the editor runs: the text is in one file that is named, and nowhere else")
  func editIsNamed() throws {
    let bench = try FaultBench()
    let before = bench.state()
    // With a file system of its own for the text; without the right to mount one, /dev/shm is used.
    let outcome = bench.shell(
      """
      mount -t tmpfs tmpfs tmp 2>mount.txt || rmdir tmp
      export CVAULT_EDITOR='typing() { echo >>"$1"; touch ready; \(EditorScript.waiting); }; typing'
      $V edit $ID $K & p=$!; until test -e ready; do :; done; kill -TERM $p; wait $p; echo $?
      find . -type f -exec grep -lF '~7hgUh2a*4' {} +; umount tmp
      """, hasTerminal: true)
    let note = try #require(outcome.errorLines.last)
    #expect(note.hasPrefix("note: your text is kept in /"))
    let path = note.split(separator: ":").dropFirst().first?.split(separator: " ").last.map(String.init) ?? ""
    let isBelow = path.hasPrefix(bench.workspace.path)
    let places = isBelow ? "." + path.dropFirst(bench.workspace.path.utf8.count) + "\n" : ""
    #expect(outcome.output == "143\n" + places, "\(outcome.errors)")
    #expect(bench.state() == before)
    if !isBelow { FileTree.remove(Binary.parent(path)) }
  }

  @Test(
    "after SIGKILL the next command finds the old or the new state, whole, and clears up",
    arguments: ["test -s v/.lock", "set -- v/.staging/*/*/*; test $# -gt 40", "set -- v/records/*; test $# -gt 100"])
  func killed(_ moment: String) throws {
    let bench = try FaultBench()
    _ = bench.shell(Self.many)
    let outcome = interrupt(bench, "import json many.json --kind customer \(Self.key)", at: moment, "KILL")
    #expect(outcome.output == "137\n" || moment.contains("records"), "\(outcome.output)")
    let list = bench.workspace.run("list", "--vault", "v", "-q")
    let count = list.output.split(separator: "\n").count
    #expect(list.code == 0, "\(count) \(list.errors)")
    #expect(count == 24 || count == 984, "\(count) \(list.errors)")
    #expect(bench.leftovers().isEmpty, "\(bench.leftovers().count)")
    #expect(bench.workspace.open("verify").output == "\(count) records, 0 in the trash, 1 slot: all verified\n")
    #expect(bench.workspace.open("add", "customer", "--set", "name=New", "--generate", "access_key").code == 0)
  }

  @Test("interrupted system calls are made again: a storm of signals changes nothing")
  func signalStorm() throws {
    let bench = try FaultBench()
    let outcome = bench.shell(
      Self.many
        + """
        $V import json many.json --kind customer $K & p=$!
        count=0
        while kill -WINCH $p 2>/dev/null; do kill -STOP $p; kill -CONT $p; count=$((count + 1)); done
        wait $p; echo $?; test $count -gt 100
        """)
    #expect(outcome.output == "960 stored, 0 refused\n0\n", "\(outcome.errors)")
    #expect(outcome.code == 0)
    #expect(bench.workspace.open("verify").output == "984 records, 0 in the trash, 1 slot: all verified\n")
  }
}
