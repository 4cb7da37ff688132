import Synchronization
import VaultDocument
import VaultKit
import VaultStorage
import VaultTerminal

/// The other branches and stashes of a vault's repository, searched for a state that the work tree lacks.
///
/// `git switch` and `git stash` put an earlier state into the work tree, and keep the later one. If the current branch
/// or the common ancestor has a later state than the work tree, the search finds nothing. Then the user has put a file
/// back, or has committed an earlier state.
final class OtherBranches: Sendable {
  private let vault: String
  private let repository = Mutex<Repository?>(nil)

  /// Makes a search, which reads nothing before the first question.
  init(of vault: String) { self.vault = vault }

  /// The place that keeps a state, with the command to get it; nil if no place keeps it.
  func place(of missed: MissedState) -> String? {
    repository.withLock { repository in
      var known = repository ?? Repository(vault)
      defer { repository = known }
      return known.place(of: missed)
    }
  }
}

/// The repository, as read at the first question.
private struct Repository {
  /// A commit that may keep the missed state.
  struct Place {
    let name: String
    let commit: String
    /// The hashes of the common ancestors with the current branch.
    let origins: [String]
    /// The later commits of the current branch that change the vault; nil before they are read.
    var since: [String]?
  }

  /// How many branches are searched, the latest commit first, and how many stashes.
  private static let limit = 50
  private static let pathsOfVault = ["records", "trash", "vault.json", "checkpoint.jsonl"]
  private let git: Git
  private let objects: GitObjects
  /// The places. The one with the last result comes first.
  private var places: [Place]

  init(_ vault: String) {
    git = Git(at: vault).withoutBareRepositories()
    objects = GitObjects(git)
    places = Self.isTrusted(git, vault) ? Self.places(git) : []
  }

  mutating func place(of missed: MissedState) -> String? {
    guard !places.isEmpty, !has("HEAD", missed, where: missed.isLater) else { return nil }
    let found = places.firstIndex { place in
      // The third parent of a stash has the untracked files.
      [place.commit, place.commit + "^3"].contains { has($0, missed, where: missed.isMissed) }
        && !place.origins.contains { has($0, missed) { missed.isMissed($0) || missed.isLater($0) } }
    }
    guard let found, !hasHad(missed, since: found) else { return nil }
    places.swapAt(0, found)
    return places[0].name
  }

  /// Whether the current branch, since it left that place, has had the state or a later one than the folder. Then a
  /// commit has undone it.
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

  /// Whether the repository belongs to the folder. A repository inside another one may have come with a foreign commit,
  /// except for a submodule, which the outer repository tracks.
  private static func isTrusted(_ git: Git, _ vault: String) -> Bool {
    guard let top = GitFolder.top(of: vault) else { return false }
    guard top != "/", let outer = GitFolder.top(of: System.parent(of: top)) else { return true }
    let folder = git.lines(["rev-parse", "--absolute-git-dir"]).first ?? ""
    return folder.hasPrefix(outer + "/.git/")
  }

  private func has(_ commit: String, _ missed: MissedState, where isSo: ([UInt8]) -> Bool) -> Bool {
    let names = missed.files.map { "\(commit):./\($0)" }
    return objects.blobs(names, limit: StoreLocation.checkpoint.byteLimit).values.contains(where: isSo)
  }

  /// The places; empty for a detached `HEAD`, which `--at` can read. A rebase also detaches `HEAD`, but returns to its
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
      // The short name distinguishes a branch from a tag of the same name.
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
