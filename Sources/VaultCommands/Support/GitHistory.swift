import VaultKit

/// The committed versions of a vault's files, when its folder lies in a git work tree and git is there.
///
/// Only plumbing is used, which runs no hook, pager, filter or text conversion; the repository may be hostile.
struct GitHistory: FileHistory {
  private static let fileByteLimit = 16 << 20
  private static let listByteLimit = 256 << 20
  private static let commitLimit = 1000
  /// Nothing is asked, fetched or locked, and no program that the configuration names is run.
  private static let caution = [
    "--no-pager", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c",
    "log.showSignature=false", "-c", "protocol.allow=never",
  ]
  private let directory: String
  /// The vault's folder below the top of the work tree: empty, or ending in a slash.
  private let prefix: String
  private let variables: [String]

  /// Nil when there is no git, or no commit.
  init?(vault directory: String) {
    self.directory = directory
    variables =
      System.allVariables().filter { !$0.hasPrefix("GIT_") } + [
        "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1",
      ]
    let answer = Self.run(
      ["rev-parse", "--is-inside-work-tree", "--show-prefix", "--verify", "HEAD^{commit}"], directory, variables,
      limit: 1 << 16)
    let lines = String(decoding: answer ?? [], as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count >= 3, lines[0] == "true" else { return nil }
    prefix = String(lines[1])
  }

  func forEachVersion(of path: String, _ body: (FileVersion) -> Bool) {
    let list = run(["rev-list", "--max-count=\(Self.commitLimit)", "HEAD", "--", path], limit: 1 << 20)
    for commit in String(decoding: list ?? [], as: UTF8.self).split(separator: "\n") {
      // The commit that removed the file has no version of it.
      guard let bytes = run(["cat-file", "blob", "\(commit):\(prefix)\(path)"], limit: Self.fileByteLimit) else {
        continue
      }
      guard body(FileVersion(bytes, origin: "git commit \(commit.prefix(12))")) else { return }
    }
  }

  func newestFiles() -> [String] {
    let names = run(
      ["ls-tree", "-r", "--name-only", "-z", "HEAD", "--", "records", "trash"], limit: Self.listByteLimit)
    return (names ?? []).split(separator: 0).compactMap { String(validating: $0, as: UTF8.self) }
  }

  private func run(_ arguments: [String], limit: Int) -> [UInt8]? {
    Self.run(arguments, directory, variables, limit: limit)
  }

  private static func run(
    _ arguments: [String], _ directory: String, _ variables: [String], limit: Int
  ) -> [UInt8]? {
    System.outputOfTool("git", ["-C", directory] + caution + arguments, variables: variables, limit: limit)
  }
}
