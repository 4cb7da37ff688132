import VaultDocument
import VaultStorage
import VaultSystem
import VaultTerminal

/// The files of a vault as git's index and its work tree have them. Nothing in a file is compared, so no filter runs.
struct GitListing {
  /// In the work tree and not in the index. A file that git ignores is not listed.
  private(set) var untracked: Set<String> = []
  /// In the index, whether the work tree has the file or not.
  private(set) var tracked: Set<String> = []
  /// In the index and not in the work tree.
  private(set) var deleted: Set<String> = []
  /// Files that a sparse checkout leaves out, and files that are unmerged.
  private(set) var unsettled: Set<String> = []

  /// Where the files of a vault lie, below its folder.
  static let places = [
    StoreLocation.header.relativePath, StoreLocation.checkpoint.relativePath, "slots", "records", "trash",
    "attachments",
  ]

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

  /// Whether git has the vault's header, or would have it with the next `git add`: it keeps this vault.
  var keepsVault: Bool {
    tracked.contains(StoreLocation.header.relativePath) || untracked.contains(StoreLocation.header.relativePath)
  }

  /// The files of a vault that a rule such as a line of `.gitignore` keeps out of git.
  static func ignored(_ git: Git, _ paths: [String] = places) -> [String] {
    git.parts(["ls-files", "-o", "-i", "--exclude-standard", "-z", "--"] + paths, limit: 256 << 20)
      .filter { StoreLocation(relativePath: $0) != nil }
  }
}

/// A line of the shell that takes files into git, to be pasted where this process runs.
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

  /// For a path in another work tree, or with characters that git takes for a pattern.
  private static func committing(within path: String, forced: [String]) -> String {
    let isFolder = System.kind(of: path) == .directory
    let git = "git -C " + (isFolder ? path : System.parent(of: path)).shellQuoted
    let name = isFolder ? "." : String(path.split(separator: "/").last ?? "").shellQuoted
    let adding = "\(git) add -A \(name) && \(git) commit"
    return forced.isEmpty ? adding : "\(git) add -f \(forced.joined(separator: " ")) && " + adding
  }

  /// A path as `git add` takes it from the working directory; nil where it does not take it.
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
