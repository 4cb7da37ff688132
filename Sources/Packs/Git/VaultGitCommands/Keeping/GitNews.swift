import VaultStorage
import VaultSystem
import VaultTerminal

/// Files that a command has made or removed but git does not know, in the vaults of one work tree.
///
/// `git commit -a` leaves new files out. Without the new slots and records, a clone of the result does not open.
struct GitNews {
  /// The maximum number of files to ask for by name. For more files, git lists the whole vault.
  private static let namedCount = 400

  private var (newCount, ignoredCount, removedCount) = (0, 0, 0)
  private var paths: [String] = []
  /// By path, folders with files that git ignores.
  private var forced: [String: [String]] = [:]

  mutating func add(_ written: Set<String>, inVaultAt folder: String) {
    let git = Git(at: folder)
    let header = StoreLocation.header.relativePath
    let asked = written.count > Self.namedCount ? GitListing.places : written.union([header]).sorted()
    let listing = GitListing(git, asked)
    guard listing.keepsVault else { return }
    let unknown = written.subtracting(listing.tracked).subtracting(listing.untracked)
    let ignored = unknown.filter { System.isThere(System.join(folder, $0)) }
    add(
      folder, new: written.intersection(listing.untracked).count, ignored: Array(ignored),
      removed: written.intersection(listing.deleted).count)
  }

  mutating func add(newVaultAt folder: String) {
    let git = Git(at: folder)
    let listing = GitListing(git, GitListing.places + GitListing.beside)
    guard listing.keepsVault else { return }
    add(folder, new: listing.untracked.count, ignored: GitListing.ignored(git), removed: 0)
  }

  mutating func add(fileAt path: String) {
    let listing = GitListing(Git(at: System.parent(of: path)), [String(path.split(separator: "/").last ?? "")])
    add(path, new: listing.untracked.count, ignored: [], removed: 0)
  }

  private mutating func add(_ path: String, new: Int, ignored: [String], removed: Int) {
    guard new + ignored.count + removed > 0 else { return }
    (newCount, ignoredCount, removedCount) = (newCount + new, ignoredCount + ignored.count, removedCount + removed)
    if !paths.contains(path) { paths.append(path) }
    if !ignored.isEmpty { forced[path] = Self.folders(of: ignored + (forced[path] ?? [])) }
  }

  /// One sentence with the line to type; nil if git knows all files.
  var text: String? {
    if ignoredCount > 0 {
      return Self.ignoredText(ignoredCount) + "; run `\(GitLine.committing(paths, forced: forced))`"
    }
    let line = GitLine.committing(paths)
    if newCount > 0 { return Self.newText(newCount) + "; run `\(line)`" }
    guard removedCount > 0 else { return nil }
    return "\(removedCount) removed \(removedCount == 1 ? "file is" : "files are") still in git; run `\(line)`"
  }

  static func newText(_ count: Int) -> String { "\(count) new \(count == 1 ? "file is" : "files are") not in git" }
  static func ignoredText(_ count: Int) -> String {
    "git ignores \(counted(count, "new file")) of the vault"
  }

  /// The folders of a vault that contain these files, and the files outside any folder.
  static func folders(of paths: [String]) -> [String] {
    Set(paths.map { String($0.prefix { $0 != "/" }) }).sorted()
  }
}
