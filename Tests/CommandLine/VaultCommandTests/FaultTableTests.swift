import Testing
import VaultTestSupport

@Suite("Faults")
struct FaultTableTests {
  /// The replacement of a file, how it is made, and the messages about it in place of a file and of a folder.
  private static let replacements: [(name: String, make: String, file: String, folder: String?)] = [
    ("a directory", "mkdir", "is not a regular file", nil),
    (
      "a link", "ln -s /etc/passwd", "is a symbolic link, which is not followed",
      "is a symbolic link, which is not followed"
    ),
    ("a link to nowhere", "ln -s /none", "is a symbolic link", "is a symbolic link"),
    ("a FIFO", "mkfifo", "is not a regular file", "is not a folder"),
    ("a device", "mk() { mknod \"$1\" c 1 5; }; mk", "is not a regular file", "is not a folder"),
  ]

  private static let fileCommands: [(place: String, commands: [String])] = [
    ("$RECORD", ["$V get $ID name $K", "$V set $ID website=x $K", "$V rm $ID -y $K", "$V list $K"]),
    ("vault.json", ["$V get $ID name $K", "$V list --vault v", "$V $ADD", "$V $IMPORT"]),
    ("$SLOT", ["$V get $ID name $K", "$V $ADD"]),
    (".lock", ["$V $ADD", "$V set $ID website=x $K", "$V $IMPORT"]),
    (".journal.json", ["$V get $ID name $K", "$V list --vault v", "$V $ADD", "$V $IMPORT"]),
  ]

  private static let folderCommands: [(place: String, commands: [String])] = [
    ("records", ["$V get $ID name $K", "$V list --vault v", "$V $ADD", "$V $IMPORT"]),
    ("$FOLDER", ["$V get $ID name $K", "$V set $ID website=x $K"]),
    ("slots", ["$V get $ID name $K", "$V $ADD"]),
    (".staging", ["$V $ADD", "$V set $ID website=x $K", "$V $IMPORT"]),
    ("trash", ["$V rm $ID -y $K"]),
  ]

  @Test("a file in whose place something else stands is 13, never followed, never waited for")
  func replacedFiles() throws {
    try checkRows("replaced files", Self.rows(Self.fileCommands) { $0.file })
  }

  @Test("a folder in whose place something else stands is 13, never followed, never waited for")
  func replacedFolders() throws {
    try checkRows("replaced folders", Self.rows(Self.folderCommands) { $0.folder })
  }

  @Test("the hint for what is no document of the vault is not version control")
  func hintsForWorkingFiles() throws {
    for (place, make, hint) in [
      (".lock", "mkdir", "remove it"), (".staging", "ln -s /tmp", "remove it"),
      (".journal.json", "mkdir", "`vault repair --dry-run`"),
    ] {
      let outcome = try FaultBench().shell("rm -rf v/\(place); \(make) v/\(place); $V $ADD")
      #expect(outcome.status == .damaged)
      #expect(outcome.errorLines.dropFirst().first?.hasPrefix("hint: \(hint)") == true, "\(outcome.errors)")
    }
  }

  private static func rows(
    _ places: [(place: String, commands: [String])],
    _ reason: ((name: String, make: String, file: String, folder: String?)) -> String?
  ) -> [FaultRow] {
    places.flatMap { place, commands in
      replacements.flatMap { replacement in
        guard let reason = reason(replacement) else { return [FaultRow]() }
        return commands.map { command in
          FaultRow(
            "\(replacement.name) for \(place)", "rm -rf v/\(place); \(replacement.make) v/\(place)", command, 13,
            "vault: \(place) \(reason)")
        }
      }
    }
  }

  @Test("what reading does not need may be broken while it reads")
  func readingGoesOn() throws {
    let rows = [".lock", ".staging", "trash"].flatMap { place in
      ["rm -rf v/\(place)", "rm -rf v/\(place); mkfifo v/\(place)"].map { setup in
        FaultRow("no usable \(place)", setup, "$V get $ID name $K", 0, nil)
      }
    }
    try checkRows("reading goes on", rows)
  }

  @Test("missing and deleted directories")
  func missingDirectories() throws {
    let gone = "mkdir gone && cd gone && rmdir ../gone && "
    try checkRows(
      "missing directories",
      [
        FaultRow("no vault", "rm -r v", "$V list --vault v", 6, "vault: v is not a vault"),
        FaultRow("no vault", "rm -r v", "$V $ADD", 6, "vault: v is not a vault"),
        FaultRow("no slots", "rm -r v/slots", "$V get $ID name $K", 13, "vault: $SLOT is missing"),
        FaultRow("no staging, trash and lock", "rm -r v/.staging v/trash v/.lock", "$V rm $ID -yq $K", 0, nil),
        FaultRow(
          "no folder to export to", "true", "$V export -o none/all.json $K", 18,
          "vault: the folder of none/all.json does not exist"),
        FaultRow(
          "no file to import", "true", "$V import json none --kind customer $K", 18, "vault: none does not exist"),
        FaultRow("no identity file", "rm id.txt", "$V get $ID name $K", 18, "vault: id.txt does not exist"),
        FaultRow("deleted working directory", "true", gone + "$V list --vault v", 6, "vault: v is not a vault"),
        FaultRow("deleted working directory", "true", gone + "$V list", 6, "vault: "),
        FaultRow(
          "deleted working directory", "true", "W=$PWD; " + gone + "$V get $ID name --vault $W/v --identity $W/id.txt",
          0, nil),
        FaultRow(
          "deleted working directory", "true",
          "W=$PWD; " + gone + "$V export --reveal -o x.json --vault $W/v --identity $W/id.txt", 18,
          "vault: the folder of x.json does not exist"),
      ])
  }

  @Test("limits of the process: file size, open files, locked memory, address space")
  func limits() throws {
    let locked = "note: the memory for secrets could be swapped out"
    let own = "chmod 711 .; if [ -n \"$NOBODY\" ]; then cp $V vault-copy; chown -R 65534:65534 v id.txt state; fi"
    let nobody = "P=$V; if [ -n \"$NOBODY\" ]; then P=./vault-copy; fi; "
    try checkRows(
      "limits",
      [
        FaultRow("file size limit", "true", "prlimit --fsize=100 $V $ADD", 18, "vault: records/"),
        FaultRow(
          "file size limit", "true", "prlimit --fsize=100 $V set $ID website=x $K", 18, "vault: $RECORD: the file size"),
        FaultRow("file size limit", "true", "prlimit --fsize=100 $V $IMPORT", 18, "vault: records/"),
        FaultRow(
          "file size limit", "true", "prlimit --fsize=100 $V export -o all.json $K", 18,
          "vault: all.json cannot be written"),
        FaultRow("20 open files", "true", "prlimit --nofile=20:20 $V $ADD", 0, nil),
        FaultRow("20 open files", "true", "prlimit --nofile=20:20 $V $IMPORT", 0, nil),
        FaultRow("20 open files", "true", "prlimit --nofile=20:20 $V export --reveal -o all.json $K", 0, nil),
        FaultRow("9 open files", "true", "prlimit --nofile=9:9 $V $IMPORT", 18, "vault: "),
        FaultRow("no locked memory", own, nobody + "prlimit --memlock=0:0 $NOBODY $P get $ID name $K", 0, locked),
        FaultRow("no locked memory", own, nobody + "prlimit --memlock=0:0 $NOBODY $P $ADD", 0, locked),
        FaultRow(
          "64 KiB of locked memory", own, nobody + "prlimit --memlock=65536:65536 $NOBODY $P get $ID name $K", 0, locked
        ),
        FaultRow(
          "64 KiB of locked memory", own, nobody + "prlimit --memlock=65536:65536 $NOBODY $P $IMPORT", 0, locked),
        FaultRow(
          "64 KiB of locked memory, one line", own,
          nobody + "prlimit --memlock=65536:65536 $NOBODY $P $IMPORT 2>&1 >out.txt | wc -l | grep -x 1 >out.txt", 0, nil
        ),
        FaultRow(
          "8 MiB of locked memory", own, nobody + "prlimit --memlock=8388608:8388608 $NOBODY $P get $ID name $K", 0, nil
        ),
      ])
  }

  @Test("system calls that signals interrupt again and again are made again")
  func interruptedCalls() throws {
    guard try FaultBench().shell(InjectedFaults.setup).code == 0 else {
      return Need.notRun("interrupted calls", InjectedFaults.missing)
    }
    let good = " >out.txt && grep -q INJECTED strace.txt && $V verify -q $K >out.txt"
    let backup = "backup create --to b -q $K >out.txt"
    try checkRows(
      "interrupted calls",
      [
        FaultRow("EINTR", "true", "$EINTR $V list $K" + good, 0, nil),
        FaultRow("EINTR", "true", "$EINTR $V $ADD" + good, 0, nil),
        FaultRow("EINTR", "true", "$EINTR $V set $ID website=x $K" + good, 0, nil),
        FaultRow("EINTR", "true", "$EINTR $V rm $ID -yq $K" + good, 0, nil),
        FaultRow("EINTR", "true", "$EINTR $V $IMPORT -q" + good, 0, nil),
        FaultRow("EINTR", "true", "$EINTR $V rekey -yq $K" + good, 0, nil),
        FaultRow("EINTR", "true", "$EINTR $V rekey --reseal -yq $K" + good, 0, nil),
        FaultRow("EINTR", "mkdir -m 700 b", "$EINTR $V \(backup)" + good, 0, nil),
        FaultRow(
          "EINTR", "mkdir -m 700 b; $V \(backup)",
          "$EINTR $V backup restore b/*.age --to w --identity id.txt -q" + good, 0, nil),
        FaultRow("EINTR", "true", "$EINTR $V export --reveal -o all.json $K" + good, 0, nil),
        FaultRow("EINTR", "true", "$EINTR_WRITE $V export --reveal $K" + good, 0, nil),
      ])
  }

  @Test("modes that forbid: 18, for a user whom they bind")
  func permissions() throws {
    let own = "chmod 711 .; if [ -n \"$NOBODY\" ]; then cp $V vault-copy; chown -R 65534:65534 v id.txt state; fi; "
    let nobody = "P=$V; if [ -n \"$NOBODY\" ]; then P=./vault-copy; fi; "
    let rows: [(String, String, String)] = [
      ("0 v", "get $ID name $K", "v"), ("0 v", "$ADD", "v"), ("400 v", "get $ID name $K", "vault.json"),
      ("500 v", "$IMPORT", "records"), ("0 v/vault.json", "list --vault v", "vault.json"),
      ("0 v/records", "get $ID name $K", "records"), ("0 v/records", "$ADD", "records"),
      ("0 v/$FOLDER", "list $K", "$FOLDER"), ("500 v/$FOLDER", "set $ID website=x $K", "$RECORD"),
      ("500 v/$FOLDER", "rm $ID -y $K", ""), ("0 v/$RECORD", "get $ID name $K", "$RECORD"),
      ("0 v/slots", "$ADD", "slots"), ("0 v/$SLOT", "get $ID name $K", "$SLOT"), ("0 v/.lock", "$ADD", ".lock"),
      ("0 v/.staging", "$ADD", ".staging"), ("500 v/.staging", "$IMPORT", ".staging"), ("0 id.txt", "$ADD", "id.txt"),
      ("500 v/trash", "rm $ID -y $K", ""),
    ]
    try checkRows(
      "permissions",
      rows.filter { !$0.2.isEmpty }.map { mode, command, place in
        FaultRow("mode \(mode)", own + "chmod \(mode)", nobody + "$NOBODY $P \(command)", 18, "vault: \(place)")
      })
  }
}
