import Testing
import VaultDocument
import VaultTestSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A command that starts another program, and the ways that a secret may take then.
struct TracedRow: Sendable, CustomTestStringConvertible {
  let title: String
  /// The files of `Sources/CommandLine` and `Sources/Packs` that start the program.
  let places: [String]
  /// Commands of the shell; `$K` opens the vault by its passphrase.
  let script: String
  /// Programs that get a marker in their environment, because the command line says so.
  var environment: Set<String> = []
  /// Programs to or from which a pipe with a marker leads.
  var pipes: Set<String> = []
  /// Whether the command prints a marker, because the person asked for it.
  var prints = false
  /// Whether files in memory hold a marker: without a name, or in a folder of this beginning.
  var memory: [String] = []
  /// Whether the program inherits what the caller of the command has open, and a file in memory.
  var inherits = false
  var isAtTerminal = false

  var testDescription: String { title }
}

/// The path of a marker when a command starts another program, as strace shows.
@Suite("A marker secret under strace")
struct TracedTests {
  /// The value of a record, and the passphrase of the vault.
  private static let (secret, passphrase) = ("MARKERsecretVALUEofRECORD4711", "MARKERwordsTHATopenVAULT0815")

  static let rows: [TracedRow] = [
    TracedRow(
      title: "run becomes a program with a variable", places: ["ProgramRun"],
      script: #"vault run --redact never --env A=cvault://Mark/password $K -- sh -c 'test "$A"'"#,
      environment: ["sh"], inherits: true),
    TracedRow(
      title: "run watches the output of a program", places: ["ProgramRun"],
      script: #"vault run --env A=cvault://Mark/password $K -- sh -c 'echo "$A"' | cat >shown"#, environment: ["sh"],
      inherits: true),
    TracedRow(
      title: "run with a file of variables", places: ["ProgramRun"],
      script: #"echo A=cvault://Mark/password >file; vault run --env-file file --allow A $K -- sh -c 'test "$A"'"#,
      environment: ["sh"], inherits: true),
    TracedRow(
      title: "run gives a file in memory", places: ["ProgramRun"],
      script: #"vault run --fd A=cvault://Mark/password $K -- sh -c 'test -s "$A"'"#, memory: ["/memfd:"],
      inherits: true),
    TracedRow(
      title: "run gives standard input", places: ["ProgramRun"],
      script: #"vault run --stdin cvault://Mark/password $K -- sh -c 'grep -c MARK >/dev/null'"#, memory: ["/memfd:"],
      inherits: true),
    TracedRow(
      title: "run gives a file in a folder in memory", places: ["ProgramRun"],
      script: #"vault run --file A=cvault://Mark/password $K -- sh -c 'test -s "$A"'"#, memory: ["cvault-run-"],
      inherits: true),
    TracedRow(
      title: "run keeps the descriptor with the passphrase from the program", places: ["ProgramRun"],
      script: """
        vault run --passphrase-fd 8 --env A=cvault://Mark/password -- sh -c 'test ! -e /dev/fd/8' 8<given/pass
        """, environment: ["sh"], inherits: true),
    TracedRow(
      title: "edit with an editor that is not known", places: ["Editor"],
      script: "CVAULT_EDITOR='sed -i s/ada/eva/' vault edit Mark $K", memory: ["vault-edit-"], isAtTerminal: true),
    TracedRow(
      title: "edit with an editor that is asked for its version", places: ["Editor"],
      script: "EDITOR=vim vault edit Mark $K", memory: ["vault-edit-"], isAtTerminal: true),
    TracedRow(
      title: "a list through a pager", places: ["Pager"],
      script: "stty rows 2; PAGER=cat' -v' vault list", isAtTerminal: true),
    TracedRow(
      title: "copy, and empty the clipboard later", places: ["Clipboard", "ClipboardClearing"],
      script: "DISPLAY=:0 vault copy Mark --clear-after 1 $K; wait", pipes: ["xclip"]),
    TracedRow(
      title: "ssh add with a passphrase", places: ["SSHAgent"],
      script: "SSH_AUTH_SOCK=$PWD/agent vault ssh add Key $K", pipes: ["ssh-add"],
      prints: true),
    TracedRow(
      title: "a passphrase from a command", places: ["SecretInput"],
      script: "vault get Mark password --passphrase-command 'cat given/pass' >/dev/null", prints: true),
    TracedRow(
      title: "an identity from a command", places: ["SecretInput"],
      script: "vault get Mark password --identity-command 'cat given/id.txt' >/dev/null", prints: true),
    TracedRow(
      title: "the agent, and a command that uses it", places: ["AgentProcess"],
      script: "vault unlock $K; vault get Mark password >/dev/null; vault lock", prints: true),
    TracedRow(
      title: "import of another tool's file", places: ["SourceReader"],
      script: "vault import csv given/other.csv --kind login $K", pipes: ["exe", "vault"]),
    TracedRow(
      title: "import of a sealed file", places: ["SourceReader"],
      script: "vault import keepass-kdbx sealed.kdbx --source-passphrase-file given/pass $K", pipes: ["exe", "vault"]),
    TracedRow(
      title: "import of a store that a command opens", places: ["DecryptedStore", "SourceReader"],
      script: "vault import pass given/store --decrypt cat $K", pipes: ["exe", "vault"], memory: ["/memfd:"]),
    TracedRow(
      title: "a command after a backup", places: ["AfterCommand"],
      script: "mkdir backups; vault backup create --to backups --after 'test -s \"$BACKUP_FILE\"' $K >/dev/null"),
    TracedRow(
      title: "a signed deposit, and its signature", places: ["DepositSignature"],
      script: """
        ssh-keygen -q -t ed25519 -N '' -f mine; printf 'ada@example.com %s\n' "$(cat mine.pub)" >signers
        vault inbox signers --set signers $K
        vault deposit login Signed --secret-file password=given/secret --sign mine >/dev/null
        vault inbox accept --all --signed $K >/dev/null; rm mine
        """),
    TracedRow(
      title: "a picture of a recovery sheet", places: ["SheetPicture"],
      script: """
        printf '\\211PNG\\r\\n\\032\\n' >page.png; vault key sheet --check page.png 2>/dev/null || test $? = 17
        """),
    TracedRow(
      title: "log, diff and earlier versions in git", places: ["AskedTool", "Git"],
      script: """
        vault log Mark $K >/dev/null; vault diff HEAD~1 $K >/dev/null
        vault get Mark password --at HEAD $K >/dev/null
        """, prints: true),
    TracedRow(
      title: "a merge, which commits", places: ["Git"],
      script: "vault git setup; vault merge other $K"),
    TracedRow(
      title: "git, which starts merge drivers and textconv", places: ["Git"],
      script: """
        export CVAULT_PASSPHRASE_FILE=$PWD/../given/pass
        vault git setup; git diff HEAD~1 >/dev/null; git merge -q other
        """),
  ]

  /// The beginning of a row: a vault in git with two branches that change the record, and tools that read their input.
  private static let preparation = """
    set -e; mkdir bin given given/store; printf %s \(passphrase) >given/pass; printf %s \(secret) >given/secret
    printf 'title,username,password\\nOther,ann,\(secret)\\n' >given/other.csv; echo \(secret) >given/store/a.gpg
    printf '#!/bin/sh\\ncase "$*" in *-out*) ;; *) cat >/dev/null;; esac\\n' >bin/xclip
    cat >bin/ssh-add <<'END'
    #!/bin/sh
    case "$*" in *-L*) echo "The agent has no identities."; exit 1;; esac
    cat >/dev/null; "$SSH_ASKPASS" "Enter passphrase" | grep -q MARKERsecret
    END
    printf '#!/bin/sh\\ncat >/dev/null; exit 4\\n' >bin/zbarimg
    cat >bin/vim <<'END'
    #!/bin/sh
    case "$*" in *--version*) echo "VIM - Vi IMproved"; exit;; esac
    for file; do :; done; sed -i s/ada/eva/ "$file"
    END
    chmod 755 bin/*; export CVAULT_DIR=$PWD/v
    vault init v --generate-identity id.txt; export CVAULT_IDENTITY_FILE=$PWD/id.txt
    vault key add --passphrase --new-passphrase-file given/pass --label words --work-factor 10
    vault add login title=Mark username=ada --secret-file password=given/secret
    ssh-keygen -q -t ed25519 -N \(secret) -f key -C key
    vault add ssh-key title=Key public_key="$(cat key.pub)" --secret-file private_key=key --secret-file passphrase=given/secret
    vault export --reveal --format kdbx --new-passphrase-file given/pass -o sealed.kdbx Mark
    cd v; git init -q -b main; vault git setup; git add -A; git commit -qm one; git clone -q . ../b; cd ../b
    CVAULT_DIR=$PWD CVAULT_STATE_DIR=$PWD/../state-b vault set Mark username=bob; git commit -qam two
    git push -q origin HEAD:other; cd ../v
    vault set Mark urls[0]=https://example.com; git commit -qam three; cd ..; mv id.txt given; rm -r key b
    """

  private static let need = Need(
    Need.command("strace").isMet && Need.command("git").isMet && Need.command("ssh-keygen").isMet && geteuid() == 0,
    otherwise: "this needs strace, git, ssh-keygen, and root, who sees the descriptors of a process that forbids it")

  private static func variables(of workspace: Workspace) -> [String: String] {
    var variables = workspace.environment
    for role in ["AUTHOR", "COMMITTER"] {
      (variables["GIT_\(role)_NAME"], variables["GIT_\(role)_EMAIL"]) = ("Ada", "ada@example.com")
    }
    variables["PATH"] = "\(workspace.path)/bin:\(Binary.parent(Binary.path)):/usr/bin:/bin"
    variables["K"] = "--passphrase-file \(workspace.path)/given/pass"
    variables["XDG_RUNTIME_DIR"] = workspace.path + "/run"
    return variables
  }

  /// Runs a row, with descriptor 9 as what the caller has open and no program needs.
  private static func trace(_ row: TracedRow, in workspace: Workspace) throws -> SystemTrace {
    var variables = variables(of: workspace)
    let made = ProcessRun(
      path: "/bin/sh", arguments: ["-c", preparation], environment: variables, directory: workspace.path
    ).run()
    try #require(made.code == 0, "\(made.errors)")
    variables["CVAULT_DIR"] = workspace.path + "/v"
    workspace.prepare("mkdir -m 700 run trace")
    let script = "set -e; exec 9<given/secret; \(row.places.contains("Git") ? "cd v; " : "")\(row.script)"
    var plan = ProcessRun(
      path: "/usr/bin/strace", arguments: SystemTrace.words(writing: workspace.path + "/trace/t", script),
      environment: variables, directory: workspace.path)
    if row.isAtTerminal { (plan.terminal, plan.outputOnTerminal) = ([], true) }
    let outcome = plan.run()
    try #require(outcome.code == 0, "\(outcome.errors)\(outcome.shown)")
    let shown = outcome.stdout + outcome.stderr + outcome.screen
    #expect(!forms.contains { shown.holds(Array($0.utf8)) }, "what the person sees")
    return SystemTrace(workspace.path + "/trace/t", markers: forms)
  }

  /// The markers as they stand in texts, in hex and in base64.
  private static let forms: [String] = [secret, passphrase].flatMap { marker in
    let bytes = Array(marker.utf8)
    return [marker, Hex.encode(bytes)]
      + (0..<3).map { shift in
        // Characters that no neighbour of the marker changes.
        let text = Base64.encode([UInt8](repeating: 0, count: shift) + bytes)
        return String(text.dropFirst(4).dropLast(4))
      }
  }

  @Test(
    "no program gets a marker, a descriptor or a core that it does not need",
    .enabled(if: need.isMet(forCases: rows.count, of: "markers under strace")), arguments: rows)
  func marker(_ row: TracedRow) throws {
    let workspace = try Workspace()
    let trace = try Self.trace(row, in: workspace)
    let ours = trace.starts.filter(\.isOurs)
    #expect(!ours.isEmpty)
    for start in trace.starts { #expect(!trace.holdsMarker(start.words), "\(start.program): \(start.words)") }
    for start in ours where !row.environment.contains(start.program) {
      #expect(!trace.holdsMarker(start.variables), "\(start.program)")
    }
    let inheriting = ours.filter { !$0.closed.contains("9") }.map(\.program)
    #expect(row.inherits || inheriting == [], "programs have a descriptor of the caller")
    #expect(trace.inherited.filter { !(row.inherits && $0.hasPrefix("memfd_create")) } == [])
    #expect(trace.dumpableCount == 0)
    #expect(trace.sights.filter { !isAllowed($0, row, trace) }.map { "\($0.call) \($0.descriptor) \($0.target)" } == [])
    for name in FileTree.files(below: workspace.path)
    where !["given/", "trace/"].contains(where: name.hasPrefix) {
      let bytes = FileTree.contents(of: workspace.path + "/" + name) ?? []
      #expect(!Self.forms.contains { bytes.holds(Array($0.utf8)) }, "\(name)")
    }
  }

  private func isAllowed(_ sight: SystemTrace.Sight, _ row: TracedRow, _ trace: SystemTrace) -> Bool {
    if row.memory.contains(where: sight.target.contains) { return true }
    if row.prints, sight.descriptor == "1" { return true }
    return sight.target.hasPrefix("pipe:") && !row.pipes.isDisjoint(with: trace.readers[sight.target] ?? [])
  }

  /// Calls that start a program, by functions of the folder `System` and by its type.
  private static let starting = [
    "spawn(", "outputOfTool(", "giveToTool(", "answerOfTool(", "bytesOfTool(", "runTool(", "runShell(", "writeShell(",
    "readShell(",
    "becomeProgram(", "startProgram(", "AskedTool(",
  ]
  /// The functions of the system that these come down to, and the files that have them.
  private static let ofSystem: [String: Set<String>] = [
    "posix_spawn(": ["ChildProcess"], "posix_spawnp(": ["ChildProcess"], "execve(": ["ProgramImage"],
    "execv(": [], "execvp(": [], "fork(": [], "vfork(": [], "popen(": [], "Process()": [],
    "ChildProcess.start(": ["System+Executing", "ProgramImage"],
    "ProgramImage(": ["System+Programs", "Program"],
  ]

  /// The names of the files below a folder that call a function.
  private func files(of folder: String, calling function: String) throws -> Set<String> {
    var found: Set<String> = []
    for file in FileTree.files(below: folder) where file.hasSuffix(".swift") {
      let text = String(decoding: try #require(FileTree.contents(of: folder + "/" + file)), as: UTF8.self)
      // Most files have it nowhere, and their lines need not be looked at.
      guard unsafe strstr(text, function) != nil else { continue }
      let calls = text.split(separator: "\n").contains { line in
        let code = line.drop { $0 == " " }
        guard !code.hasPrefix("//"), !code.contains("func \(function)"), let place = code.firstRange(of: function)
        else { return false }
        return code[..<place.lowerBound].last.map { !$0.isLetter && $0 != "_" } ?? true
      }
      if calls { found.insert(String(file.split(separator: "/").last?.dropLast(6) ?? "")) }
    }
    return found
  }

  @Test("every place of the sources that starts a program has a row")
  func places() throws {
    let sources = OwnVectors.package + "/Sources"
    for (function, expected) in Self.ofSystem {
      #expect(try files(of: sources, calling: function) == expected, "\(function)")
    }
    let calling = try Self.starting.reduce(into: Set<String>()) { found, function in
      for folder in ["CommandLine", "Packs"] {
        found.formUnion(try files(of: "\(sources)/\(folder)", calling: function))
      }
    }
    // `System` has these functions, and calls one from another.
    let system = Set(
      FileTree.files(below: sources + "/CommandLine/VaultTerminal/System").compactMap { name in
        name.hasSuffix(".swift") ? String(name.dropLast(6)) : nil
      })
    #expect(calling.subtracting(system) == Set(Self.rows.flatMap(\.places)))
  }
}
