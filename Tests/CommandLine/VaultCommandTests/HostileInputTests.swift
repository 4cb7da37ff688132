import Testing
import VaultTestSupport

@Suite("Hostile input")
struct HostileInputTests {
  /// A hostile text, how the shell makes it in the file `h`, where and why it is refused, and whether it is too large.
  private static let texts: [(name: String, make: String, reason: String)] = [
    (
      "16 MiB of [", "head -c 16777216 /dev/zero | tr '\\0' '[' >h",
      "line 1, column 65: the values are nested too deeply"
    ),
    (
      "depth 65", "{ printf '{\"a\":'; head -c 64 /dev/zero | tr '\\0' '['; } >h",
      "line 1, column 69: the values are nested too deeply"
    ),
    ("a number of 65 bytes", "printf '{\\n\"a\":%065d}' 1 | tr 0 9 >h", "line 2, column 5: a number is too long"),
    ("invalid UTF-8", "printf '{\"a\":\"\\377\"}' >h", "line 1, column 7: a string is not valid UTF-8"),
    ("an overlong NUL", "printf '{\"a\":\"\\300\\200\"}' >h", "line 1, column 7: a string is not valid UTF-8"),
    ("half a surrogate pair", "printf '%s' '{\"a\":\"\\ud800\"}' >h", "line 1, column 7: an escape names half"),
    ("a name twice", "printf '{\"a\":1,\"a\":2}' >h", "line 1, column 8: a member name occurs twice"),
    (
      "a name in NFC and NFD", "printf '{\"\\303\\251\":1,\"e\\314\\201\":2}' >h",
      "line 1, column 8: a member name occurs twice"
    ),
    ("a byte order mark", "printf '\\357\\273\\277{}' >h", "line 1, column 1: there is a byte order mark"),
    ("17 MiB", "{ printf '{\"a\":\"'; head -c 17825792 /dev/zero; } >h", ""),
  ]

  /// Eight times the limit of a document plus the mapped libraries; an unlimited tree takes far more.
  private static let bounded = "timeout 30 prlimit --as=1073741824 "

  @Test("a hostile text in the vault is 13, in an input 17, with line and column, in bounded memory and time")
  func texts() throws {
    try checkRows(
      "hostile texts",
      Self.texts.flatMap { name, make, reason in
        let isLarge = reason.isEmpty
        let inVault = isLarge ? "the file is over its size limit" : reason
        var rows = [("$RECORD", "get $ID name $K"), ("vault.json", "list --vault v")].map { place, command in
          FaultRow(
            name, make + "; cp h v/\(place)", Self.bounded + "$V \(command)", 13, "vault: \(place): \(inVault)")
        }
        rows.append(
          FaultRow(
            name, make + "; cp h v/.journal.json", Self.bounded + "$V get $ID name $K", 13,
            "vault: .journal.json" + (isLarge ? ": " + inVault : " is not valid JSON: " + reason)))
        rows.append(
          FaultRow(name, make + "; cp h v/$SLOT", Self.bounded + "$V get $ID name $K", 13, "vault: $SLOT: "))
        rows.append(
          FaultRow(
            name, make, Self.bounded + "$V add customer --from h $K", 17,
            "vault: h" + (isLarge ? " is too large: at most 16 MiB" : ": " + reason)))
        guard !isLarge else { return rows }
        // An import has room for the text around a record, because each record is checked separately.
        let imported =
          switch name {
          case "16 MiB of [": "line 1, column 129: the values are nested too deeply"
          case "depth 65": "line 1, column 70: "
          default: reason
          }
        rows.append(
          FaultRow(name, make, Self.bounded + "$V import json h --kind customer $K", 17, "vault: h: \(imported)"))
        return rows
      })
  }

  @Test("an object with a million members is refused in bounded memory and time")
  func manyMembers() throws {
    let make = "{ printf '{'; seq -f '\"m%.0f\":1,' 1000000; printf '\"z\":1}'; } >h; test $(wc -c <h) -gt 11000000"
    try checkRows(
      "a million members",
      [
        FaultRow(
          "a million members", make + "; cp h v/$RECORD", Self.bounded + "$V show $ID -q --vault v", 13,
          "vault: $RECORD has no $vault member"),
        FaultRow("a million members", make, Self.bounded + "$V add customer --from h $K", 17, "vault: "),
      ])
  }

  @Test("inputs that are no files are read or refused, never followed into the vault")
  func inputs() throws {
    try checkRows(
      "inputs",
      [
        FaultRow(
          "a directory to import", "true", "$V import json home --kind customer $K", 18, "vault: home is a folder"),
        FaultRow(
          "endless input", "true", Self.bounded + "$V add customer --from /dev/zero $K", 17,
          "vault: /dev/zero is too large"),
        FaultRow(
          "endless identity", "true", Self.bounded + "$V get $ID name --vault v --identity /dev/zero", 17,
          "vault: /dev/zero is too large"),
        FaultRow(
          "many blanks to import", "truncate -s 8M f && tr '\\0' '\\n' <f >blanks",
          Self.bounded + "$V import jsonl blanks --kind customer -q $K | grep -qx '0 stored, 0 refused'", 0, nil),
        FaultRow(
          "an array of more than 128 MiB to import", "truncate -s 129M f",
          Self.bounded + "$V import json f --kind customer $K", 17, "vault: f is too large: at most 128 MiB"),
        FaultRow(
          "more than 128 MiB from a pipe", "true",
          "head -c 135266304 /dev/zero | " + Self.bounded + "$V import jsonl - --kind customer $K", 17,
          "vault: stdin is too large: at most 128 MiB"),
        FaultRow(
          "a line that no record is as long as", "truncate -s 4G f",
          Self.bounded + "$V import jsonl f --kind customer $K", 17, "vault: f has a line of more than 16 MiB"),
        FaultRow(
          "a last line from a pipe that is too long",
          "echo '{' >f", "(cat f; head -c 20000000 /dev/zero) | $V import jsonl - --kind customer $K", 17,
          "vault: stdin: line 1: "),
        FaultRow(
          "a named FIFO", "mkfifo p", "(echo '{' >p &) ; " + Self.bounded + "$V import jsonl p --kind customer $K", 17,
          "vault: p: line 1: "),
        FaultRow(
          "a limit that no list reaches", "true", "$V list --quiet --limit 9223372036854775807 --vault v >list", 0, nil),
        FaultRow(
          "a file whose size says nothing", "true",
          "$V import jsonl /proc/self/mountinfo --kind customer $K", 17, "vault: /proc/self/mountinfo: line 1: "),
        FaultRow("a FIFO to export to", "mkfifo f", "$V export -o f $K", 18, "vault: f is not a regular file"),
      ])
  }
}

@Suite("Names on disk")
struct NamesOnDiskTests {
  @Test("names of files are lower-case hex alone, so no file system can take two for one")
  func namesAreHex() throws {
    let bench = try FaultBench()
    let added = bench.workspace.open("import", "json", Fixture.customers, "--kind", "customer")
    #expect(added.code == 0)
    let names = FileTree.files(below: bench.workspace.vault + "/records")
    #expect(names.count == 48)
    for name in names {
      #expect(name.wholeMatch(of: /[0-9a-f]{2}\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.json/) != nil, "\(name)")
    }
    #expect(Set(names.map { $0.lowercased() }).count == names.count)
  }

  @Test("two spellings of one name, NFC and NFD, and of other case, are two records")
  func twinNames() throws {
    let bench = try FaultBench()
    let ids = ["Zo\u{E9}", "Zoe\u{301}", "ZO\u{C9}"].map { name in
      bench.workspace.open("add", "customer", "--set", "name=\(name)", "--generate", "access_key").output.dropLast()
    }
    #expect(Set(ids).count == 3)
    #expect(bench.workspace.open("get", String(ids[0]), "name").stdout == Array("Zo\u{E9}".utf8))
    #expect(bench.workspace.open("get", String(ids[1]), "name").stdout == Array("Zoe\u{301}".utf8))
    #expect(bench.workspace.open("verify").code == 0)
  }

  @Test(
    "a file that only differs from a record's name in case, or is no id at all, is no record and is reported",
    arguments: ["$FOLDER/$(echo $ID | tr a-f A-F).json", "$FOLDER/$ID.JSON", "$FOLDER/Zo\u{E9}.json", "Zoe\u{301}"])
  func strayTwins(_ path: String) throws {
    let bench = try FaultBench()
    let place = path.hasPrefix("$") ? path : "records/" + path
    // An id without letters has no twin of another case; the file is in place then already.
    guard
      bench.shell("cd v; test -e \"\(place)\" || cp $RECORD \"\(place)\"; test $(find records -type f | wc -l) = 25")
        .code == 0
    else { return Need.notRun("stray twin \(path)", "names that only differ in case are taken for one another") }
    let before = bench.state()
    #expect(bench.workspace.run("list", "--vault", "v").output.split(separator: "\n").count == 24)
    #expect(bench.workspace.open("get", "Shai Mishali", "name").output == "Shai Mishali")
    let verified = bench.workspace.open("verify")
    #expect(verified.status == .damaged)
    #expect(verified.output == "24 records, 0 in the trash, 1 slot: 1 fault\n", "\(verified.errors)")
    #expect(bench.state() == before)
  }
}
