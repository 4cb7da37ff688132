import VaultCare
import VaultDocument
import VaultKit

struct GitVersion {
  /// The full hash of the commit.
  let commit: String
  /// The path below the vault's folder.
  let path: String
  /// The git object of the content.
  let object: String
  let bytes: [UInt8]
}

/// The committed versions of a vault's files, if its folder is in a git work tree and git is available.
struct GitHistory: FileHistory {
  /// A larger attachment is skipped, because each version is in memory as a whole.
  private static let attachmentByteLimit = 256 << 20
  private static let listByteLimit = 256 << 20
  private static let commitLimit = 1000
  private let git: Git
  private let objects: GitObjects
  private let operation: GitOperation?

  /// Nil without a git, or without a commit.
  init?(vault directory: String) {
    git = Git(at: directory)
    objects = GitObjects(git)
    let lines = git.lines(["rev-parse", "--is-inside-work-tree", "--verify", "HEAD^{commit}"])
    guard lines.count >= 2, lines[0] == "true" else { return nil }
    operation = GitOperation(git)
  }

  func forEachVersion(of path: String, _ body: (FileVersion) -> Bool) {
    // Usually the newest version is right.
    forEachVersion(of: [path], ahead: 2) { version in
      body(FileVersion(version.bytes, origin: "git commit \(version.commit.prefix(12))"))
    }
  }

  /// Passes the versions of some paths to `body`, the newest first, until it returns false. There is a version for each
  /// commit that changed a path, on either side of a merge.
  func forEachVersion(ofAny paths: [String], _ body: (GitVersion) -> Bool) {
    forEachVersion(of: paths, ["--full-history"], limit: 100 * Self.commitLimit, ahead: 64, body)
  }

  private func forEachVersion(
    of paths: [String], _ options: [String] = [], limit: Int = commitLimit, ahead: Int, _ body: (GitVersion) -> Bool
  ) {
    let heads = ["HEAD"] + (operation?.heads ?? [])
    let commits = git.lines(
      ["rev-list", "--max-count=\(limit)"] + options + heads + ["--"] + paths, limit: 16 << 20
    ).filter { $0 != "" }
    let places = commits.flatMap { commit in paths.map { (commit: commit, path: $0) } }
    let isLarge = paths.contains { $0.hasPrefix("attachments/") }
    let byteLimit = isLarge ? Self.attachmentByteLimit : GitObjects.fileByteLimit
    objects.read(places.map { "\($0.commit):./\($0.path)" }, limit: byteLimit, ahead: ahead) { index, answer in
      // The commit that removed the file has no version of it.
      guard case .object(let object) = answer, object.kind == .blob else { return true }
      let (commit, path) = places[index]
      return body(GitVersion(commit: commit, path: path, object: object.id, bytes: object.bytes))
    }
  }

  /// The bytes of an earlier result.
  func bytes(_ object: String) -> [UInt8]? { blob(object) }

  func newestFiles() -> [String] {
    git.parts(["ls-tree", "-r", "--name-only", "-z", "HEAD", "--", "records", "trash"], limit: Self.listByteLimit)
  }

  func sides(of paths: [String]) -> [FileVersion] {
    guard let operation else { return committedSides(of: paths) }
    let stages = operation.unmerged.filter { paths.contains($0.path) && $0.number > 1 }
    let staged = stages.compactMap { stage in
      blob(stage.blob).map { bytes in
        FileVersion(
          bytes, origin: "`git checkout --\(stage.number == 2 ? "ours" : "theirs") -- \(stage.path.shellQuoted)`")
      }
    }
    guard staged.isEmpty else { return staged }
    // After the user has added the file, the index holds only that version.
    return (["HEAD"] + operation.heads).flatMap { head in
      paths.compactMap { path in
        blob("\(head):./\(path)").map {
          FileVersion($0, origin: "`git checkout \(head) -- \(path.shellQuoted)`")
        }
      }
    }
  }

  private func committedSides(of paths: [String]) -> [FileVersion] {
    let words = git.lines(["rev-list", "--parents", "--max-count=1", "HEAD", "--"] + paths).first?.split(separator: " ")
    guard let words, words.count > 2 else { return [] }
    return words.dropFirst().flatMap { parent in
      paths.compactMap { path in
        blob("\(parent):./\(path)").map {
          FileVersion($0, origin: "`git checkout \(parent.prefix(12)) -- \(path.shellQuoted)`")
        }
      }
    }
  }

  private func blob(_ name: String) -> [UInt8]? { objects.blob(name, limit: GitObjects.fileByteLimit) }
}
