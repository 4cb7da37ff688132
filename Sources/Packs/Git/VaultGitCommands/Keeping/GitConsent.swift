import VaultSystem
import VaultTerminal

/// Whether the user of this machine wants commands to commit their changes of a vault.
///
/// Anybody can see and change the setting of a clone, so it counts only if this machine's state has the same answer for
/// that clone. A folder with a `.git` may come from anybody, and a commit runs its hooks.
struct GitConsent {
  static let setting = "vault.commit"
  private let git: Git

  init(_ git: Git) { self.git = git }

  /// The file in the state folder, one for all work trees of the clone; nil without a state folder.
  private var mark: String? {
    let lines = git.lines(["rev-parse", "--path-format=absolute", "--git-common-dir", "--show-prefix"])
    guard lines.count >= 2, lines[0].hasPrefix("/"), let state = StateLocation.path else { return nil }
    return state + "/commits-" + MaskedText.hash("\(lines[0])\n\(lines[1])", byteCount: 16)
  }

  var isSet: Bool { git.lines(["config", "--local", "--type=bool", "--get", Self.setting]).first == "true" }

  /// Whether it was set on this machine.
  var isGiven: Bool { mark.map { System.kind(of: $0) == .regular } ?? false }

  /// Settings of a clone that make a commit start programs, or that may include such settings.
  private static let programs =
    #"^(core\.(hookspath|fsmonitor|editor|attributesfile)|filter\..*|gpg\..*|commit\.gpgsign|include.*|extensions\.worktreeconfig)$"#

  /// Whether a commit would start a program that the clone names: a hook, a filter, a signer. A folder with a `.git`
  /// may come from anybody, and an environment variable does not refer to a particular clone.
  static func startsPrograms(_ git: Git) -> Bool {
    guard git.output(["config", "--local", "--name-only", "--get-regexp", programs]) == nil else { return true }
    guard let folder = git.lines(["rev-parse", "--path-format=absolute", "--git-common-dir"]).first else { return true }
    let hooks = folder + "/hooks"
    return System.names(in: hooks).contains { !$0.hasSuffix(".sample") && System.mayRun(hooks + "/" + $0) }
  }

  /// Gives the consent. Returns whether anything was new.
  func give() throws -> Bool {
    guard !isSet || !isGiven else { return false }
    guard let mark else { throw CommandError.noStateFolder }
    try System.makeDirectories(System.parent(of: mark))
    let file = try OutputFile.replacing(mark)
    try file.commit()
    guard git.output(["config", "--local", Self.setting, "true"]) != nil else { throw GitSetup.refused(Self.setting) }
    return true
  }

  func takeBack() throws {
    if let mark { System.remove(mark) }
    guard isSet, git.output(["config", "--local", "--unset-all", Self.setting]) == nil else { return }
    throw GitSetup.refused(Self.setting)
  }
}
