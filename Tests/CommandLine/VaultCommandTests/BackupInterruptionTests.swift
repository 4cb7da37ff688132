import Testing
import VaultTestSupport

@Suite("Backups: interruption and full disks")
struct BackupInterruptionTests {
  private static let many =
    "printf '[' >many.json; for i in $(seq 60); do test $i = 1 || printf ,; sed '1d;$d' $CUSTOMERS; done >>many.json; printf ']' >>many.json; "
    + "$V import json many.json --kind customer --vault v --identity id.txt -q; mkdir -m 700 b; "

  /// Every file of the workspace below `b` that is neither a backup nor a record about one.
  private func leftovers(_ bench: FaultBench) -> String {
    bench.shell("ls -A b | grep -v -e '^v-[0-9TZ]*.cvault.age$' -e '^backups.json$' -e '^.backups.lock$'").output
  }

  @Test("a signal while a backup is made ends it with 130 or 143, and nothing is left", arguments: ["INT", "TERM"])
  func signal(_ name: String) throws {
    let bench = try FaultBench()
    _ = bench.shell(Self.many)
    let outcome = bench.shell(
      """
      env --default-signal=INT $V backup create --vault v --to b --identity id.txt -q >out.txt 2>err.txt & p=$!
      until ls -A b | grep -q tmp; do read -r id name state rest </proc/$p/stat && test $state != Z || break; done
      kill -\(name) $p; wait $p; echo $?
      """)
    #expect([name == "INT" ? "130\n" : "143\n", "0\n"].contains(outcome.output), "\(outcome.output)")
    #expect(leftovers(bench).isEmpty)
  }

  @Test("after SIGKILL at any moment there is a whole backup or none, and the next one clears up")
  func killed() throws {
    let bench = try FaultBench()
    _ = bench.shell(Self.many)
    for step in 0..<10 {
      let outcome = bench.shell(
        """
        $V backup create --vault v --to b --identity id.txt -q >/dev/null 2>&1 & p=$!
        sleep 0.0\(step)5; kill -KILL $p; wait $p
        for f in b/*.age; do test -e "$f" || continue; $V backup verify "$f" --identity id.txt -q || exit 9; rm "$f"; done
        $V backup create --vault v --to b --identity id.txt -q || exit 8
        rm b/*.age b/backups.json
        """)
      #expect(outcome.code == 0, "\(outcome.errors)")
      #expect(leftovers(bench).isEmpty)
    }
  }

  @Test("after SIGKILL at any moment of a restore there is the old or the new vault, and the other is kept")
  func killedRestore() throws {
    let bench = try FaultBench()
    _ = bench.shell(Self.many + "$V backup create --vault v --to b --identity id.txt -q; cp -a v w")
    for step in 0..<10 {
      let outcome = bench.shell(
        """
        $V backup restore b/*.age --to w --identity id.txt -q >/dev/null 2>&1 & p=$!
        sleep 0.\(step)2; kill -KILL $p; wait $p
        for d in w w.before*; do test -e $d || continue; diff -r -x .lock v $d || exit 9; done
        $V backup restore b/*.age --to w --identity id.txt -q || exit 8
        test -e .w.restoring && exit 7
        rm -rf w.before*; diff -r -x .lock v w
        """)
      #expect(outcome.code == 0, "\(outcome.output) \(outcome.errors)")
    }
  }

  @Test("a disk that is full ends a backup, and a restore, with 18 and leaves nothing")
  func full() throws {
    let bench = try FaultBench()
    guard bench.shell("mkdir m && mount -t tmpfs -o size=1m,mode=700 tmpfs m").code == 0 else {
      return Need.notRun("backup on a full disk", Need.noMounts)
    }
    defer { _ = bench.shell("umount m || umount -l m") }
    _ = bench.shell(Self.many + "$V backup create --vault v --to b --identity id.txt -q")
    let made = bench.shell("$V backup create --vault v --to m --identity id.txt -q; code=$?; ls -A m; exit $code")
    #expect(made.status == .inputOutput, "\(made.output)")
    #expect(made.output.isEmpty, "\(made.output)")
    #expect(made.errors.contains("no space is left"))
    let restored = bench.shell("$V backup restore b/*.age --to m/w --identity id.txt -q; code=$?; ls -A m; exit $code")
    #expect(restored.status == .inputOutput, "\(restored.output)")
    #expect(restored.output.isEmpty, "\(restored.output)")
    let spooled = bench.shell(
      "TMPDIR=$PWD/m $V backup create --vault v --to - --identity id.txt -q >s.age; echo $? $(wc -c <s.age)")
    #expect(spooled.output == "18 0\n")
  }
}
