import VaultDocument
import VaultKit

/// The committed versions of a vault's files, when its folder lies in a git work tree and git is there.
struct GitHistory: FileHistory {
  private static let fileByteLimit = 16 << 20
  private static let listByteLimit = 256 << 20
  private static let commitLimit = 1000
  private let git: Git
  /// The vault's folder below the top of the work tree: empty, or ending in a slash.
  private let prefix: String
  private let operation: GitOperation?

  /// Nil when there is no git, or no commit.
  init?(vault directory: String) {
    git = Git(at: directory)
    let lines = git.lines(["rev-parse", "--is-inside-work-tree", "--show-prefix", "--verify", "HEAD^{commit}"])
    guard lines.count >= 3, lines[0] == "true" else { return nil }
    prefix = lines[1]
    operation = GitOperation(git)
  }

  func forEachVersion(of path: String, _ body: (FileVersion) -> Bool) {
    let heads = ["HEAD"] + (operation?.heads ?? [])
    for commit in git.lines(["rev-list", "--max-count=\(Self.commitLimit)"] + heads + ["--", path]) where commit != "" {
      // The commit that removed the file has no version of it.
      guard let bytes = blob("\(commit):\(prefix)\(path)") else { continue }
      guard body(FileVersion(bytes, origin: "git commit \(commit.prefix(12))")) else { return }
    }
  }

  func newestFiles() -> [String] {
    git.parts(["ls-tree", "-r", "--name-only", "-z", "HEAD", "--", "records", "trash"], limit: Self.listByteLimit)
  }

  func sides(of paths: [String]) -> [FileVersion] {
    guard let operation else { return [] }
    let stages = operation.unmerged.filter { paths.contains($0.path) && $0.number > 1 }
    let staged = stages.compactMap { stage in
      blob(stage.blob).map { bytes in
        FileVersion(
          bytes, origin: "`git checkout --\(stage.number == 2 ? "ours" : "theirs") -- \(stage.path.shellQuoted)`")
      }
    }
    guard staged.isEmpty else { return staged }
    // Once somebody has added the file as it is, the index holds nothing but that.
    return (["HEAD"] + operation.heads).flatMap { head in
      paths.compactMap { path in
        blob("\(head):\(prefix)\(path)").map {
          FileVersion($0, origin: "`git checkout \(head) -- \(path.shellQuoted)`")
        }
      }
    }
  }

  private func blob(_ name: String) -> [UInt8]? { git.output(["cat-file", "blob", name], limit: Self.fileByteLimit) }
}
