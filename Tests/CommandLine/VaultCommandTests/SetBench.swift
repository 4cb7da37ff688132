import Testing
import VaultTestSupport

/// Three vaults that belong together: Ada has a key of all, Bob of `ops` and `contractors`, Cleo of `contractors`
/// alone.
struct SetBench {
  let workspace: Workspace
  var path: String { workspace.path }
  static let people = ["ada", "bob", "cleo"]
  /// The people who have a key of each vault.
  static let grants = ["ops": ["ada", "bob"], "contractors": ["ada", "bob", "cleo"], "finance": ["ada"]]

  init() throws {
    workspace = try Workspace()
    for person in Self.people {
      let made = workspace.run("init", "own-\(person)", "--generate-identity", "\(person).txt")
      try #require(made.code == 0, "\(made.errors)")
    }
    for (name, readers) in Self.grants.sorted(by: { $0.key < $1.key }) {
      var words = ["init", name, "--recipient", try recipient(readers[0]), "--label", readers[0]]
      try #require(workspace.run(words).code == 0)
      for reader in readers.dropFirst() {
        words = ["key", "add", try recipient(reader), reader, "--vault", name]
        try #require(run(words).code == 0)
      }
      let added = run(["vaults", "add", name, name])
      try #require(added.code == 0, "\(added.errors)")
      let stored = run(["add", "login", "\(name) mail", "username=\(name)", "--generate", "password", "--in", name])
      try #require(stored.code == 0, "\(stored.errors)")
    }
  }

  /// The public part of somebody's identity.
  func recipient(_ person: String) throws -> String {
    let line = workspace.text(of: "\(person).txt").split(separator: "\n").first { $0.contains("public key: ") }
    return String(try #require(line).split(separator: " ").last ?? "")
  }

  /// Runs a command as somebody: with their identity and a state of their own.
  func run(
    _ words: [String], as person: String = "ada", input: String = "", adding: [String: String] = [:]
  ) -> ProcessOutcome {
    let own = ["CVAULT_IDENTITY_FILE": "\(path)/\(person).txt", "CVAULT_STATE_DIR": "\(path)/state-\(person)"]
    return workspace.run(words, input: input, adding: own.merging(adding) { $1 })
  }

  /// Edits the set's file.
  func edit(_ change: (String) -> String) {
    _ = workspace.write(change(workspace.text(of: "vaults.json")), to: "vaults.json")
  }

  /// The id of a record by its name.
  func id(_ name: String, in vault: String) throws -> String {
    try #require(JSON(run(["show", name, "--in", vault, "--json"]).stdout)["id"]?.text)
  }

  func vaultID(_ name: String) throws -> String {
    try #require(JSON(run(["status", "--vault", name, "--json"]).stdout)["id"]?.text)
  }

  func names(in vault: String) -> [String] {
    let rows = JSON(run(["list", "--vault", vault, "--json"]).stdout)["records"]?.items ?? []
    return rows.compactMap { $0["name"]?.text }.sorted()
  }
}
