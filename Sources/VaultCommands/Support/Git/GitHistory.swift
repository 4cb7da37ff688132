import VaultDocument
import VaultKit

/// The committed versions of a vault's files, when its folder lies in a git work tree and git is there.
struct GitHistory: FileHistory {
  private static let fileByteLimit = 16 << 20
  private static let listByteLimit = 256 << 20
  private static let commitLimit = 1000
  private let git: Git
  private let objects: GitObjects
  private let operation: GitOperation?

  /// Nil when there is no git, or no commit.
  init?(vault directory: String) {
    git = Git(at: directory)
    objects = GitObjects(git)
    let lines = git.lines(["rev-parse", "--is-inside-work-tree", "--verify", "HEAD^{commit}"])
    guard lines.count >= 2, lines[0] == "true" else { return nil }
    operation = GitOperation(git)
  }

  func forEachVersion(of path: String, _ body: (FileVersion) -> Bool) {
    let heads = ["HEAD"] + (operation?.heads ?? [])
    let commits = git.lines(["rev-list", "--max-count=\(Self.commitLimit)"] + heads + ["--", path]).filter { $0 != "" }
    // The newest one will do, mostly.
    objects.read(commits.map { "\($0):./\(path)" }, limit: Self.fileByteLimit, ahead: 2) { index, answer in
      // The commit that removed the file has no version of it.
      guard case .object(let object) = answer, object.kind == .blob else { return true }
      return body(FileVersion(object.bytes, origin: "git commit \(commits[index].prefix(12))"))
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
        blob("\(head):./\(path)").map {
          FileVersion($0, origin: "`git checkout \(head) -- \(path.shellQuoted)`")
        }
      }
    }
  }

  private func blob(_ name: String) -> [UInt8]? { objects.blob(name, limit: Self.fileByteLimit) }
}
