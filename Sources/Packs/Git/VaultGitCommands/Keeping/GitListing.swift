import VaultDocument
import VaultStorage
import VaultSystem
import VaultTerminal

/// The files of a vault in git's index and in the work tree. No content is compared, so no filter runs.
struct GitListing {
  /// In the work tree but not in the index, without ignored files.
  private(set) var untracked: Set<String> = []
  /// In the index, even if missing in the work tree.
  private(set) var tracked: Set<String> = []
  /// In the index but not in the work tree.
  private(set) var deleted: Set<String> = []
  /// Files outside a sparse checkout, and unmerged files.
  private(set) var unsettled: Set<String> = []

  /// The places of a vault's files, below its folder.
  static let places = [
    StoreLocation.header.relativePath, StoreLocation.checkpoint.relativePath, "slots", "records", "trash",
    "attachments", "inbox",
  ]
  /// The files beside them that a new vault brings.
  static let beside = [".gitattributes", ".gitignore"]

  /// - Parameter paths: files and folders below the vault's folder.
  init(_ git: Git, _ paths: [String] = places) {
    let words = ["ls-files", "-t", "-c", "-d", "-o", "--exclude-standard", "-z", "--"]
    for part in git.parts(words + paths, limit: 256 << 20) {
      guard let tag = part.first, part.dropFirst().first == " " else { continue }
      let path = String(part.dropFirst(2))
      switch tag {
      case "?": untracked.insert(path)
      case "R": deleted.insert(path)
      case "S", "M":
        tracked.insert(path)
        unsettled.insert(path)
      default: tracked.insert(path)
      }
    }
  }

  /// The files of a new vault, with those beside it.
  var newVault: Set<String> { wholeVault.union(tracked.union(untracked).intersection(Self.beside)) }

  /// Whether git has the vault or a part of it, or would have its header after `git add`.
  var keepsVault: Bool {
    untracked.contains(StoreLocation.header.relativePath) || tracked.contains { StoreLocation(relativePath: $0) != nil }
  }

  func isTracked(_ place: StoreLocation) -> Bool { tracked.contains(place.relativePath) }

  /// Every file of the vault that git has or would take.
  var wholeVault: Set<String> { tracked.union(untracked).filter { StoreLocation(relativePath: $0) != nil } }

  /// The files of a vault that git ignores, for example because of `.gitignore`.
  static func ignored(_ git: Git, _ paths: [String] = places) -> [String] {
    git.parts(["ls-files", "-o", "-i", "--exclude-standard", "-z", "--"] + paths, limit: 256 << 20)
      .filter { StoreLocation(relativePath: $0) != nil }
  }
}

/// A shell line that adds files to git, for use in the working directory of this process.
enum GitLine {
  /// - Parameters:
  ///   - paths: folders and files of one work tree.
  ///   - forced: by path, the names below it that git ignores.
  static func committing(_ paths: [String], forced: [String: [String]] = [:]) -> String {
    let words = paths.compactMap(word)
    guard words.count == paths.count else {
      return paths.map { committing(within: $0, forced: forced[$0] ?? []) }.joined(separator: " && ")
    }
    let adding = "git add -A \(words.joined(separator: " ")) && git commit"
    let forcedWords = zip(paths, words).flatMap { path, word in
      (forced[path] ?? []).map { word == "." ? $0 : word + "/" + $0 }
    }
    return forcedWords.isEmpty ? adding : "git add -f \(forcedWords.joined(separator: " ")) && " + adding
  }

  /// The line for a path in another work tree, or with pattern characters.
  private static func committing(within path: String, forced: [String]) -> String {
    let isFolder = System.kind(of: path) == .directory
    let git = "git -C " + (isFolder ? path : System.parent(of: path)).shellQuoted
    let name = isFolder ? "." : String(path.split(separator: "/").last ?? "").shellQuoted
    let adding = "\(git) add -A \(name) && \(git) commit"
    return forced.isEmpty ? adding : "\(git) add -f \(forced.joined(separator: " ")) && " + adding
  }

  /// A path for `git add` relative to the working directory; nil if git would not accept it.
  private static func word(_ path: String) -> String? {
    guard let here = ProcessEnvironment.workingDirectory.flatMap(ProcessEnvironment.realPath),
      let real = ProcessEnvironment.realPath(path), let top = GitFolder.top(of: real), top == GitFolder.top(of: here)
    else { return nil }
    let (from, to) = (here.split(separator: "/"), real.split(separator: "/"))
    let common = zip(from, to).prefix { $0.0.utf8.elementsEqual($0.1.utf8) }.count
    let parts = from.dropFirst(common).map { _ in ".." } + to.dropFirst(common).map(String.init)
    let relative = parts.isEmpty ? "." : parts.joined(separator: "/")
    guard !relative.utf8.contains(where: { $0 < 0x20 || "*?[\\".utf8.contains($0) }) else { return nil }
    return (relative.hasPrefix("-") || relative.hasPrefix(":") ? "./" + relative : relative).shellQuoted
  }
}
