import Synchronization
import VaultDocument
package import VaultKit
import VaultStorage
import VaultTerminal

/// The other branches of a vault's repository, and its stashes, asked for a state that the work tree does not have.
///
/// `git switch` and `git stash` put an earlier state into the work tree, and keep the later one. Where the branch that
/// is checked out, or what both branches come from, has a later state than the work tree, nothing is found: then
/// somebody has put a file back, or has committed an earlier one.
package final class OtherBranches: Sendable {
  private let vault: String
  private let repository = Mutex<Repository?>(nil)

  /// Nothing is read before the first question.
  package init(of vault: String) { self.vault = vault }

  /// The place that keeps a state, with how to go on; nil where none does.
  package func place(of missed: MissedState) -> String? {
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
    /// Those of the branch here since then that change the vault; nil before they are asked for.
    var since: [String]?
  }

  /// So many branches are asked, the one with the latest commit first, and so many stashes.
  private static let limit = 50
  private static let pathsOfVault = ["records", "trash", "vault.json", "checkpoint.jsonl"]
  private let git: Git
  private let objects: GitObjects
  /// The place that had the last state comes first.
  private var places: [Place]

  init(_ vault: String) {
    git = Git(at: vault).withoutBareRepositories()
    objects = GitObjects(git)
    places = Self.isTrusted(git, vault) ? Self.places(git) : []
  }

  mutating func place(of missed: MissedState) -> String? {
    guard !places.isEmpty, !has("HEAD", missed, where: missed.isLater) else { return nil }
    let found = places.firstIndex { place in
      // The third parent of a stash has the files that git did not know.
      [place.commit, place.commit + "^3"].contains { has($0, missed, where: missed.isMissed) }
        && !place.origins.contains { has($0, missed) { missed.isMissed($0) || missed.isLater($0) } }
    }
    guard let found, !hasHad(missed, since: found) else { return nil }
    places.swapAt(0, found)
    return places[0].name
  }

  /// Whether the branch here has had the state since it parted from that place, or a later one than the folder has:
  /// then a commit has taken it back.
  private mutating func hasHad(_ missed: MissedState, since index: Int) -> Bool {
    let since = places[index].since ?? commits(since: places[index].origins)
    places[index].since = since
    return since.contains { has($0, missed) { missed.isMissed($0) || missed.isLater($0) } }
  }

  private func commits(since origins: [String]) -> [String] {
    let bounds = origins.map { "^" + $0 }
    return git.lines(
      ["rev-list", "--full-history", "--max-count=\(Self.limit * 4)", "HEAD"] + bounds + ["--"] + Self.pathsOfVault
    ).filter { !$0.isEmpty }
  }

  /// Whether the repository is that of the folder. One within a repository of others can come with a commit of theirs,
  /// but for a submodule, which the outer one keeps.
  private static func isTrusted(_ git: Git, _ vault: String) -> Bool {
    guard let top = GitFolder.top(of: vault) else { return false }
    guard top != "/", let outer = GitFolder.top(of: System.parent(of: top)) else { return true }
    let folder = git.lines(["rev-parse", "--absolute-git-dir"]).first ?? ""
    return folder.hasPrefix(outer + "/.git/")
  }

  /// Whether a commit has the file in such a state.
  private func has(_ commit: String, _ missed: MissedState, where isSo: ([UInt8]) -> Bool) -> Bool {
    let names = missed.files.map { "\(commit):./\($0)" }
    return objects.blobs(names, limit: StoreLocation.checkpoint.byteLimit).values.contains(where: isSo)
  }

  /// None where a single commit is checked out: `--at` reads it. A rebase does so as well, and comes back to its
  /// branch.
  private static func places(_ git: Git) -> [Place] {
    let here = git.lines(["symbolic-ref", "--quiet", "HEAD"]).first ?? ""
    let replayed = here.isEmpty ? ReplayedBranch.name(git) : nil
    guard (replayed ?? here).hasPrefix("refs/heads/") else { return [] }
    let branches = git.lines([
      "for-each-ref", "--sort=-committerdate", "--count=\(limit)",
      "--format=%(objectname) %(refname) %(refname:short)", "refs/heads",
    ])
    let others = branches.compactMap { line -> (name: String, commit: String)? in
      let words = line.split(separator: " ").map(String.init)
      guard words.count == 3, words[1] != here else { return nil }
      let name = Printable.text(String(words[1].dropFirst("refs/heads/".count)))
      if words[1] == replayed { return ("the branch \(name): `git rebase --continue` goes on to it", words[0]) }
      // The short name tells a branch from a tag of the same name.
      let argument = Printable.text(words[words[2].hasPrefix("-") ? 1 : 2])
      return ("the branch \(name): `git merge \(argument.shellQuoted)` brings it here", words[0])
    }
    let stashes = git.lines(["rev-list", "--walk-reflogs", "--max-count=\(limit)", "refs/stash"])
      .filter { !$0.isEmpty }.enumerated()
      .map { (name: "stash@{\($0)}: `git stash pop stash@{\($0)}` brings it back", commit: $1) }
    return (stashes + others).compactMap { name, commit in
      let origins = git.lines(["merge-base", "--all", "HEAD", commit]).filter { !$0.isEmpty }
      return origins.isEmpty ? nil : Place(name: name, commit: commit, origins: origins, since: nil)
    }
  }
}
