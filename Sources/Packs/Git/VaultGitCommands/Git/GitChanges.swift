import VaultStorage
import VaultTerminal

/// The vault's files that a commit or the index changes against one parent.
struct GitChanges {
  struct File {
    /// The path below the vault's folder.
    let path: String
    /// Nil for a new file.
    let old: String?
    /// Nil for a removed file.
    let new: String?
    let isUnmerged: Bool
  }

  /// Nil for the index.
  let commit: String?
  let files: [File]
  /// The folder of the vault in git: `./`, or in a bare repository the path from its top.
  var folder = "./"

  init(commit: String?, files: [File], folder: String = "./") {
    (self.commit, self.files, self.folder) = (commit, files, folder)
  }

  /// The name of a file's new state for `git cat-file`.
  func name(_ path: String) -> String { "\(commit ?? ""):\(folder)\(path)" }

  /// Whether git has every file of the vault in its present state. No filter runs: git lists the files that may have
  /// changed, and hashes them unchanged.
  static func areCommitted(_ git: Git) -> Bool {
    guard staged(git).allSatisfy(\.files.isEmpty), GitListing(git).untracked.isEmpty else { return false }
    let parts = git.withoutFilters().parts(
      ["diff-files", "--raw", "--no-abbrev", "--no-renames", "-z", "--relative", "--"] + GitListing.places,
      limit: 256 << 20)
    let files = files(parts)
    guard !files.contains(where: \.isUnmerged) else { return false }
    return stride(from: 0, to: files.count, by: hashedCount).allSatisfy { start in
      let some = files[start..<min(start + hashedCount, files.count)]
      return git.lines(["hash-object", "--no-filters", "--"] + some.map(\.path)).filter { !$0.isEmpty }
        == some.map { $0.old ?? "" }
    }
  }

  private static let hashedCount = 400

  static func staged(_ git: Git) -> [GitChanges] {
    let head = git.lines(["rev-parse", "--verify", "--quiet", "HEAD^{tree}"]).first ?? ""
    // Before the first commit, everything staged is new.
    let base = head.isEmpty ? git.lines(["hash-object", "-t", "tree", "/dev/null"]).first ?? "" : head
    let answer = git.parts(
      ["diff-index", "--cached", "--raw", "--no-abbrev", "--no-renames", "-z", "--relative", base, "--", "."],
      limit: 256 << 20)
    return [GitChanges(commit: nil, files: files(answer))]
  }

  /// The changes of each commit in a range against each of its parents, the oldest first; nil for an invalid range.
  ///
  /// - Parameter bareFolder: the vault's folder in a bare repository, which has no work tree.
  static func range(_ text: String, _ git: Git, bareFolder: String? = nil) -> [GitChanges]? {
    guard !text.hasPrefix("-") else { return nil }
    let range = text.contains("..") ? text : text + "..HEAD"
    // The first push into an empty repository has no base.
    let isFirst = range.hasPrefix("HEAD..") && git.output(["rev-parse", "--verify", "--quiet", "HEAD"]) == nil
    return commits([isFirst ? String(range.dropFirst(6)) : range], git, bareFolder: bareFolder)
  }

  /// The changes for revisions that `git rev-list` accepts.
  static func commits(_ revisions: [String], _ git: Git, bareFolder: String? = nil) -> [GitChanges]? {
    guard let answer = git.output(["rev-list", "--reverse", "--topo-order"] + revisions + ["--"], limit: 64 << 20)
    else { return nil }
    let commits = String(decoding: answer, as: UTF8.self).split(separator: "\n").map(String.init)
    let relative = bareFolder.map { $0.isEmpty ? [] : ["--relative=" + $0] } ?? ["--relative"]
    let place = bareFolder.flatMap { $0.isEmpty ? nil : $0 } ?? "."
    return commits.flatMap { commit in
      // A merge has one part for each parent, and each part begins with the commit.
      git.parts(
        [
          "diff-tree", "-r", "-m", "--root", "--raw", "--no-abbrev", "--no-renames", "-z",
        ] + relative + [commit, "--", place], limit: 256 << 20
      ).split { $0 == commit }.map {
        GitChanges(commit: commit, files: files(Array($0)), folder: bareFolder ?? "./")
      }
    }
  }

  /// The difference between two commits; nil if one of them does not exist.
  static func between(_ old: String, new: String, git: Git) -> GitChanges? {
    guard let commit = git.lines(["rev-parse", "--verify", "--quiet", new + "^{commit}"]).first, !commit.isEmpty,
      let answer = git.output(
        ["diff-tree", "-r", "--raw", "--no-abbrev", "--no-renames", "-z", "--relative", old, commit, "--", "."],
        limit: 256 << 20)
    else { return nil }
    return GitChanges(
      commit: commit, files: files(answer.split(separator: 0).compactMap { String(validating: $0, as: UTF8.self) }))
  }

  /// Parses pairs of `:MODE MODE OLD NEW STATUS` and a path.
  private static func files(_ parts: [String]) -> [File] {
    stride(from: 0, to: parts.count - 1, by: 2).compactMap { File(parts[$0], parts[$0 + 1]) }
  }

  /// The commits before `HEAD` that changed one of the paths, the newest first, with their changes. For a merge, the
  /// files that differ from all parents, compared with the first.
  ///
  /// Nil without a commit, a work tree or a git.
  static func log(_ git: Git, limit: Int?, of paths: [String]) -> [(commit: GitCommit, changes: GitChanges)]? {
    // Only the last line feed is removed, because a name may contain others.
    guard
      let prefix = git.output(["rev-parse", "--show-prefix"]).map({ String(decoding: $0.dropLast(), as: UTF8.self) }),
      git.output(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]) != nil
    else { return nil }
    let count = limit.map { ["--max-count=\($0)"] } ?? []
    let parts = git.parts(
      [
        "log", "-z", "--raw", "-c", "--root", "--no-abbrev", "--no-renames", "--no-color", "--no-relative",
        "--no-follow", "-O/dev/null", "--encoding=UTF-8", "--format=commit %H %ct " + GitCommit.authorFormat,
      ] + count + ["HEAD", "--"] + paths, limit: 1 << 30)
    var found: [(commit: GitCommit, files: [File])] = []
    var rest = parts[...]
    while let part = rest.popFirst() {
      // git ends the text of a commit with a line feed if something follows.
      let text = part.drop { $0 == "\n" }
      if text.hasPrefix(":") {
        // A path can be any text, so the parts are told apart by their order.
        guard let path = rest.popFirst(), let last = found.indices.last else { break }
        guard path.hasPrefix(prefix), let file = File(String(text), String(path.dropFirst(prefix.count))) else {
          continue
        }
        found[last].files.append(file)
      } else {
        let words = text.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard words.count == 4, words[0] == "commit" else { continue }
        let commit = GitCommit(
          id: String(words[1]), parents: [], time: GitCommit.time(words[2]), authorAndAgent: words[3])
        found.append((commit, []))
      }
    }
    return found.map { ($0.commit, GitChanges(commit: $0.commit.id, files: $0.files)) }
  }
}

extension GitChanges.File {
  /// Parses `:MODE MODE OLD NEW STATUS`, or the line of a merge with one more colon, mode and blob for each further
  /// parent; nil for a submodule, which is not a file.
  fileprivate init?(_ line: String, _ path: String) {
    let parents = line.prefix { $0 == ":" }.count
    let words = line.dropFirst(parents).split(separator: " ")
    guard parents > 0, words.count == 2 * parents + 3, words[parents] != "160000" else { return nil }
    func blob(_ name: Substring) -> String? { name.allSatisfy { $0 == "0" } ? nil : String(name) }
    self.init(
      path: path, old: blob(words[parents + 1]), new: blob(words[2 * parents + 1]),
      isUnmerged: words[2 * parents + 2].hasPrefix("U"))
  }
}

extension GitChanges {
  /// The commits of a range, which must be valid.
  static func required(_ text: String, _ git: Git, bareFolder: String? = nil) throws -> [GitChanges] {
    guard let changes = range(text, git, bareFolder: bareFolder) else {
      throw CommandError.noCommit(Printable.argument(text))
    }
    return changes
  }
}

extension CommandError {
  static func noCommit(_ revision: String) -> CommandError {
    CommandError(
      .notFound, "no_such_revision", subject: revision, "does not name a commit in this clone",
      hints: ["`git log` shows the commits", "git may have to fetch it first"])
  }
}
