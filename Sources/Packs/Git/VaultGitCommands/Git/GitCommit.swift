import VaultDocument
import VaultStorage
import VaultTerminal

/// A commit. Anybody can choose its author and time.
struct GitCommit {
  /// The hash, as hexadecimal digits.
  let id: String
  /// The direct predecessors among the requested commits.
  let parents: [String]
  /// The time of the commit; nil if it is not a valid date.
  let time: Timestamp?
  let author: String

  /// Such as `1a2b3c4d5e6f by Ada`.
  var line: String { "\(id.prefix(12)) by \(Printable.cut(author, front: 60, back: 20))" }

  /// The commits before `HEAD` or another revision that changed one of the paths, the newest first; nil without a
  /// commit, a work tree or a git.
  static func list(
    _ git: Git, from revision: String = "HEAD", limit: Int?, of paths: [String]
  ) -> [GitCommit]? {
    let count = limit.map { ["--max-count=\($0)"] } ?? []
    guard
      let answer = git.output(
        ["rev-list", "--parents", "--encoding=UTF-8", "--format=%ct%n%an"] + count + [revision, "--"] + paths,
        limit: 256 << 20)
    else { return nil }
    let lines = String(decoding: answer, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    return stride(from: 0, to: lines.count - 2, by: 3).compactMap { index in
      let words = lines[index].split(separator: " ")
      guard words.count > 1, words[0] == "commit" else { return nil }
      return GitCommit(
        id: String(words[1]), parents: words.dropFirst(2).map(String.init), time: time(lines[index + 1]),
        author: String(lines[index + 2]))
    }
  }

  /// Whether the clone is shallow. Then its first commit seems to add all its files.
  static func areCutOff(_ git: Git) -> Bool {
    git.lines(["rev-parse", "--is-shallow-repository"]).first == "true"
  }

  static func time(_ text: Substring) -> Timestamp? {
    Int64(text).flatMap { try? Timestamp(secondsSinceEpoch: $0) }
  }
}
