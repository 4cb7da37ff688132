package import VaultDocument
import VaultStorage
import VaultTerminal

/// A commit as git tells of it. Author and time are whatever somebody wrote there.
package struct GitCommit {
  /// Its hash, as hexadecimal digits.
  package let id: String
  /// Of those that were asked for, what it follows directly.
  package let parents: [String]
  /// When it was made; nil for a time that no date has.
  package let time: Timestamp?
  package let author: String

  /// `1a2b3c4d5e6f by Ada`
  package var line: String { "\(id.prefix(12)) by \(Printable.cut(author, front: 60, back: 20))" }

  /// The commits that lead to `HEAD`, or another, and in which one of the paths became what it is, the newest first.
  ///
  /// - Returns: nil where there is no commit, no work tree or no git.
  package static func list(
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

  /// Whether older commits were left where the repository comes from: the first that is here seems to add all it has.
  package static func areCutOff(_ git: Git) -> Bool {
    git.lines(["rev-parse", "--is-shallow-repository"]).first == "true"
  }

  /// Seconds since 1970 as a time.
  static func time(_ text: Substring) -> Timestamp? {
    Int64(text).flatMap { try? Timestamp(secondsSinceEpoch: $0) }
  }
}
