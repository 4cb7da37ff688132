import VaultDocument
import VaultStorage
import VaultSystem
import VaultTerminal

/// The setup of a clone for merging and comparing vaults by field.
///
/// Lines in the vault's `.gitattributes`, which every clone has, name the driver. Settings of this clone, which cannot
/// be committed, define it.
struct GitSetup {
  /// The command contains its own fallback, because git treats every exit code except 0 as a conflict and keeps our
  /// side. Then their changes would be lost if this program is missing, too old, or killed.
  private static func driver(_ option: String = "") -> String {
    "command -v vault >/dev/null 2>&1 && { vault git merge-driver \(option)%O %A %B %P; s=$?; "
      + "[ $s -le 1 ] && exit $s; }; git merge-file -L ours -L base -L theirs %A %O %B"
  }

  /// The settings, with their values. Without them, git would treat a folder whose records were all removed as renamed
  /// to the trash. Several common ancestors are also merged by field, because both sides have produced the same bytes.
  static let settings = [
    (name: "merge.vault.name", value: "records of a vault, by field"),
    (name: "merge.vault.driver", value: driver()), (name: "merge.vault.recursive", value: "vault-ancestors"),
    (name: "merge.vault-ancestors.name", value: "common ancestors of records of a vault, by field"),
    (name: "merge.vault-ancestors.driver", value: driver("--ancestors ")),
    (
      name: "diff.vault.textconv",
      value: "f() { vault git textconv \"$1\" 2>/dev/null || cat \"$1\"; }; f"
    ), (name: "merge.directoryRenames", value: "false"),
  ]
  /// The files of a vault as git patterns, relative to its folder.
  static let files = ["records/**/*.json", "trash/*.json", "vault.json", StoreLocation.checkpoint.fileName]
  /// The lines of `.gitattributes`.
  static let attributes = files.map { "\($0) merge=vault diff=vault" }

  private let folder: String
  private let git: Git
  private var file: String { System.join(folder, ".gitattributes") }

  /// Nil outside any work tree, or without a git.
  init?(vault folder: String) {
    self.folder = folder
    git = Git(at: folder)
    guard GitFolder.holds(folder), git.lines(["rev-parse", "--is-inside-work-tree"]).first == "true" else { return nil }
  }

  /// A part of the setup that a clone can lack.
  struct Part: Equatable {
    enum Sort: String {
      case attribute = ".gitattributes"
      case setting = "git config"
      case hook
    }

    let sort: Sort
    let name: String

    /// Such as `hook: pre-commit`.
    var line: String { "\(sort.rawValue): \(name)" }
  }

  /// The missing parts of the setup. Hooks count only if they are wanted.
  func missing() throws -> [Part] {
    let attributes = try missingAttributes().map { Part(sort: .attribute, name: $0) }
    let settings = missingSettings().map { Part(sort: .setting, name: $0.name) }
    let hooks = GitHooks(git).flatMap { $0.areWanted ? $0.missing : nil } ?? []
    return attributes + settings + hooks.map { Part(sort: .hook, name: $0.rawValue) }
  }

  /// Adds the missing parts, and returns them.
  ///
  /// - Parameters:
  ///   - withHooks: also adds hooks. Hooks that are already wanted are repaired in any case.
  ///   - withCommits: also makes commands commit their changes.
  func apply(withHooks: Bool = false, withCommits: Bool = false) throws -> [Part] {
    var missing = try missing()
    if let hooks = GitHooks(git), withHooks || hooks.areWanted {
      // The hooks come first, because they may be refused.
      let added = try hooks.apply().map { Part(sort: .hook, name: $0.rawValue) }
      missing += added.filter { !missing.contains($0) }
    }
    if try withCommits && GitConsent(git).give() { missing.append(Part(sort: .setting, name: GitConsent.setting)) }
    let lines = try missingAttributes()
    if !lines.isEmpty {
      var text = try attributesFile()
      if let last = text.last, last != UInt8(ascii: "\n") { text.append(UInt8(ascii: "\n")) }
      try write(text + lines.flatMap { Array(($0 + "\n").utf8) })
    }
    for setting in missingSettings() { try configure(["--local", setting.name, setting.value], setting.name) }
    return missing
  }

  /// Sets up the clone for a vault that was made in it, and returns a note about that.
  ///
  /// Commands commit only if the vault is the whole work tree. People with other files in their repository do not want
  /// commits among their own. A commit must not start programs of a repository that came from somebody else.
  func applyToNewVault() throws -> String {
    let isWhole = GitFolder.top(of: folder) == ProcessEnvironment.realPath(folder)
    let mayCommit = isWhole && System.environment("CVAULT_GIT") != "off"
    let startsPrograms = mayCommit && GitConsent.startsPrograms(git)
    _ = try apply(withCommits: mayCommit && !startsPrograms)
    guard mayCommit else { return "git merges and shows the vault by field in this clone" }
    return startsPrograms
      ? "git merges the vault by field; a commit here starts programs of this clone, which "
        + "`vault git setup --commit` allows"
      : "git merges the vault by field, and each command commits what it writes; "
        + "`vault git setup --remove` ends both"
  }

  /// Removes the whole setup. Returns other hooks that call this program.
  func remove() throws -> [String] {
    let text = try attributesFile()
    let kept = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).filter { line in
      !Self.attributes.contains { $0.utf8.elementsEqual(line) }
    }
    let left = Array(kept.joined(separator: [UInt8(ascii: "\n")]))
    if left != text { try write(left) }
    for setting in Self.settings where value(of: setting.name, "--local") == setting.value {
      try configure(["--local", "--unset-all", setting.name], setting.name)
    }
    try GitConsent(git).takeBack()
    return try GitHooks(git)?.remove() ?? []
  }

  private func missingSettings() -> [(name: String, value: String)] {
    Self.settings.filter { value(of: $0.name) != $0.value }
  }

  private func value(of name: String, _ scope: String...) -> String? {
    git.parts(["config", "-z"] + scope + ["--get", name]).first
  }

  private func configure(_ arguments: [String], _ name: String) throws {
    guard git.output(["config"] + arguments) == nil else { return }
    throw Self.refused(name)
  }

  static func refused(_ name: String) -> CommandError {
    CommandError(
      .inputOutput, "io_failed", subject: name, "cannot be changed in the configuration of this clone",
      hints: ["use `git config --local --edit` to see what is wrong"])
  }

  private func missingAttributes() throws -> [String] {
    let lines = try attributesFile().split(separator: UInt8(ascii: "\n"))
    return Self.attributes.filter { line in !lines.contains { $0.elementsEqual(line.utf8) } }
  }

  private func attributesFile() throws -> [UInt8] {
    guard System.kind(of: file) != nil else { return [] }
    guard let opened = try NamedFile.plain(file) else {
      throw CommandError(
        .inputOutput, "io_failed", subject: file, "is not a regular file", hints: ["move it away; nothing was changed"])
    }
    return try TextInput.bytes(of: opened, limit: 1 << 20)
  }

  private func write(_ text: [UInt8]) throws {
    let output = try OutputFile.replacing(file)
    try output.write(text)
    try output.commit()
  }
}
