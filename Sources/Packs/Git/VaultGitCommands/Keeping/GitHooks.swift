import VaultDocument
import VaultSystem
import VaultTerminal

/// Hooks of a clone that have this program look at what is committed, pushed and merged, without a key.
///
/// A hook names no vault: which ones of the work tree are looked at is a setting of the clone, so one set of hooks
/// serves several vaults, and a folder of hooks that several clones share does nothing where nobody asked for it.
package struct GitHooks {
  /// What git calls them (githooks(5)).
  package enum Name: String, CaseIterable {
    case preCommit = "pre-commit"
    case prePush = "pre-push"
    case postMerge = "post-merge"

    /// What a hook that is there already has to have in it. Who lacks the program is not kept from committing.
    var line: String { "! command -v vault >/dev/null || vault git hook \(rawValue) \"$@\" || exit" }

    /// The whole of a hook of ours.
    fileprivate var script: String {
      """
      #!/bin/sh
      # Made by `vault git setup --hooks`; `vault git setup --remove` takes it out again.
      command -v vault >/dev/null || { echo 'vault is not on the PATH: the vault is not checked' >&2; exit 0; }
      exec vault git hook \(rawValue) "$@"

      """
    }

    /// What any of them has in it that calls the program.
    fileprivate var call: String { "vault git hook \(rawValue)" }
  }

  /// The vaults of a clone that hooks look at: folders below the top of the work tree, `.` for that itself.
  static let setting = "vault.hooks"

  private let git: Git
  private let folder: String
  private let vault: String

  /// Nil where git does not say where its hooks are.
  init?(_ git: Git) {
    self.git = git
    // Asked in a way that runs nothing, but without our own word for the folder.
    guard
      let folder = git.lines(["rev-parse", "--path-format=absolute", "--git-path", "hooks"], namingHooks: true).first,
      folder.hasPrefix("/"), let prefix = git.lines(["rev-parse", "--show-prefix"]).first
    else { return nil }
    self.folder = folder
    vault = prefix.isEmpty ? "." : String(prefix.dropLast())
  }

  /// The vaults of a work tree whose hooks were asked for.
  package static func vaults(_ git: Git) -> [String] { git.parts(["config", "-z", "--get-all", setting]) }

  /// Whether somebody asked for them in this clone, for this vault.
  var areWanted: Bool { Self.vaults(git).contains(vault) }

  /// Those that do not call the program.
  var missing: [Name] { Name.allCases.filter { !calls($0) } }

  private func path(_ name: Name) -> String { System.join(folder, name.rawValue) }

  private func text(_ name: Name) -> String? {
    (try? TextInput.file(path(name), limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
  }

  private func calls(_ name: Name) -> Bool {
    text(name)?.contains(name.call) == true && System.mayRun(path(name))
  }

  /// Writes those that are missing, all or none, and notes that they are wanted.
  ///
  /// - Returns: those that were written.
  func apply() throws -> [Name] {
    let missing = missing
    if let foreign = missing.first(where: { System.isThere(path($0)) && text($0) != $0.script }) {
      throw CommandError(
        .alreadyExists, "already_exists", subject: path(foreign), "is a hook already, and stays as it is",
        hints: [
          "put this line into it, and see that it may run: \(foreign.line)", "then `vault git setup --hooks` again",
        ])
    }
    if !missing.isEmpty { try System.makeDirectories(folder) }
    for name in missing {
      if !System.isThere(path(name)) {
        let script = Array(name.script.utf8)
        try unsafe OutputFile.create(path(name), script.span.bytes, isSynced: false)
      }
      try System.letRun(path(name))
    }
    if !areWanted { try configure(["--local", "--add", Self.setting, vault]) }
    return missing
  }

  /// Takes out what ``apply()`` wrote, once no vault of the clone wants it.
  ///
  /// - Returns: hooks of somebody else that call the program.
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
