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
  /// The coding agent that ran the command, from the line ``agentMark`` of the message; nil for none.
  let agent: String?

  /// The beginning of the line of a commit message that names a coding agent (git-interpret-trailers(1)).
  static let agentMark = "Agent: "
  /// Prints the author and the agent in `--format` of git.
  static let authorFormat = "%an%x1f%(trailers:key=Agent,valueonly,separator=%x2C)"

  /// - Parameter author: the text of ``authorFormat``.
  init(id: String, parents: [String], time: Timestamp?, authorAndAgent author: Substring) {
    let parts = author.split(separator: "\u{1F}", omittingEmptySubsequences: false)
    (self.id, self.parents, self.time, self.author) = (id, parents, time, String(parts.first ?? ""))
    // An older git prints the format itself.
    let agent = parts.count > 1 ? parts[parts.count - 1] : ""
    self.agent = agent.isEmpty || agent.hasPrefix("%") ? nil : String(agent)
  }

  /// Such as `1a2b3c4d5e6f by Ada`, or `1a2b3c4d5e6f by Ada, with Claude Code`.
  var line: String {
    "\(id.prefix(12)) by \(Printable.cut(author, front: 60, back: 20))"
      + (agent.map { ", with \(Printable.cut($0, front: 40, back: 0))" } ?? "")
  }

  /// The commits before `HEAD` or another revision that changed one of the paths, the newest first; nil without a
  /// commit, a work tree or a git.
  static func list(
    _ git: Git, from revision: String = "HEAD", limit: Int?, of paths: [String]
  ) -> [GitCommit]? {
    let count = limit.map { ["--max-count=\($0)"] } ?? []
    guard
      let answer = git.output(
        ["rev-list", "--parents", "--encoding=UTF-8", "--format=%ct%n" + authorFormat] + count + [revision, "--"]
          + paths,
        limit: 256 << 20)
    else { return nil }
    let lines = String(decoding: answer, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    return stride(from: 0, to: lines.count - 2, by: 3).compactMap { index in
      let words = lines[index].split(separator: " ")
      guard words.count > 1, words[0] == "commit" else { return nil }
      return GitCommit(
        id: String(words[1]), parents: words.dropFirst(2).map(String.init), time: time(lines[index + 1]),
        authorAndAgent: lines[index + 2])
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
