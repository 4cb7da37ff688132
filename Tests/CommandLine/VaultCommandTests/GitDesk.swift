import VaultTestSupport

/// A person with a new repository `v`, and git's name and address.
struct GitDesk {
  let workspace: Workspace

  /// - Parameter start: made in the workspace before the vault.
  init(_ start: String = "git init -qb main v") throws {
    workspace = try Workspace()
    workspace.prepare(start)
  }

  /// Runs a script in a folder, up to the first command that fails. `vault` works on the vault of that folder.
  @discardableResult
  func at(_ folder: String, _ script: String, adding: [String: String] = [:]) -> ProcessOutcome {
    var environment = workspace.environment
    for role in ["AUTHOR", "COMMITTER"] {
      (environment["GIT_\(role)_NAME"], environment["GIT_\(role)_EMAIL"]) = ("Ada", "ada@example.com")
    }
    environment["PATH"] = Binary.parent(Binary.path) + ":/usr/bin:/bin"
    environment["CVAULT_IDENTITY_FILE"] = workspace.identity
    environment["CVAULT_STATE_DIR"] = workspace.path + "/state-" + (folder.split(separator: "/").first ?? "")
    environment["CVAULT_DIR"] = workspace.path + "/" + folder
    environment["GIT_EDITOR"] = "true"
    return ProcessRun(
      path: "/bin/sh", arguments: ["-ec", script], environment: environment.merging(adding) { $1 },
      directory: workspace.path + "/" + folder
    ).run()
  }

  /// Makes the vault in the folder, and returns the outcome.
  @discardableResult
  func make(_ folder: String = "v", _ options: String = "", adding: [String: String] = [:]) -> ProcessOutcome {
    at(folder, "vault init . --generate-identity \(workspace.identity) \(options)", adding: adding)
  }

  func status(_ folder: String = "v") -> String { at(folder, "git status --porcelain").output }
  func commits(_ folder: String = "v") -> String {
    at(folder, "git rev-list --count HEAD 2>/dev/null || echo 0").output
  }

  /// Another machine with a clone that is set up.
  func clone(_ name: String) {
    workspace.prepare("git clone -q v \(name)")
    at(name, "vault git setup --commit")
  }
}
