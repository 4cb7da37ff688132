import VaultDocument
import VaultStorage
import VaultSystem
import VaultTerminal

/// The branch whose commits git is replaying on top of another, as in a rebase or a cherry-pick of several commits.
///
/// The machine that runs the rebase wrote those commits, so it has seen later versions of a record than the replayed
/// one. The later versions follow, so this is not a rollback.
final class ReplayedBranch {
  private let branches: [SupersededVersions]

  /// Nil if git is not replaying commits.
  init?(_ git: Git, _ objects: GitObjects) {
    let tips = Self.tips(git)
    guard !tips.isEmpty else { return nil }
    branches = tips.map { SupersededVersions(git, objects, theirs: $0) }
  }

  func has(_ mac: [UInt8], of id: RecordID) -> Bool {
    let paths = StoreLocation.places(of: id).map(\.relativePath)
    return branches.contains { $0.theirsHave(mac, at: paths) }
  }

  /// The full name of the branch that a rebase replays; nil without a rebase.
  static func name(_ git: Git) -> String? {
    let words = words(git)
    return ["rebase-merge/head-name", "rebase-apply/head-name"].lazy.compactMap { words($0).first?.first }.first
      .map(String.init)
  }

  /// Reads a file of git's operation state: its lines, as words.
  private static func words(_ git: Git) -> (_ file: String) -> [[Substring]] {
    let folder = git.lines(["rev-parse", "--absolute-git-dir"]).first ?? ""
    guard folder.hasPrefix("/") else { return { _ in [] } }
    return { file in
      let bytes = try? TextInput.file(folder + "/" + file, limit: 16 << 20)
      let text = bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
      return text.split(separator: "\n").map { $0.split(separator: " ") }
    }
  }

  /// The last commits of the replayed branches, from the files of the operation.
  private static func tips(_ git: Git) -> [String] {
    let words = words(git)
    let heads = ["rebase-merge/orig-head", "rebase-apply/orig-head", "CHERRY_PICK_HEAD"].compactMap {
      words($0).first?.first
    }
    // A list of `pick COMMIT TITLE`.
    let picked = words("sequencer/todo").last { $0.count > 1 && $0[0] == "pick" }.map { $0[1] }
    let names = (heads + [picked].compactMap { $0 }).map(String.init)
    return names.filter { $0.utf8.count >= 4 && $0.allSatisfy(\.isHexDigit) }.compactMap { name in
      git.lines(["rev-parse", "--verify", "--quiet", name + "^{commit}"]).first { !$0.isEmpty }
    }
  }
}
