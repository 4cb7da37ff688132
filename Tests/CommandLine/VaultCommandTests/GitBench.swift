import Testing
import VaultTestSupport

/// A vault in git with three logins, and a clone of it on another machine; both are set up to merge by field.
struct GitBench {
  static let isThere = FileTree.mode(of: "/usr/bin/git") != nil
  let workspace: Workspace
  let id: String
  /// Below either clone.
  let file: String

  /// One of the two clones, `v` or `b`.
  struct Clone {
    let bench: GitBench
    let name: String
    /// Additional environment variables.
    var adding: [String: String] = [:]
    var path: String { bench.workspace.path + "/" + name }

    private var environment: [String: String] {
      let workspace = bench.workspace
      var environment = workspace.environment
      for role in ["AUTHOR", "COMMITTER"] {
        (environment["GIT_\(role)_NAME"], environment["GIT_\(role)_EMAIL"]) = ("Ada", "ada@example.com")
      }
      environment["PATH"] = Binary.parent(Binary.path) + ":/usr/bin:/bin"
      environment["CVAULT_DIR"] = path
      environment["CVAULT_IDENTITY_FILE"] = workspace.identity
      environment["CVAULT_STATE_DIR"] = workspace.path + "/state-" + name
      return environment.merging(adding) { $1 }
    }

    /// The same clone in another environment.
    func with(_ variables: [String: String]) -> Clone {
      Clone(bench: bench, name: name, adding: adding.merging(variables) { $1 })
    }

    /// Runs a line of the shell in the clone.
    @discardableResult
    func shell(_ script: String) -> ProcessOutcome {
      ProcessRun(path: "/bin/sh", arguments: ["-c", script], environment: environment, directory: path).run()
    }

    @discardableResult
    func vault(_ words: String..., input: String = "") -> ProcessOutcome {
      var run = ProcessRun(path: Binary.path, arguments: words, environment: environment, directory: path)
      run.input = Array(input.utf8)
      return run.ofProgram().run()
    }

    /// The program at a terminal that answers.
    func type(
      _ words: [String], _ answers: [(prompt: String, reply: String)], errorsOnTerminal: Bool = false
    ) -> ProcessOutcome {
      var run = ProcessRun(path: Binary.path, arguments: words, environment: environment, directory: path)
      run.terminal = answers
      run.errorsOnTerminal = errorsOnTerminal
      return run.ofProgram().run()
    }

    /// Sets a field and commits.
    func change(_ field: String, _ value: String) throws {
      let set = vault("set", bench.id, "\(field)=\(value)")
      try #require(set.code == 0, "\(set.errors)")
      shell("git commit -qam '\(field)'")
    }

    /// Seals a value and commits.
    func seal(_ field: String, _ value: String) throws {
      let set = vault("set", bench.id, "--secret-stdin", field, input: value)
      try #require(set.code == 0, "\(set.errors)")
      shell("git commit -qam sealed")
    }

    func value(_ field: String) -> String { vault("get", bench.id, field).output }
    var file: String { bench.workspace.text(of: name + "/" + bench.file) }
  }

  var here: Clone { Clone(bench: self, name: "v") }
  var there: Clone { Clone(bench: self, name: "b") }

  init(settingUp: Bool = true) throws {
    workspace = try Workspace.withVault()
    for name in ["Li Wei", "Shai", "Ada"] {
      let added = workspace.open(
        "add", "login", "--set", "title=\(name)", "--set", "username=x", "--secret-stdin", "password",
        input: "tigerlily")
      try #require(added.code == 0, "\(added.errors)")
    }
    file = try workspace.recordFile("Li Wei")
    id = String(file.dropFirst("records/00/".count).dropLast(".json".count))
    here.shell("git init -q; \(settingUp ? "vault git setup -q" : ":"); git add -A; git commit -qm all")
    workspace.prepare("git clone -q v b")
    if settingUp { there.shell("vault git setup -q") }
    for clone in [here, there] { try #require(clone.vault("verify").code == 0) }
  }

  /// Takes the other clone's branch over by a command of git's.
  func bring(_ operation: String, into clone: Clone? = nil) -> ProcessOutcome {
    let clone = clone ?? here
    clone.shell("git fetch -q ../\(clone.name == "v" ? "b" : "v")")
    return clone.shell("git \(operation) FETCH_HEAD")
  }
}
