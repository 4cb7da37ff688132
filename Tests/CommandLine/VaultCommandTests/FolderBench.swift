import Testing
import VaultTestSupport

/// A vault in a folder that a service syncs between two machines, each with its folder, its home and its memory.
struct FolderBench {
  let workspace: Workspace
  let id: String
  /// The record's file, below either folder.
  let file: String

  /// One of the two machines, `a` or `b`.
  struct Machine {
    let bench: FolderBench
    let name: String
    var folder: String { bench.workspace.path + "/" + name }
    var state: String { bench.workspace.path + "/state-" + name }

    func run(_ words: [String], input: String = "") -> ProcessOutcome {
      var plan = ProcessRun(path: Binary.path, arguments: words, environment: environment, directory: folder)
      plan.input = Array(input.utf8)
      return plan.ofProgram().run()
    }

    @discardableResult
    func vault(_ words: String..., input: String = "") -> ProcessOutcome { run(words, input: input) }

    /// The program at a terminal that answers.
    func type(_ words: [String], _ answers: [(prompt: String, reply: String)]) -> ProcessOutcome {
      var plan = ProcessRun(path: Binary.path, arguments: words, environment: environment, directory: folder)
      plan.terminal = answers
      plan.errorsOnTerminal = true
      return plan.ofProgram().run()
    }

    private var environment: [String: String] {
      var environment = bench.workspace.environment
      environment["HOME"] = bench.workspace.path + "/home-" + name
      environment["CVAULT_DIR"] = folder
      environment["CVAULT_IDENTITY_FILE"] = bench.workspace.identity
      environment["CVAULT_STATE_DIR"] = state
      return environment
    }

    func must(_ words: String..., input: String = "") throws {
      let run = run(words, input: input)
      try #require(run.code == 0, "\(words): \(run.errors)")
    }

    func seal(_ value: String) throws { try must("set", bench.id, "--secret-stdin", "password", input: value) }

    func value(_ field: String, of id: String? = nil) -> String { vault("get", id ?? bench.id, field).output }

    func bytes(_ file: String) -> [UInt8]? { FileTree.contents(of: folder + "/" + file) }

    func put(_ bytes: [UInt8]?, at file: String) {
      guard let bytes else { return FileTree.remove(folder + "/" + file) }
      var parents = [Binary.parent(folder + "/" + file)]
      while let first = parents.first, FileTree.mode(of: first) == nil { parents.insert(Binary.parent(first), at: 0) }
      parents.dropFirst().forEach(FileTree.makeFolder)
      FileTree.write(bytes, to: folder + "/" + file)
    }

    /// The files that a service syncs.
    var files: FolderState { FolderState(below: folder).filter { !$0.key.hasPrefix(".") } }

    /// The conflict copies that were joined.
    var aside: [String] { FileTree.files(below: state + "/merged").filter { !$0.hasSuffix(".gitignore") } }
  }

  var a: Machine { Machine(bench: self, name: "a") }
  var b: Machine { Machine(bench: self, name: "b") }

  /// - Parameter former: how many former values the vault keeps; nil for as many as usual.
  init(former: Int? = nil) throws {
    workspace = try Workspace()
    let kept = former.map { ["--former", "\($0)"] } ?? []
    let made = workspace.run(["init", "v", "--generate-identity", "id.txt"] + kept)
    try #require(made.code == 0, "\(made.errors)")
    let added = workspace.open(
      "add", "login", "Mail", "username=u", "--secret-stdin", "password", input: "tigerlily")
    try #require(added.code == 0, "\(added.errors)")
    file = try workspace.recordFile("Mail")
    id = String(file.dropFirst("records/00/".count).dropLast(".json".count))
    workspace.prepare("rm -f v/.lock; cp -R v a; cp -R v b; mkdir home-a home-b")
    for machine in [a, b] { try machine.must("verify") }
  }

  /// What a service does with two versions of a file: one stays, and the other gets a name beside it, on both machines.
  func conflict(over file: String, wonBy winner: Machine, copy: String) {
    let (won, lost) = (winner.bytes(file), (winner.name == "a" ? b : a).bytes(file))
    for machine in [a, b] {
      machine.put(won, at: file)
      machine.put(lost, at: copy)
    }
  }

  /// Brings one machine's file to the other.
  func bring(_ file: String, from machine: Machine) {
    (machine.name == "a" ? b : a).put(machine.bytes(file), at: file)
  }

  /// Brings all files of one machine to the other.
  func bringAll(from machine: Machine) {
    let other = machine.name == "a" ? b : a
    for file in other.files.keys where machine.files[file] == nil { other.put(nil, at: file) }
    for file in machine.files.keys { bring(file, from: machine) }
  }
}
