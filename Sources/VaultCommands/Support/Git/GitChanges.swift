import VaultStorage

/// Files of a vault that a commit, or what is staged for one, changes against one parent.
struct GitChanges {
  /// One file that differs.
  struct File {
    /// Below the vault's folder.
    let path: String
    /// Nil where it was not there.
    let old: String?
    /// Nil where it is not there any more.
    let new: String?
    /// Whether git holds several versions of it.
    let isUnmerged: Bool
  }

  /// Nil for what is staged.
  let commit: String?
  let files: [File]

  /// What `git cat-file` calls a file of the vault in the new state.
  func name(_ path: String) -> String { "\(commit ?? ""):./\(path)" }

  /// What is staged against the last commit.
  static func staged(_ git: Git) -> [GitChanges] {
    let head = git.lines(["rev-parse", "--verify", "--quiet", "HEAD^{tree}"]).first ?? ""
    // Before the first commit it is all that is staged.
    let base = head.isEmpty ? git.lines(["hash-object", "-t", "tree", "/dev/null"]).first ?? "" : head
    let answer = git.parts(
      ["diff-index", "--cached", "--raw", "--no-abbrev", "--no-renames", "-z", "--relative", base, "--", "."],
      limit: 256 << 20)
    return [GitChanges(commit: nil, files: files(answer))]
  }

  /// What each commit of a range changes, against each of its parents; the oldest first. Nil for what is no range.
  static func range(_ text: String, _ git: Git) -> [GitChanges]? {
    text.hasPrefix("-") ? nil : commits([text.contains("..") ? text : text + "..HEAD"], git)
  }

  /// The same of what `git rev-list` takes.
  static func commits(_ revisions: [String], _ git: Git) -> [GitChanges]? {
    guard let answer = git.output(["rev-list", "--reverse", "--topo-order"] + revisions + ["--"], limit: 64 << 20)
    else { return nil }
    let commits = String(decoding: answer, as: UTF8.self).split(separator: "\n").map(String.init)
    return commits.flatMap { commit in
      // Of a merge there is one part for each parent, and each begins with the commit again.
      git.parts(
        [
          "diff-tree", "-r", "-m", "--root", "--raw", "--no-abbrev", "--no-renames", "-z", "--relative", commit, "--",
          ".",
        ], limit: 256 << 20
      ).split { $0 == commit }.map { GitChanges(commit: commit, files: files(Array($0))) }
    }
  }

  /// What differs between two commits; nil where one of them is not there.
  static func between(_ old: String, _ new: String, _ git: Git) -> GitChanges? {
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
    stride(from: 0, to: parts.count - 1, by: 2).compactMap { index in
      let words = parts[index].split(separator: " ")
      // A submodule is no file.
      guard words.count == 5, words[1] != "160000" else { return nil }
      func blob(_ name: Substring) -> String? { name.allSatisfy { $0 == "0" } ? nil : String(name) }
      return File(
        path: parts[index + 1], old: blob(words[2]), new: blob(words[3]), isUnmerged: words[4].hasPrefix("U"))
    }
  }
}
