import VaultKit
import VaultStorage
import VaultTerminal

/// Two branches that both have replaced the root key since they diverged. Neither knows the keys of the other, so
/// neither can be verified by the other. One must give way.
struct RotatedApart {
  private let commit: String
  private let git: Git
  /// The last commit of theirs before the new root key; nil if it is unknown.
  private let before: String?

  /// Nil if one of them knows the root key of the other.
  init?(ours: VaultHeader, theirs: VaultHeader, _ commit: String, _ git: Git) {
    func knows(_ header: VaultHeader, _ root: VaultHeader) -> Bool {
      header.root.id == root.root.id || header.keyring.contains { $0.id == root.root.id }
    }
    guard !knows(ours, theirs), !knows(theirs, ours) else { return nil }
    (self.commit, self.git) = (commit, git)
    let file = StoreLocation.header.relativePath
    let objects = GitObjects(git)
    var rotation: String?
    for change in git.lines(["log", "--first-parent", "--format=%H", commit, "--", file]) where !change.isEmpty {
      guard let header = objects.header(in: change), !knows(ours, header) else { break }
      rotation = change
    }
    before = rotation.flatMap { git.lines(["rev-parse", "--short", "--verify", "--quiet", $0 + "^"]).first }
  }

  var hints: [String] {
    var steps: [String] = []
    if let before {
      if git.output(["merge-base", "--is-ancestor", before, "HEAD"]) == nil {
        steps.append("`vault merge \(before) --adopt-old-root` adopts what they had before they replaced the root key")
      }
      steps.append("`vault diff \(before) \(commit)` shows what they changed since then: repeat it here")
    }
    return steps + ["then `git merge -s ours \(commit)` marks all of theirs as merged and keeps our keys"]
  }

  var error: CommandError {
    CommandError(
      .findings, "both_rotated", subject: commit,
      "has replaced the root key, and so has this branch: neither knows the keys of the other", hints: hints)
  }
}
