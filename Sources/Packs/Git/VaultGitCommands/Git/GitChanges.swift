import VaultStorage
package import VaultTerminal

/// Files of a vault that a commit, or what is staged for one, changes against one parent.
package struct GitChanges {
  /// One file that differs.
  package struct File {
    /// Below the vault's folder.
    package let path: String
    /// Nil where it was not there.
    package let old: String?
    /// Nil where it is not there any more.
    package let new: String?
    /// Whether git holds several versions of it.
    package let isUnmerged: Bool
  }

  /// Nil for what is staged.
  package let commit: String?
  package let files: [File]
  /// The folder of the vault as git has it: `./`, or in a bare repository the path from its top.
  var folder = "./"

  package init(commit: String?, files: [File], folder: String = "./") {
    (self.commit, self.files, self.folder) = (commit, files, folder)
  }

  /// What `git cat-file` calls a file of the vault in the new state.
  package func name(_ path: String) -> String { "\(commit ?? ""):\(folder)\(path)" }

  /// Whether git has every file of the vault as the work tree has it. No filter runs: git says which files could have
  /// changed, and hashes these as they are.
  package static func areCommitted(_ git: Git) -> Bool {
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

  /// So many files are hashed by one process.
  private static let hashedCount = 400

  /// What is staged against the last commit.
  package static func staged(_ git: Git) -> [GitChanges] {
    let head = git.lines(["rev-parse", "--verify", "--quiet", "HEAD^{tree}"]).first ?? ""
    // Before the first commit it is all that is staged.
    let base = head.isEmpty ? git.lines(["hash-object", "-t", "tree", "/dev/null"]).first ?? "" : head
    let answer = git.parts(
      ["diff-index", "--cached", "--raw", "--no-abbrev", "--no-renames", "-z", "--relative", base, "--", "."],
      limit: 256 << 20)
    return [GitChanges(commit: nil, files: files(answer))]
  }

  /// What each commit of a range changes, against each of its parents; the oldest first. Nil for what is no range.
  ///
  /// - Parameter bareFolder: the vault's folder in a bare repository, which has no work tree to be in.
  static func range(_ text: String, _ git: Git, bareFolder: String? = nil) -> [GitChanges]? {
    guard !text.hasPrefix("-") else { return nil }
    let range = text.contains("..") ? text : text + "..HEAD"
    // The first push into an empty repository follows nothing.
    let isFirst = range.hasPrefix("HEAD..") && git.output(["rev-parse", "--verify", "--quiet", "HEAD"]) == nil
    return commits([isFirst ? String(range.dropFirst(6)) : range], git, bareFolder: bareFolder)
  }

  /// The same of what `git rev-list` takes.
  package static func commits(_ revisions: [String], _ git: Git, bareFolder: String? = nil) -> [GitChanges]? {
    guard let answer = git.output(["rev-list", "--reverse", "--topo-order"] + revisions + ["--"], limit: 64 << 20)
    else { return nil }
    let commits = String(decoding: answer, as: UTF8.self).split(separator: "\n").map(String.init)
    let relative = bareFolder.map { $0.isEmpty ? [] : ["--relative=" + $0] } ?? ["--relative"]
    let place = bareFolder.flatMap { $0.isEmpty ? nil : $0 } ?? "."
    return commits.flatMap { commit in
      // Of a merge there is one part for each parent, and each begins with the commit again.
      git.parts(
        [
          "diff-tree", "-r", "-m", "--root", "--raw", "--no-abbrev", "--no-renames", "-z",
        ] + relative + [commit, "--", place], limit: 256 << 20
      ).split { $0 == commit }.map {
        GitChanges(commit: commit, files: files(Array($0)), folder: bareFolder ?? "./")
      }
    }
  }

  /// What differs between two commits; nil where one of them is not there.
  package static func between(_ old: String, new: String, git: Git) -> GitChanges? {
    guard let commit = git.lines(["rev-parse", "--verify", "--quiet", new + "^{commit}"]).first, !commit.isEmpty,
      let answer = git.output(
        ["diff-tree", "-r", "--raw", "--no-abbrev", "--no-renames", "-z", "--relative", old, commit, "--", "."],
        limit: 256 << 20)
    else { return nil }
    return GitChanges(
      commit: commit, files: files(answer.split(separator: 0).compactMap { String(validating: $0, as: UTF8.self) }))
  }

  /// Pairs of `:MODE MODE OLD NEW STATUS` and a path.
  private static func files(_ parts: [String]) -> [File] {
    stride(from: 0, to: parts.count - 1, by: 2).compactMap { File(parts[$0], parts[$0 + 1]) }
  }

  /// The commits that lead to `HEAD` and changed one of the paths, the newest first, with what each changed: of a merge
  /// what it has otherwise than all of its parents, against the first.
  ///
  /// - Returns: nil where there is no commit, no work tree or no git.
  package static func log(_ git: Git, limit: Int?, of paths: [String]) -> [(commit: GitCommit, changes: GitChanges)]? {
    // All but the line feed behind it: a name may hold others.
    guard
      let prefix = git.output(["rev-parse", "--show-prefix"]).map({ String(decoding: $0.dropLast(), as: UTF8.self) }),
      git.output(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]) != nil
    else { return nil }
    let count = limit.map { ["--max-count=\($0)"] } ?? []
    let parts = git.parts(
      [
        "log", "-z", "--raw", "-c", "--root", "--no-abbrev", "--no-renames", "--no-color", "--no-relative",
        "--no-follow", "-O/dev/null", "--encoding=UTF-8", "--format=commit %H %ct %an",
      ] + count + ["HEAD", "--"] + paths, limit: 1 << 30)
    var found: [(commit: GitCommit, files: [File])] = []
    var rest = parts[...]
    while let part = rest.popFirst() {
      // What git writes of a commit ends with a line feed, where something follows.
      let text = part.drop { $0 == "\n" }
      if text.hasPrefix(":") {
        // The path is whatever it is: no part of an answer is taken for another.
        guard let path = rest.popFirst(), let last = found.indices.last else { break }
        guard path.hasPrefix(prefix), let file = File(String(text), String(path.dropFirst(prefix.count))) else {
          continue
        }
        found[last].files.append(file)
      } else {
        let words = text.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard words.count == 4, words[0] == "commit" else { continue }
        let commit = GitCommit(
          id: String(words[1]), parents: [], time: GitCommit.time(words[2]), author: String(words[3]))
        found.append((commit, []))
      }
    }
    return found.map { ($0.commit, GitChanges(commit: $0.commit.id, files: $0.files)) }
  }
}

extension GitChanges.File {
  /// Reads `:MODE MODE OLD NEW STATUS`, or that of a merge with as many more colons, modes and blobs as it has parents
  /// beyond the first; nil for a submodule, which is no file.
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
  /// The commits of a range.
  package static func required(_ text: String, _ git: Git, bareFolder: String? = nil) throws -> [GitChanges] {
    guard let changes = range(text, git, bareFolder: bareFolder) else {
      throw CommandError.noCommit(Printable.argument(text))
    }
    return changes
  }
}

extension CommandError {
  /// What is said of a word that names no commit, or no range of them.
  package static func noCommit(_ revision: String) -> CommandError {
    CommandError(
      .notFound, "no_such_revision", subject: revision, "names no commit that is here",
      hints: ["`git log` shows those that are", "git may have to fetch it first"])
  }
}
