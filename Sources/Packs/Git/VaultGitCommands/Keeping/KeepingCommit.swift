import VaultDocument
import VaultKit
import VaultMerge
import VaultStorage
import VaultTerminal

/// The commit of the files that a command has written to a vault.
///
/// If an earlier commit was not made, the files that the written ones need are in this one, so that a clone of each
/// commit opens.
struct KeepingCommit {
  /// The files that a command has written.
  enum Scope {
    case written(Set<StoreLocation>)
    /// Every file of a vault that git does not have yet.
    case newVault
  }

  /// Beyond this number, records are only counted.
  private static let listedCount = 100
  private static let namedFieldCount = 5

  private let git: Git
  private let objects: GitObjects
  private let folder: String
  private let command: String
  /// Paths below the vault's folder, sorted: files that git has, and new files.
  private let known: [String]
  private let new: [String]
  /// Written files that git ignores.
  private let ignored: [String]

  init(_ scope: Scope, in git: Git, at folder: String, command: String) throws {
    (self.git, objects, self.folder, self.command) = (git, GitObjects(git), folder, command)
    let listing = GitListing(git, GitListing.places + GitListing.beside)
    let written: Set<String>
    switch scope {
    case .newVault: (written, ignored) = (listing.newVault, GitListing.ignored(git))
    case .written(let places):
      let paths = Set(places.map(\.relativePath))
      ignored = paths.subtracting(listing.tracked).subtracting(listing.untracked)
        .filter { System.isThere(System.join(folder, $0)) }.sorted()
      switch PendingFiles(before: paths, listing, objects, folder) {
      case .wholeVault: written = listing.wholeVault.union(paths)
      case .files(let more): written = paths.union(more)
      case .newVault where GitConsent(git).isGiven: written = listing.newVault.union(paths)
      case .newVault:
        throw CommandError.usage(
          folder, "git does not have this vault yet",
          "run `git add` on its folder and `git commit` once; then commands commit")
      }
    }
    known = written.intersection(listing.tracked).sorted()
    new = written.intersection(listing.untracked).sorted()
  }

  func make(_ messages: Messages, _ turn: borrowing GitTurn) throws {
    if !ignored.isEmpty {
      let line = GitLine.committing([folder], forced: [folder: GitNews.folders(of: ignored)])
      messages.note(GitNews.ignoredText(ignored.count) + "; run `\(line)`")
    }
    let paths = known + new
    // A header without a slot that it names would be a vault that nobody can open.
    guard !paths.isEmpty, !ignored.contains(where: { $0.hasPrefix("slots/") }) else { return }
    if let operation = GitOperation(git) {
      throw CommandError.usage("git", operation.line, "`git add -A` in the vault's folder includes the new version")
    }
    // A commit without a branch is left behind by the next `git switch`, and by the update of a submodule.
    guard System.environment("CVAULT_GIT") == "commit" || git.output(["symbolic-ref", "--quiet", "HEAD"]) != nil else {
      throw refused("no branch is checked out", "`git switch -c NAME` makes a branch; ")
    }
    let input = paths.map { $0 + "\0" }.joined()
    let added = new.map { $0 + "\0" }.joined()
    guard new.isEmpty || git.asPerson(["update-index", "--add", "-z", "--stdin"], added)?.code == 0 else {
      throw refused("git does not take the new files into its index")
    }
    let (subject, body) = message()
    let agent = CodingAgent.current.map { GitCommit.agentMark + $0.name } ?? ""
    let words =
      ["commit", "--quiet", "--only"] + [subject, body, agent].filter { !$0.isEmpty }.flatMap { ["-m", $0] }
    let result = git.asPerson(words + ["--pathspec-from-file=-", "--pathspec-file-nul"], input)
    guard let result, result.code == 0 else {
      if !new.isEmpty { _ = git.asPerson(["update-index", "--force-remove", "-z", "--stdin"], added) }
      messages.detail(result?.text ?? "")
      // Another command has committed the files, in the form that they have now.
      guard !isKept(paths) else { return }
      throw refused(result)
    }
    messages.detail("committed: \(subject)")
  }

  /// Whether the last commit has the files as they are. A large file counts as changed.
  private func isKept(_ paths: [String]) -> Bool {
    let objects = GitObjects(git)
    return paths.allSatisfy { path in
      let file = System.join(folder, path)
      let own = try? TextInput.file(file, limit: GitObjects.fileByteLimit)
      return (own != nil || !System.isThere(file))
        && objects.blob("HEAD:./" + path, limit: GitObjects.fileByteLimit) == own
    }
  }

  private func refused(_ result: (code: Int32, text: String)?) -> CommandError {
    guard let result else { return refused("git is not installed") }
    let reason = Git.reason(result.text, command: "git commit", code: result.code)
    let naming = "`git config --global user.name NAME` and `git config --global user.email ADDRESS` tell it; "
    return refused(reason, reason == Git.unknownPerson ? naming : "")
  }

  /// - Parameter first: the step before the commit; an empty text for none.
  private func refused(_ reason: String, _ first: String = "") -> CommandError {
    let one = known.count + new.count == 1 ? (known + new)[0].shellQuoted : "."
    let line = "`git add -A -- \(one) && git commit -- \(one)`"
    return CommandError(
      .inputOutput, "io_failed", subject: folder, reason,
      hints: ["the vault is written; \(first)commit it in its folder with \(line)"])
  }

  /// The message has only ids and field names, so that names and values of records do not appear in a log.
  private func message() -> (subject: String, body: String) {
    let ids = Set((known + new).compactMap { StoreLocation(relativePath: $0)?.recordID }).sorted { $0.text < $1.text }
    guard let first = ids.first else { return (command, "") }
    guard ids.count <= Self.listedCount else { return ("\(command): \(ids.count) records", "") }
    let lines = ids.map { id in (id.text, fields(id)) }
    let subject =
      ids.count > 1
      ? "\(command): \(ids.count) records" : "\(command) \(first.text.prefix(8))" + (lines[0].1.map { ": \($0)" } ?? "")
    return (subject, lines.map { id, fields in id + (fields.map { ": \($0)" } ?? "") }.joined(separator: "\n"))
  }

  /// The fields that differ from the last commit; nil for a new, removed or moved record.
  private func fields(_ id: RecordID) -> String? {
    let path = StoreLocation.record(id).relativePath
    guard known.contains(path), let before = objects.version("HEAD:./\(path)")?.record,
      let new = try? TextInput.file(System.join(folder, path), limit: GitObjects.fileByteLimit),
      let after = StoredVersion(new).record
    else { return nil }
    let changes = RecordComparison(from: before, to: after) { _ in true }.changes
    let paths = changes.map { Printable.text($0.path.description) }
    guard !paths.isEmpty else { return nil }
    let more = paths.count - Self.namedFieldCount
    return paths.prefix(Self.namedFieldCount).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }
}
