import Testing
import VaultTestSupport

/// Each test mounts file systems of its own below its own workspace, so they may run beside each other.
@Suite("File systems")
struct FullDiskTests {
  /// Does `body` with a tmpfs mounted at `m`, unless this process may not mount.
  private func withMount(_ options: String, _ body: (FaultBench) throws -> Void) throws {
    let bench = try FaultBench()
    guard bench.shell("mkdir m && mount -t tmpfs -o \(options) tmpfs m && cp -a v m/v").code == 0 else {
      return Need.notRun("tmpfs \(options)", Need.noMounts)
    }
    defer { _ = bench.shell("umount m || umount -l m") }
    // That it is a copy is told once.
    _ = bench.shell("$V get $ID name --vault m/v --identity id.txt")
    try body(bench)
  }

  /// Runs commands in the vault that is mounted and compares it with its original, which must not have changed.
  private func check(_ bench: FaultBench, _ rows: [(command: String, code: Int32, first: String?)]) {
    for (command, code, first) in rows {
      let outcome = bench.shell("K='--vault m/v --identity id.txt'; \(command)")
      #expect(outcome.code == code, "\(command): \(outcome.errors)")
      #expect(outcome.errorLines.first?.hasPrefix(bench.filled(first ?? "?")) ?? (first == nil), "\(outcome.errors)")
      let difference = bench.shell("diff -r -x .lock v m/v")
      #expect(difference.code == 0, "\(command): \(difference.output)")
      #expect(bench.shell("ls -A m | grep -v -x -e v -e fill").output == "", "\(command)")
    }
    print("file systems: \(rows.count) run")
  }

  private static let add = "$V add customer --set name=New --generate access_key $K"
  private static let imports = "$V import json $CUSTOMERS --kind customer $K"

  @Test("a disk that is full to the brim: every command works or is 18, and nothing is lost")
  func full() throws {
    try withMount("size=2m") { bench in
      _ = bench.shell("dd if=/dev/zero of=m/fill bs=4k")
      let full = ": no space is left on the disk"
      check(
        bench,
        [
          ("$V get $ID name $K", 0, nil), ("$V export --reveal $K", 0, nil), ("$V list -q $K", 0, nil),
          (Self.add, 18, "vault: records/"), ("$V set $ID website=x $K", 18, "vault: $RECORD" + full),
          (Self.imports, 18, "vault: records/"), ("$V rm $ID -y $K", 18, "vault: trash/$ID.json" + full),
          ("$V export --reveal -o m/all.json $K", 18, "vault: m/all.json cannot be written: no space is left"),
          ("$V init m/w --generate-identity m/new.txt", 18, "vault: m/new.txt cannot be written: no space is left"),
        ])
      let after = bench.shell(
        "rm m/fill; \(Self.add) --vault m/v --identity id.txt && $V verify --vault m/v --identity id.txt")
      #expect(after.output.hasSuffix("25 records, 0 in the trash, 1 slot: all verified\n"), "\(after.errors)")
    }
  }

  @Test("an import that does not fit stores nothing; what fits before it is there")
  func filling() throws {
    try withMount("size=2m") { bench in
      let fitting = bench.shell(
        """
        K='--vault m/v --identity id.txt'
        for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do
          \(Self.imports); code=$?; test $code -eq 0 || break; count=$((count + 24))
        done
        echo $code $count; $V verify $K; ls m/v/.staging
        """)
      let lines = fitting.output.split(separator: "\n").suffix(2).map(String.init)
      #expect(lines.first?.hasPrefix("18 ") == true, "\(fitting.output)\(fitting.errors)")
      let count = lines.first.flatMap { Int($0.dropFirst(3)) } ?? -1
      #expect(lines.last == "\(count + 24) records, 0 in the trash, 1 slot: all verified")
    }
  }

  @Test("a file system without inodes is 18")
  func inodes() throws {
    try withMount("size=4m,nr_inodes=70") { bench in
      check(bench, [(Self.imports, 18, "vault: "), ("$V get $ID name $K", 0, nil)])
    }
  }

  @Test("a file system that is read-only is read; writing is 18")
  func readOnly() throws {
    try withMount("size=2m") { bench in
      guard bench.shell("mount -o remount,ro m").code == 0 else { return Need.notRun("read-only", Need.noMounts) }
      let denied = "vault: .lock: the file system is read-only"
      check(
        bench,
        [
          ("$V get $ID name $K", 0, nil), ("$V list -q $K", 0, nil), ("$V verify $K", 0, nil), (Self.add, 18, denied),
          ("$V set $ID website=x $K", 18, denied), (Self.imports, 18, denied), ("$V rm $ID -y $K", 18, denied),
          ("$V export -o m/all.json $K", 18, "vault: m/all.json cannot be made: the system forbids it"),
          ("$V init m/w --generate-identity new.txt; code=$?; ! test -e new.txt && exit $code", 18, "vault: m/w: "),
        ])
    }
  }

  @Test("a vault in a container's image, whose folders cannot be moved, takes imports, rotations and restores")
  func lowerLayer() throws {
    try withMount("size=16m,mode=700") { bench in
      let overlay = "-o lowerdir=m/low,upperdir=m/up,workdir=m/work"
      let setup = "mkdir m/low m/up m/work m/o && mv m/v m/low/v && mount -t overlay overlay \(overlay) m/o"
      guard bench.shell(setup).code == 0 else { return Need.notRun("overlayfs", Need.noMounts) }
      defer { _ = bench.shell("umount m/o || umount -l m/o") }
      let outcome = bench.shell(
        """
        set -e; K='--vault m/o/v --identity id.txt'; export CVAULT_STATE_DIR=$PWD/fresh
        mkdir -m 700 b; $V backup create --to b -q $K; cp -a m/o/v old
        \(Self.imports) -q
        $V rekey -yq $K; $V rekey --reseal -yq $K; $V verify -q $K; ls m/o/v/.staging
        rm -r fresh; $V backup restore b/*.age --to m/o/v --identity id.txt --accept-rollback -q
        sums() { (cd $1 && find . -type f ! -name .lock -exec sha256sum {} + | sort -k 2); }
        $V verify -q $K; sums old >old.txt; sums m/o/v | cmp - old.txt; ls -A m/o | grep -v before-restore
        """)
      #expect(outcome.code == 0, "\(outcome.errors)")
      #expect(outcome.output.hasSuffix("all verified\nv\n"), "\(outcome.output)")
    }
  }

  /// Kernels that mount with quotas are rare: the answer of one that does is put in the place of each write's.
  @Test("a disk quota that is used up is 18, and nothing is lost")
  func quota() throws {
    guard try FaultBench().shell(InjectedFaults.setup).code == 0 else {
      return Need.notRun("quota", InjectedFaults.missing)
    }
    let used = ": the disk quota is used up"
    let rows: [(setup: String, command: String, first: String)] = [
      ("true", "$ADD", "vault: records/"), ("true", "set $ID website=x $K", "vault: $RECORD" + used),
      ("true", "$IMPORT", "vault: .staging" + used), ("true", "rm $ID -y $K", "vault: trash/$ID.json" + used),
      ("true", "checkpoint $K", "vault: checkpoint.jsonl" + used),
      ("true", "rekey -yq $K", "vault: .staging" + used), ("true", "rekey --reseal -yq $K", "vault: .staging" + used),
      ("mkdir -m 700 b", "backup create --to b -q $K", "vault: b/v-"),
      (
        "mkdir -m 700 b; $V backup create --to b -q $K", "backup restore b/*.age --to w -q --identity id.txt",
        "vault: ./.w.restoring" + used
      ),
    ]
    try checkRows(
      "quota", rows.map { FaultRow("quota", $0.setup, "$EDQUOT $V \($0.command)", 18, $0.first) })
  }
}
