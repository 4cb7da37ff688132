import VaultDocument
import VaultSystem
import VaultTerminal

/// Hooks of a clone that run this program's checks, without a key, for commits, pushes and merges.
///
/// A hook names no vault: a setting of the clone lists the vaults. So one set of hooks serves several vaults, and
/// shared hooks do nothing in a clone without the setting.
struct GitHooks {
  /// The names in git (githooks(5)).
  enum Name: String, CaseIterable {
    case preCommit = "pre-commit"
    case prePush = "pre-push"
    case postMerge = "post-merge"

    /// The line that an existing hook must contain. Without the program a commit is still possible.
    var line: String { "! command -v vault >/dev/null || vault git hook \(rawValue) \"$@\" || exit" }

    fileprivate var script: String {
      """
      #!/bin/sh
      # Made by `vault git setup --hooks`; `vault git setup --remove` takes it out again.
      command -v vault >/dev/null || { echo 'vault is not on the PATH: the vault is not checked' >&2; exit 0; }
      exec vault git hook \(rawValue) "$@"

      """
    }

    fileprivate var call: String { "vault git hook \(rawValue)" }
  }

  /// The vaults of a clone with hooks: folders below the top of the work tree, `.` for the top itself.
  static let setting = "vault.hooks"

  private let git: Git
  private let folder: String
  private let vault: String

  /// Nil if git does not tell where its hooks are.
  init?(_ git: Git) {
    self.git = git
    // This question runs no program, but it must use the real folder for hooks.
    guard
      let folder = git.lines(["rev-parse", "--path-format=absolute", "--git-path", "hooks"], namingHooks: true).first,
      folder.hasPrefix("/"), let prefix = git.lines(["rev-parse", "--show-prefix"]).first
    else { return nil }
    self.folder = folder
    vault = prefix.isEmpty ? "." : String(prefix.dropLast())
  }

  static func vaults(_ git: Git) -> [String] { git.parts(["config", "-z", "--get-all", setting]) }

  var areWanted: Bool { Self.vaults(git).contains(vault) }

  var missing: [Name] { Name.allCases.filter { !calls($0) } }

  private func path(_ name: Name) -> String { System.join(folder, name.rawValue) }

  private func text(_ name: Name) -> String? {
    (try? TextInput.file(path(name), limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
  }

  private func calls(_ name: Name) -> Bool {
    text(name)?.contains(name.call) == true && System.mayRun(path(name))
  }

  /// Writes the missing hooks, all or none, and notes that they are wanted. Returns the new hooks.
  func apply() throws -> [Name] {
    let missing = missing
    if let foreign = missing.first(where: { System.isThere(path($0)) && text($0) != $0.script }) {
      throw CommandError(
        .alreadyExists, "already_exists", subject: path(foreign), "is an existing hook, and is not changed",
        hints: [
          "add this line to the hook, and make it executable: \(foreign.line)",
          "then run `vault git setup --hooks` again",
        ])
    }
    if !missing.isEmpty { try System.makeDirectories(folder) }
    for name in missing {
      if !System.isThere(path(name)) {
        let script = Array(name.script.utf8)
        try unsafe OutputFile.create(path(name), script.span.bytes, isSynced: false)
      }
      try System.setMode(0o755, of: path(name))
    }
    if !areWanted { try configure(["--local", "--add", Self.setting, vault]) }
    return missing
  }

  /// Removes the hooks of ``apply()`` after the last vault of the clone. Returns other hooks that call the program.
  func remove() throws -> [String] {
    if areWanted { try configure(["--local", "--fixed-value", "--unset-all", Self.setting, vault]) }
    guard Self.vaults(git).isEmpty else { return [] }
    for name in Name.allCases where text(name) == name.script { System.remove(path(name)) }
    return Name.allCases.filter { text($0)?.contains($0.call) == true }.map(path)
  }

  private func configure(_ arguments: [String]) throws {
    guard git.output(["config"] + arguments) == nil else { return }
    throw GitSetup.refused(Self.setting)
  }
}
