import Synchronization
import VaultDocument
import VaultKit
import VaultStorage

/// The other branches of a vault's repository, and its stashes, asked for a state that the work tree does not have.
///
/// `git switch` and `git stash` put an earlier state into the work tree, and keep the later one. Where the branch that
/// is checked out, or what both branches come from, has a later state than the work tree, nothing is found: then
/// somebody has put a file back, or has committed an earlier one.
final class OtherBranches: Sendable {
  private let vault: String
  private let repository = Mutex<Repository?>(nil)

  /// Nothing is read before the first question.
  init(of vault: String) { self.vault = vault }

  /// The place that keeps a state, with how to go on; nil where none does.
  func place(of missed: MissedState) -> String? {
    repository.withLock { repository in
      var known = repository ?? Repository(vault)
      defer { repository = known }
      return known.place(of: missed)
    }
  }
}

/// What was found at the first question.
private struct Repository {
  /// A commit that may keep what is missed.
  struct Place {
    /// As a note names it.
    let name: String
    /// Its hash.
    let commit: String
    /// The commits that it and the branch here come from, by their hashes.
    let origins: [String]
  }

  /// So many branches are asked, the one with the latest commit first, and so many stashes.
  private static let limit = 50
  private let objects: GitObjects
  /// The place that had the last state comes first.
  private var places: [Place]

  init(_ vault: String) {
    let git = Git(at: vault)
    objects = GitObjects(git)
    places = GitFolder.holds(vault) ? Self.places(git) : []
  }

  mutating func place(of missed: MissedState) -> String? {
    guard !places.isEmpty, !has("HEAD", missed, where: missed.isLater) else { return nil }
    let found = places.firstIndex { place in
      // The third parent of a stash has the files that git did not know.
      [place.commit, place.commit + "^3"].contains { has($0, missed, where: missed.isMissed) }
        && !place.origins.contains { has($0, missed) { missed.isMissed($0) || missed.isLater($0) } }
    }
    guard let found else { return nil }
    places.swapAt(0, found)
    return places[0].name
  }

  /// Whether a commit has the file in such a state.
  private func has(_ commit: String, _ missed: MissedState, where isSo: ([UInt8]) -> Bool) -> Bool {
    let names = missed.files.map { "\(commit):./\($0)" }
    return objects.blobs(names, limit: StoreLocation.checkpoint.byteLimit).values.contains(where: isSo)
  }

  /// None where no branch is checked out: `--at` reads a single commit.
  private static func places(_ git: Git) -> [Place] {
    let here = git.lines(["symbolic-ref", "--quiet", "HEAD"]).first
    guard let here, here.hasPrefix("refs/heads/") else { return [] }
    let branches = git.lines([
      "for-each-ref", "--sort=-committerdate", "--count=\(limit)", "--format=%(objectname) %(refname)", "refs/heads",
    ])
    let others = branches.compactMap { line -> (name: String, commit: String)? in
      let words = line.split(separator: " ", maxSplits: 1).map(String.init)
      guard words.count == 2, words[1] != here else { return nil }
      let name = Printable.text(String(words[1].dropFirst("refs/heads/".count)))
      return ("the branch \(name): `git merge \(name.shellQuoted)` brings it here", words[0])
    }
    let stashes = git.lines(["rev-list", "--walk-reflogs", "--max-count=\(limit)", "refs/stash"])
      .filter { !$0.isEmpty }.enumerated()
      .map { (name: "stash@{\($0)}: `git stash pop stash@{\($0)}` brings it back", commit: $1) }
    return (stashes + others).compactMap { name, commit in
      let origins = git.lines(["merge-base", "--all", "HEAD", commit]).filter { !$0.isEmpty }
      return origins.isEmpty ? nil : Place(name: name, commit: commit, origins: origins)
    }
  }
}
