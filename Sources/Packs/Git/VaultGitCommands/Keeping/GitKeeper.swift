import VaultCLI
import VaultDocument
import VaultKit
import VaultMerge
import VaultStorage
import VaultSystem
import VaultTerminal

/// Commits the files that a command has written to its vault, if a person has asked for that on this machine. Otherwise
/// reports the files that git does not know.
enum GitKeeper {
  /// Commits the written files, or reports those that git does not know. An error is only reported, because the vault
  /// is written already.
  ///
  /// - Parameter words: the words of the command.
  static func commit(_ written: [WrittenFiles.Entry], _ words: String) {
    var news: [(top: String, messages: Messages, news: GitNews)] = []
    for watched in written {
      guard let top = GitFolder.top(of: watched.folder) else { continue }
      do {
        guard try !isCommitted(watched, words) else { continue }
      } catch {
        let error = CommandError(any: error)
        watched.messages.note("not committed: \(error.reason)")
        for hint in error.hints { watched.messages.note(hint) }
        continue
      }
      // Nobody would read the note.
      guard !watched.messages.isQuiet, !watched.messages.isJSON else { continue }
      let index = news.firstIndex { $0.top == top } ?? news.count
      if index == news.count { news.append((top, watched.messages, GitNews())) }
      add(watched, to: &news[index].news)
    }
    for (_, messages, news) in news { if let text = news.text { messages.note(text) } }
  }

  /// Commits the files written to a vault, if that is wanted; false if it is not.
  private static func isCommitted(_ watched: WrittenFiles.Entry, _ words: String) throws -> Bool {
    let git = Git(at: watched.folder)
    guard case .vault(let vault) = watched.kind, try isWanted(git) else { return false }
    try KeepingCommit(of: vault.writtenPlaces, in: git, at: watched.path, command: words).make(watched.messages)
    return true
  }

  private static func add(_ watched: WrittenFiles.Entry, to news: inout GitNews) {
    switch watched.kind {
    case .vault(let vault):
      // `git commit -a` includes changed files.
      guard vault.hasMadeOrRemovedFiles else { return }
      news.add(Set(vault.writtenPlaces.map(\.relativePath)), inVaultAt: watched.path)
    case .newVault: news.add(newVaultAt: watched.path)
    case .file: news.add(fileAt: watched.path)
    }
  }

  private static func isWanted(_ git: Git) throws -> Bool {
    switch System.environment("CVAULT_GIT") {
    case "commit":
      guard GitConsent(git).isGiven || !GitConsent.startsPrograms(git) else {
        throw CommandError.usage(
          "CVAULT_GIT", "a commit in this clone starts programs, because of its hooks or settings",
          "`vault git setup --commit` allows that on this machine")
      }
      return true
    case "off": return false
    case nil: break
    default: throw CommandError.usage("CVAULT_GIT", "CVAULT_GIT must be commit or off")
    }
    let consent = GitConsent(git)
    guard consent.isSet else { return false }
    guard consent.isGiven else {
      throw CommandError.usage(
        GitConsent.setting, "this clone asks for commits, but nobody has allowed them on this machine",
        "`vault git setup --commit` allows them; a commit runs the hooks of the clone")
    }
    return true
  }
}

private struct KeepingCommit {
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
  private let places: [String: StoreLocation]

  init(of places: Set<StoreLocation>, in git: Git, at folder: String, command: String) throws {
    (self.git, objects, self.folder, self.command) = (git, GitObjects(git), folder, command)
    self.places = Dictionary(places.map { ($0.relativePath, $0) }) { first, _ in first }
    let listing = GitListing(git)
    let written = Set(self.places.keys)
    known = written.intersection(listing.tracked).sorted()
    new = written.intersection(listing.untracked).sorted()
    ignored = written.subtracting(listing.tracked).subtracting(listing.untracked)
      .filter { System.isThere(System.join(folder, $0)) }.sorted()
    guard listing.tracked.contains(StoreLocation.header.relativePath) else {
      throw CommandError.usage(
        folder, "git does not have this vault yet",
        "run `git add` on its folder and `git commit` once; then commands commit")
    }
  }

  func make(_ messages: Messages) throws {
    if !ignored.isEmpty {
      let line = GitLine.committing([folder], forced: [folder: GitNews.folders(of: ignored)])
      messages.note(GitNews.ignoredText(ignored.count) + "; run `\(line)`")
    }
    let paths = known + new
    guard !paths.isEmpty else { return }
    if let operation = GitOperation(git) {
      throw CommandError.usage("git", operation.line, "`git add -A` in the vault's folder includes the new version")
    }
    let input = paths.map { $0 + "\0" }.joined()
    let added = new.map { $0 + "\0" }.joined()
    guard new.isEmpty || git.asPerson(["update-index", "--add", "-z", "--stdin"], added)?.code == 0 else {
      throw refused("git does not take the new files into its index")
    }
    let (subject, body) = message()
    let words = ["commit", "--quiet", "--only", "-m", subject] + (body.isEmpty ? [] : ["-m", body])
    let result = git.asPerson(words + ["--pathspec-from-file=-", "--pathspec-file-nul"], input)
    guard let result, result.code == 0 else {
      if !new.isEmpty { _ = git.asPerson(["update-index", "--force-remove", "-z", "--stdin"], added) }
      messages.detail(result?.text ?? "")
      throw refused(result.map { Git.reason($0.text, command: "git commit", code: $0.code) } ?? "git is not installed")
    }
    messages.detail("committed: \(subject)")
  }

  private func refused(_ reason: String) -> CommandError {
    let one = known.count + new.count == 1 ? (known + new)[0].shellQuoted : "."
    return CommandError(
      .inputOutput, "io_failed", subject: folder, reason,
      hints: ["the vault is written; commit it in its folder with `git add -A -- \(one) && git commit -- \(one)`"])
  }

  /// The message has only ids and field names, so that names and values of records do not appear in a log.
  private func message() -> (subject: String, body: String) {
    let ids = Set((known + new).compactMap { places[$0]?.recordID }).sorted { $0.text < $1.text }
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
