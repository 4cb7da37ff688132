import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultPackSupport
import VaultStorage
import VaultTerminal

/// Vaults in work trees of git.
struct GitHistoryKeeper: KeptStates {
  func isInWorkTree(_ folder: String) -> Bool { GitFolder.holds(folder) }

  func tracking(_ file: String) -> String? { GitFolder.tracking(file) }

  func unfinished(in folder: String) -> String? {
    GitFolder.holds(folder) ? GitOperation(Git(at: folder))?.line : nil
  }

  func keep(_ written: [WrittenFiles.Entry], of command: String) { GitKeeper.commit(written, command) }

  func setUp(newVaultAt folder: String, _ messages: Messages) {
    // git does not keep a vault that it ignores.
    guard let setup = GitSetup(vault: folder),
      GitFolder.tracking(System.join(folder, StoreLocation.header.relativePath)) != nil
    else { return }
    do {
      try messages.note(setup.applyToNewVault())
    } catch {
      messages.note("git is not set up for the vault: \(CommandError(any: error).reason)")
      messages.note("`vault git setup` tries that again")
    }
  }

  func newest(_ place: StoreLocation, ofVaultAt folder: String) -> [UInt8]? {
    Git(at: folder).output(["cat-file", "blob", "HEAD:./\(place.relativePath)"])
  }

  func wayBack(of place: StoreLocation, inVaultAt path: String) -> String? {
    let (git, file) = (Git(at: path), place.relativePath)
    let folder = path == "." ? "" : " -C \(path.shellQuoted)"
    if git.output(["ls-tree", "HEAD", "--", file])?.isEmpty == false {
      return "git has it: `git\(folder) checkout HEAD -- \(file)` brings it back"
    }
    let last = git.lines(["log", "-n1", "--all", "--diff-filter=AM", "--format=%H", "--", file]).first
    guard let id = last?.prefix(12), !id.isEmpty else { return nil }
    return "git has it: `git\(folder) checkout \(id) -- \(file)` brings back the version of commit \(id)"
  }

  func otherStates(ofVaultAt folder: String) -> OtherStates {
    let branches = OtherBranches(of: folder)
    return { branches.place(of: $0) }
  }

  func fileHistory(ofVaultAt folder: String) -> (any FileHistory)? { GitHistory(vault: folder) }

  func store(of location: VaultLocation, at revision: String) throws -> any RecordStore {
    try GitStore.open(vault: location, at: revision)
  }

  func earlier(
    _ location: VaultLocation, at revision: String, required: RequiredFingerprint?, global: GlobalOptions
  ) throws -> EarlierVault {
    try EarlierVault(at: revision, location, required: required, global: global)
  }

  func namesVersion(_ word: String) -> Bool { VersionWord(word) != nil }

  func version(
    _ word: String, in session: Session, options: VaultOptions, unlocking: UnlockOptions, opened: Vault?
  ) async throws -> FoundVersion? {
    let found = try await VersionSearch(session, options: options, unlocking: unlocking, opened: opened).version(word)
    return found.map { FoundVersion(record: $0.record, origin: $0.origin) }
  }

  func restoreVersion(
    _ words: [String], in session: Session, options: VaultOptions, unlocking: UnlockOptions, opened: Vault,
    isDryRun: Bool
  ) async throws -> Bool {
    let search = VersionSearch(session, options: options, unlocking: unlocking, opened: opened)
    guard let word = words.first, let found = try await search.version(word) else { return false }
    let restore = VersionRestore(
      found: found, fields: words.dropFirst(), opened: opened, isDryRun: isDryRun, global: session.global)
    try await restore.run()
    return true
  }

  func changes(since revisions: String?) throws -> [ChangedText] {
    guard let top = Git(at: ".").lines(["rev-parse", "--show-toplevel"]).first, !top.isEmpty else {
      throw CommandError.noGit(".")
    }
    let git = Git(at: top)
    let changes = try revisions.map { try GitChanges.required($0, git) } ?? GitChanges.staged(git)
    var (texts, blobs, messages): ([ChangedText], Set<String>, Set<String>) = ([], [], [])
    for change in changes {
      if let commit = change.commit, messages.insert(commit).inserted {
        texts.append(
          ChangedText(commit: commit, place: "(message)") { limit in
            // The message follows the headers and an empty line.
            let bytes = git.output(["cat-file", "commit", commit], limit: limit)
            return bytes.map { Array($0[($0.firstRange(of: [0x0A, 0x0A])?.upperBound ?? 0)...]) }
          })
      }
      for file in change.files {
        guard let blob = file.new, blobs.insert("\(blob) \(file.path)").inserted else { continue }
        texts.append(
          ChangedText(commit: change.commit, place: file.path) { git.output(["cat-file", "blob", blob], limit: $0) })
      }
    }
    return texts
  }
}

// The checks of `doctor`.
extension GitHistoryKeeper {
  func checks(of session: Session, missingLines: [String]) throws -> [DoctorCheck] {
    let path = session.location.path
    return [attributes(missingLines)] + [try merging(path)].compactMap(\.self) + kept(path)
  }

  private func attributes(_ missingLines: [String]) -> DoctorCheck {
    guard !missingLines.isEmpty else { return .good("git", ".gitattributes describes the files of the vault") }
    return .warning(
      "git", ".gitattributes does not describe the files of the vault",
      advice: "add " + missingLines.joined(separator: ", "))
  }

  /// Nil without a git that could merge.
  private func merging(_ path: String) throws -> DoctorCheck? {
    guard let setup = GitSetup(vault: path) else { return nil }
    let missing = try setup.missing()
    guard !missing.isEmpty else { return .good("merging", "git merges and shows records by field") }
    let lacksHooksOnly = missing.allSatisfy { $0.sort == .hook }
    return .warning(
      "merging",
      lacksHooksOnly
        ? "this clone lacks " + missing.map(\.line).joined(separator: ", ") : "this clone does not merge by field",
      advice: "run `vault git setup`")
  }

  /// Whether git has the present files.
  private func kept(_ path: String) -> [DoctorCheck] {
    if let refusal = GitFolder.refusal(of: path) {
      let text = "git was not asked whether it has every file of the vault: \(refusal.reason)"
      return [.warning("commit", text, advice: refusal.hint)]
    }
    let git = Git(at: path)
    if let operation = GitOperation(git) { return [.warning("merge", operation.line, advice: operation.advice)] }
    guard let commit = GitComparison(path, git, with: .commit) else { return [] }
    let staging = GitComparison(path, git, with: .index)?.staging(after: commit)
    return [commit.check] + [staging].compactMap(\.self)
  }
}
