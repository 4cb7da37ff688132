import Testing
import VaultTestSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A temporary folder in which the built binary is run, with a home and state of its own and no variable of the user's.
struct Workspace {
  let folder = TemporaryFolder()
  let home: String
  var path: String { folder.path }
  var vault: String { path + "/v" }
  var identity: String { path + "/id.txt" }

  init() throws {
    home = folder.path + "/home"
    for name in ["home", "state", "tmp"] { unsafe try #require(mkdir(folder.path + "/" + name, 0o700) == 0) }
  }

  /// A workspace with a vault that one identity opens.
  static func withVault() throws -> Workspace {
    let workspace = try Workspace()
    let made = workspace.run("init", "v", "--generate-identity", "id.txt")
    try #require(made.code == 0, "\(made.errors)")
    return workspace
  }

  /// A vault with the customers of the fixture.
  static func withCustomers() throws -> Workspace {
    let workspace = try withVault()
    let imported = workspace.open("import", "json", Fixture.customers, "--kind", "customer")
    try #require(imported.code == 0, "\(imported.errors)")
    return workspace
  }

  var environment: [String: String] {
    [
      "HOME": home, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TMPDIR": path + "/tmp",
      "CVAULT_STATE_DIR": path + "/state", "XDG_CONFIG_HOME": home + "/.config",
    ]
  }

  /// The binary with these arguments, in the workspace.
  func plan(_ arguments: [String]) -> ProcessRun {
    ProcessRun(path: Binary.path, arguments: arguments, environment: environment, directory: path)
  }

  func run(_ arguments: String..., input: String = "", adding: [String: String] = [:]) -> ProcessOutcome {
    run(arguments, input: input, adding: adding)
  }

  /// In a process of its own, for a test in which the name of that process counts.
  func runProgram(_ arguments: String..., adding: [String: String] = [:]) -> ProcessOutcome {
    var plan = plan(arguments)
    plan.environment.merge(adding) { $1 }
    return plan.run()
  }

  /// - Parameter typed: gives it a terminal, at which this is typed at once.
  func run(
    _ arguments: [String], input: String = "", typed: String? = nil, adding: [String: String] = [:]
  ) -> ProcessOutcome {
    var plan = plan(arguments)
    plan.input = Array(input.utf8)
    plan.terminal = typed.map { [(prompt: "", reply: $0)] }
    plan.environment.merge(adding) { $1 }
    return plan.ofProgram().run()
  }

  /// The same, for the vault and with its identity.
  func open(_ arguments: String..., input: String = "", adding: [String: String] = [:]) -> ProcessOutcome {
    run(arguments + ["--vault", vault, "--identity", identity], input: input, adding: adding)
  }

  /// On a terminal that answers.
  func type(
    _ arguments: [String], _ answers: [(prompt: String, reply: String)], outputOnTerminal: Bool = false,
    errorsOnTerminal: Bool = false,
    adding: [String: String] = [:]
  ) -> ProcessOutcome {
    var plan = plan(arguments)
    plan.terminal = answers
    plan.outputOnTerminal = outputOnTerminal
    plan.errorsOnTerminal = errorsOnTerminal
    plan.environment.merge(adding) { $1 }
    return plan.ofProgram().run()
  }

  /// Runs a line of the shell there, which must not fail.
  func prepare(_ script: String) {
    let run = ProcessRun(path: "/bin/sh", arguments: ["-c", script], environment: environment, directory: path).run()
    #expect(run.code == 0, "\(run.errors)")
  }

  /// Every file of the vault with its bytes.
  func snapshot() -> FolderState { FolderState(below: vault) }

  /// Writes a file of the workspace and gives its path.
  func write(_ text: String, to name: String) -> String {
    FileTree.write(Array(text.utf8), to: path + "/" + name)
    return path + "/" + name
  }

  func text(of name: String) -> String {
    String(decoding: FileTree.contents(of: path + "/" + name) ?? [], as: UTF8.self)
  }

  /// The path of a record's file below the vault.
  func recordFile(_ name: String) throws -> String {
    let shown = run("show", name, "--vault", vault, "--json")
    let id = try #require(JSON(shown.stdout)["id"]?.text)
    return "records/\(id.prefix(2))/\(id).json"
  }
}

extension Trait where Self == ConditionTrait {
  /// For tests at a terminal, which are skipped if no terminal can be made.
  static var atTerminal: Self { .enabled(if: Need.terminal.isMet(forCases: 1, of: "tests at a terminal")) }
}

/// Scripts of editors.
enum EditorScript {
  /// Waits, as an editor does whose user types, until the program that has started it is gone.
  ///
  /// For an editor that the program runs itself: no shell may stand between.
  static let waiting =
    "while read -r number name state rest 2>/dev/null </proc/$PPID/stat && test \"$state\" != Z; do sleep 0.05; done"
}

/// The program under test.
enum Binary {
  /// The program in `CVAULT_TEST_VAULT`, which must exist; otherwise the one that the same build put beside the test
  /// bundle.
  static let path: String = {
    if let named = unsafe getenv("CVAULT_TEST_VAULT") {
      let path = unsafe String(cString: named)
      guard unsafe access(path, X_OK) == 0 else { preconditionFailure("CVAULT_TEST_VAULT names no program") }
      return path
    }
    guard let path = built("vault") else { preconditionFailure("the program vault was not built beside the tests") }
    return path
  }()

  /// A program that the same build put beside the test bundle; nil if it does not exist.
  static func built(_ name: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
    let own = String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    let candidates = CommandLine.arguments.filter { $0.hasSuffix(".xctest") } + [own]
    let folders = candidates.map(parent) + [OwnVectors.package + "/.build/debug"]
    return folders.map { $0 + "/" + name }.first { unsafe access($0, X_OK) == 0 }
  }

  static func parent(_ path: String) -> String { String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }
}

/// The files that tests read.
enum Fixture {
  static let folder = OwnVectors.package + "/Tests/Fixtures/customers"
  static let customers = folder + "/customers.json"
  static let faulty = folder + "/customers-with-faults.json"

  /// The elements of a file, as Foundation reads them.
  static func records(_ path: String) throws -> [JSON] {
    let bytes = try #require(FileTree.contents(of: path))
    return try #require(JSON(bytes).items)
  }

  /// The secrets of the customers that stand nowhere by chance: a code of four digits stands in many an id.
  static func longSecrets() throws -> [[UInt8]] { try secrets().filter { $0.count > 8 } }

  /// Every secret of the customers, as bytes.
  static func secrets() throws -> [[UInt8]] {
    try records(customers).flatMap { [$0["access_key"]?.text, $0["atm_code"]?.text] }.compactMap {
      $0.map { Array($0.utf8) }
    }
  }
}

extension [UInt8] {
  /// Whether `needle` stands anywhere in these bytes.
  func holds(_ needle: [UInt8]) -> Bool {
    guard let first = needle.first, count >= needle.count else { return false }
    var index = startIndex
    while let found = self[index...].firstIndex(of: first), found + needle.count <= count {
      if self[found..<found + needle.count].elementsEqual(needle) { return true }
      index = found + 1
    }
    return false
  }
}
