import Testing
import VaultTestSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A fault, a command under it, and how the command must end.
struct FaultRow: Sendable, CustomTestStringConvertible {
  let fault: String
  /// Shell text that brings the fault about, in the folder of the vault `v`; it fails where that cannot be done.
  let setup: String
  /// Shell text that runs `vault`; see ``FaultBench/variables``.
  let command: String
  let code: Int32
  /// The beginning of the first line on stderr, with variables filled in; nil for an empty stderr.
  let first: String?

  init(_ fault: String, _ setup: String, _ command: String, _ code: Int32, _ first: String?) {
    (self.fault, self.setup, self.command, self.code, self.first) = (fault, setup, command, code, first)
  }

  var testDescription: String { "\(fault): \(command)" }
}

/// A workspace of its own for one row, with a copy of the same vault of 24 customers.
struct FaultBench {
  private static let template = Result { try Workspace.withCustomers() }

  let workspace: Workspace
  /// The values of `$NAME` in rows: the program, the options for vault and key, a record, its file, folder and id, the
  /// slot, and a file to import. The vault is already known here, so that the notes of a first use do not appear.
  let variables: [String: String]

  init() throws {
    let template = try Self.template.get()
    workspace = try Workspace()
    let copied = ProcessRun(
      path: "/bin/cp", arguments: ["-a", template.vault, template.identity, template.path + "/state", workspace.path],
      environment: ["PATH": "/usr/bin:/bin"]
    ).run()
    try #require(copied.code == 0, "\(copied.errors)")
    // The path is new, and the note about it is not a part of the row either.
    try #require(workspace.open("list", "--limit", "1").errors.hasPrefix("note: this is a copy of the vault at "))
    let record = try template.recordFile("Shai Mishali")
    let slot = try #require(FileTree.names(in: template.vault + "/slots").first)
    variables = [
      "V": Binary.path, "K": "--vault v --identity id.txt", "RECORD": record, "FOLDER": String(record.prefix(10)),
      "ID": String(record.dropFirst(11).prefix(36)), "SLOT": "slots/" + slot, "CUSTOMERS": Fixture.customers,
      "ADD": "add customer --set name=New --generate access_key --vault v --identity id.txt",
      "IMPORT": "import json \(Fixture.customers) --kind customer --vault v --identity id.txt",
      "NOBODY": geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : "",
    ].merging(InjectedFaults.variables) { $1 }
  }

  /// A shell script in the workspace.
  func shell(_ script: String, timeout: Int = 60, hasTerminal: Bool = false) -> ProcessOutcome {
    var plan = ProcessRun(
      path: "/bin/sh", arguments: ["-c", script], environment: workspace.environment, directory: workspace.path)
    plan.environment.merge(variables) { $1 }
    plan.environment["XDG_RUNTIME_DIR"] = workspace.path + "/tmp"
    plan.timeoutSeconds = timeout
    if hasTerminal { plan.terminal = [] }
    return plan.run()
  }

  func filled(_ text: String) -> String {
    let names = variables.keys.sorted { $0.utf8.count > $1.utf8.count }
    return names.reduce(text) { text, name in
      text.split(separator: "$" + name, omittingEmptySubsequences: false).joined(separator: variables[name] ?? "")
    }
  }

  /// The files that must not change: every file of the vault except the lock, whose content is only informative.
  func state() -> FolderState { workspace.snapshot().filter { $0.key != ".lock" } }

  /// Names of files that a command should have taken away: in the vault, beside it, and where texts are edited.
  func leftovers() -> [String] {
    FileTree.names(in: workspace.vault + "/.staging") + FileTree.names(in: workspace.path + "/tmp")
      + FileTree.names(in: workspace.path).filter { $0.hasSuffix(".tmp") }
  }

  /// Brings the fault about and checks the command.
  ///
  /// - Returns: whether the fault could be brought about here.
  func check(_ row: FaultRow) throws -> Bool {
    guard shell("set -e\n" + row.setup).code == 0 else { return false }
    let before = state()
    let outcome = shell(row.command)
    #expect(!outcome.hung)
    #expect(outcome.code == row.code, "\(row.testDescription): \(outcome.errors)")
    if let first = row.first {
      // A note about something else, such as a state folder that cannot be written, may stand above.
      let isNote = first.hasPrefix("note: ")
      let line = outcome.errorLines.first { isNote || !$0.hasPrefix("note: ") }
      // `vault: FILE: ` stands for the subject alone.
      let isSubject = first.hasPrefix("vault: ") && first.hasSuffix(": ") && first != "vault: "
      let subject = filled(String(first.dropFirst(7).dropLast(2)))
      #expect(
        isSubject ? line?.isError(about: subject) == true : line?.hasPrefix(filled(first)) == true,
        "\(row.testDescription): \(outcome.errors)")
    } else {
      #expect(outcome.errors == "", "\(row.testDescription)")
    }
    guard row.code != 0 else { return true }
    #expect(state() == before, "\(row.testDescription)")
    #expect(leftovers().isEmpty, "\(row.testDescription): \(leftovers())")
    return true
  }
}

/// System calls of the built binary that fail as told, where `strace` is there and may trace.
enum InjectedFaults {
  /// The system calls that signals interrupt, and those that a full quota forbids.
  private static let (interruptible, writing) = (
    "pwrite64,fsync,fdatasync,syncfs,getdents64,flock,mkdirat,renameat,renameat2,unlinkat,ftruncate,linkat",
    "pwrite64,mkdirat"
  )

  private static func tracer(_ calls: String, _ fault: String) -> String {
    "timeout 50 strace -f -qq -o strace.txt -e trace=\(calls) -e inject=\(calls):\(fault)"
  }

  /// The values of `$NAME` in rows: every third call is interrupted, every second write, or every write exceeds the
  /// quota.
  static let variables = [
    "EINTR": tracer(interruptible, "error=EINTR:when=1+3"), "EINTR_WRITE": tracer("write", "error=EINTR:when=1+2"),
    "EDQUOT": tracer(writing, "error=EDQUOT"),
  ]

  static let missing = "strace is not installed, or may not trace"
  static let setup = "strace -qq -o strace.txt true"
}

/// Counts the rows of one table, and says plainly which could not be run.
func checkRows(_ name: String, _ rows: [FaultRow]) throws {
  var notRun: [String] = []
  for row in rows where try !FaultBench().check(row) { notRun.append(row.fault) }
  for fault in notRun { Need.notRun("\(name), \(fault)", "this machine cannot make the fault") }
  print("\(name): \(rows.count - notRun.count) run")
  #expect(notRun.count < rows.count)
}

extension String {
  /// Whether it is an error about this subject, which is followed by a sentence, or by a verb without the colon.
  func isError(about subject: String) -> Bool { hasPrefix("vault: \(subject): ") || hasPrefix("vault: \(subject) ") }
}
