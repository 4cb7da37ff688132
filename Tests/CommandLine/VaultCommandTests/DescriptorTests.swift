import Testing
import VaultTestSupport

@Suite("Descriptors")
struct DescriptorTests {
  /// Every way to close some of the three, as a shell writes it.
  private static let closings = (1..<8).map { bits in
    ["<&-", ">&-", "2>&-"].enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element).joined(separator: " ")
  }

  @Test("with closed standard descriptors nothing lands in a file of the vault", arguments: closings)
  func closed(_ closing: String) throws {
    let bench = try FaultBench()
    let noOutput = closing.split(separator: " ").contains(">&-")
    let noInput = closing.contains("<&-")
    let rows: [(command: String, code: Int32)] = [
      ("$V get $ID name $K", noOutput ? 18 : 0), ("$V list --vault v", noOutput ? 18 : 0),
      ("$V list --vault none", 6), ("$V export --reveal $K", noOutput ? 18 : 0),
      ("$V export --reveal -o all.json $K", 0), ("$V set $ID website=y $K", 0),
      ("echo 1234 | $V set $ID --secret-stdin atm_code $K", noInput ? 18 : 0), ("$V $ADD", noOutput ? 18 : 0),
      ("$V $IMPORT", noOutput ? 18 : 0),
    ]
    for (command, code) in rows {
      let outcome = bench.shell("\(command) \(closing)")
      #expect(outcome.code == code, "\(command) \(closing): \(outcome.errors)")
      #expect(!closing.contains("2>&-") || outcome.errors == "")
    }
    let verified = bench.workspace.open("verify")
    #expect(verified.output == "49 records, 0 in the trash, 1 slot: all verified\n", "\(verified.errors)")
    #expect(bench.shell("$V export --reveal $K | cmp -s - all.json; grep -rlE '^(vault|note|hint): ' v").output == "")
    #expect(bench.leftovers().isEmpty)
  }

  @Test("a full device as output is 18; a reader that has gone is no fault")
  func outputs() throws {
    try checkRows(
      "outputs",
      [
        FaultRow(
          "full stdout", "test -c /dev/full", "$V list -q $K >/dev/full", 18,
          "vault: stdout cannot be written: no space"),
        FaultRow("full stderr", "test -c /dev/full", "$V list --vault none 2>/dev/full", 6, ""),
        FaultRow(
          "closed pipe", "true", "{ $V list -q --vault v; echo $? >code.txt; } | head -n 1; exit $(cat code.txt)", 0,
          nil),
        FaultRow(
          "pipe without a reader", "true",
          "{ sleep 0.3; $V export --reveal $K; echo $? >code.txt; } | true; exit $(cat code.txt)", 0, nil),
        FaultRow("no terminal", "true", "setsid -w $V rm $ID $K", 3, "vault: this needs confirmation"),
        FaultRow("no terminal", "true", "setsid -w $V get $ID name --vault v", 11, "vault: v: no key is given"),
        FaultRow(
          "no terminal", "true", "setsid -w $V set $ID --secret atm_code $K", 3, "vault: --secret: there is no terminal"
        ),
        FaultRow(
          "no terminal", "true", "setsid -w $V export --format kdbx --reveal --yes -o new.kdbx $K", 11,
          "vault: a new passphrase is needed, and there is no terminal to ask for it"),
        FaultRow("no terminal", "true", "setsid -w $V add customer $K", 64, "vault: no field is given"),
      ].map { row in
        row.first == "" ? FaultRow(row.fault, row.setup, row.command, row.code, nil) : row
      })
  }
}
