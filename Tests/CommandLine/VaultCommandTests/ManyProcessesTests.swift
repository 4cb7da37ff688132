import Testing
import VaultTestSupport

@Suite("Many processes")
struct ManyProcessesTests {
  @Test("eight processes that add 25 records each at once: all are there and verify")
  func eightWriters() throws {
    let bench = try FaultBench()
    let outcome = bench.shell(
      """
      for p in 1 2 3 4 5 6 7 8; do
        ( for i in $(seq 25); do
            $V add customer --set name=$p-$i --generate access_key $K -q --lock-timeout 60 >>ids.$p || echo failed $?
          done ) &
      done; wait
      """, timeout: 120)
    #expect(outcome.output == "", "\(outcome.output)\(outcome.errors)")
    #expect(outcome.errors == "", "\(outcome.output)\(outcome.errors)")
    let acknowledged = (1...8).flatMap { bench.workspace.text(of: "ids.\($0)").split(separator: "\n").map(String.init) }
    #expect(Set(acknowledged).count == 200)
    let stored = Set(
      bench.workspace.snapshot().keys.compactMap { $0.split(separator: "/").last?.dropLast(5) }.map(String.init))
    #expect(stored.isSuperset(of: acknowledged))
    #expect(try bench.workspace.seenIDs().isSuperset(of: acknowledged), "what one process saw was lost by another")
    let verified = bench.workspace.open("verify")
    #expect(verified.output == "224 records, 0 in the trash, 1 slot: all verified\n", "\(verified.errors)")
  }

  @Test("two processes edit one record at once: one wins, the other is 15 and its text is kept")
  func twoEditors() throws {
    let bench = try FaultBench()
    _ = bench.workspace.write(
      """
      touch ready.$WHO; until test -e ready.a -a -e ready.b; do sleep 0.05; done
      sed -i s/Albuquerque/City-$WHO/ "$1"
      """, to: "editor.sh")
    let outcome = bench.shell(
      """
      edit() { WHO=$1 CVAULT_EDITOR="sh editor.sh" $V edit $ID $K 2>err.$1; echo $? >code.$1; }
      edit a & edit b & wait
      cat code.a code.b; cat err.a err.b >&2
      """, hasTerminal: true)
    #expect(outcome.output.split(separator: "\n").sorted() == ["0", "15"], "\(outcome.output)\(outcome.errors)")
    let winner = bench.workspace.text(of: "code.a") == "0\n" ? "a" : "b"
    let city = bench.workspace.open("get", "Shai Mishali", "address.city").output
    #expect(city == "City-\(winner)")
    let hint = outcome.errorLines.first { $0.hasPrefix("hint: your text is kept in ") }
    let path = hint?.split(separator: " ").dropFirst(6).first.map { String($0.dropLast()) } ?? "none"
    let kept = String(decoding: FileTree.contents(of: path) ?? [], as: UTF8.self)
    #expect(kept.contains(winner == "a" ? "City-b" : "City-a"), "\(outcome.errors)")
    FileTree.remove(Binary.parent(path))
  }

  @Test("a lock of a process that is gone holds nobody up")
  func staleLock() throws {
    try checkRows(
      "stale locks",
      ["999999\\n", "1\\n", "text", ""].map { text in
        FaultRow("a stale lock file", "printf '\(text)' >v/.lock", "$V set $ID website=x $K --lock-timeout 0", 0, nil)
      })
  }

  private static let holder =
    "( flock 9; echo $$ >v/.lock; touch held; exec sleep $SECONDS_HELD ) 9<>v/.lock & until test -e held; do :; done; "

  @Test("a lock that is held: after a second it says by whom, after the timeout it is 12")
  func lockIsHeld() throws {
    let bench = try FaultBench()
    let before = bench.state()
    let outcome = bench.shell(
      "SECONDS_HELD=5; " + Self.holder
        + "$V set $ID website=x $K --lock-timeout 2; code=$?; kill $!; echo $$; exit $code")
    #expect(outcome.status == .locked)
    let pid = outcome.output.dropLast()
    #expect(outcome.errorLines.first == "note: waiting for process \(pid)", "\(outcome.errors)")
    #expect(
      outcome.errorLines.dropFirst().first?.hasPrefix("vault: v: another process holds") == true, "\(outcome.errors)")
    #expect(outcome.errorLines.dropFirst().first?.hasSuffix("(process \(pid))") == true, "\(outcome.errors)")
    #expect(bench.state() == before)
  }

  @Test("a writer that waits goes before readers who come later, and puts nobody off once it is done or killed")
  func writerGoesFirst() throws {
    let bench = try FaultBench()
    let verify = "$V verify -q $K --lock-timeout 0 >/dev/null 2>&1; "
    // Readers share the lock; one of them holds it here. Until the writer waits, another may still get in.
    let outcome = bench.shell(
      """
      ( flock -s 9; touch held; until test -e done; do sleep 0.05; done ) 9<>v/.lock & until test -e held; do :; done
      \(verify) echo "alone $?"
      $V set $ID website=x $K --lock-timeout 60 2>/dev/null & p=$!
      until ! $V verify -q $K --lock-timeout 0 >/dev/null 2>&1; do :; done; \(verify) echo "beside a writer $?"
      kill -KILL $p; wait $p; \(verify) echo "after its death $?"
      $V set $ID website=y $K --lock-timeout 60 2>/dev/null & p=$!
      until ! $V verify -q $K --lock-timeout 0 >/dev/null 2>&1; do :; done
      touch done; wait $p; echo "writer $?"; \(verify) echo "after it $?"
      """)
    #expect(
      outcome.output == "alone 0\nbeside a writer 12\nafter its death 0\nwriter 0\nafter it 0\n", "\(outcome.errors)")
    #expect(bench.workspace.open("get", "Shai Mishali", "website").output == "y")
  }

  @Test("a lock that is given back in time lets the waiting process go on; readers never wait")
  func lockIsGivenBack() throws {
    let bench = try FaultBench()
    let outcome = bench.shell(
      "SECONDS_HELD=2; " + Self.holder
        + "$V get $ID name $K --lock-timeout 0 && $V list -q $K --lock-timeout 0 >list.txt; "
        + "$V set $ID website=x $K")
    #expect(outcome.code == 0)
    #expect(outcome.output == "Shai Mishali")
    #expect(outcome.errors.hasPrefix("note: waiting for process "), "\(outcome.errors)")
    #expect(outcome.errorLines.count == 1, "\(outcome.errors)")
    #expect(bench.workspace.open("get", "Shai Mishali", "website").output == "x")
  }
}
