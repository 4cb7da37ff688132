import VaultDocument
import VaultKit
import VaultPackSupport
import VaultStorage
import VaultSystem
import VaultTerminal

/// The files of a vault in the work tree, compared with git's last commit or index.
///
/// Only the header is compared by content. A record with other content is an uncommitted edit, and the commit opens
/// without it.
struct GitComparison {
  enum Base {
    case commit
    /// The next commit.
    case index
  }

  /// Files in the work tree but not in the base, without ignored files.
  let absent: [String]
  /// Files in the work tree that git ignores.
  let ignored: [String]
  /// Files in the base but not in the work tree.
  let removed: [String]
  /// Slots in the base's header whose files are not in the base. They cannot open a clone.
  let missingSlots: [String]
  /// Whether the base has another header.
  let hasOtherHeader: Bool
  /// Records of the base, live and removed.
  let records: [String]
  private let names: Set<String>
  private let folder: String

  /// Nil if git does not keep the vault: outside any work tree, or if its header is ignored.
  init?(_ folder: String, _ git: Git, with base: Base) {
    guard GitFolder.holds(folder), git.lines(["rev-parse", "--is-inside-work-tree"]).first == "true" else { return nil }
    let listing = GitListing(git)
    guard listing.keepsVault else { return nil }
    self.folder = folder
    let isCommit = base == .commit
    names =
      isCommit
      ? Set(git.parts(["ls-tree", "-r", "-z", "--name-only", "HEAD", "--"] + GitListing.places, limit: 256 << 20))
      : listing.tracked
    func sorted(_ paths: Set<String>) -> [String] { paths.filter { StoreLocation(relativePath: $0) != nil }.sorted() }
    let present = listing.untracked.union(listing.tracked.subtracting(listing.deleted))
    absent = sorted(present.subtracting(names).subtracting(listing.unsettled))
    removed = sorted(names.subtracting(present).subtracting(listing.unsettled))
    ignored = GitListing.ignored(git).sorted()
    records = sorted(names).filter { StoreLocation(relativePath: $0)?.recordID != nil }
    let place = StoreLocation.header
    let committed = GitObjects(git).blob((isCommit ? "HEAD" : "") + ":./" + place.relativePath, limit: place.byteLimit)
    let own = try? TextInput.file(System.join(folder, place.relativePath), limit: place.byteLimit)
    hasOtherHeader = committed != nil && own != nil && committed != own
    let header = committed.flatMap { try? VaultHeader(parsing: $0) }
    let base = names
    missingSlots = (header?.slots ?? []).map { StoreLocation.slot($0.id).relativePath }.filter { !base.contains($0) }
  }

  func has(_ place: StoreLocation) -> Bool { names.contains(place.relativePath) }

  /// Whether the base has all relevant files of the work tree.
  var isWhole: Bool {
    absent.isEmpty && ignored.isEmpty && removed.isEmpty && missingSlots.isEmpty && !hasOtherHeader
  }

  /// The command to type, after the fault; nil if this folder lacks the files, too.
  var advice: String? {
    line.map {
      absent.isEmpty
        ? "run `\($0)` to commit the vault as it is here" : GitNews.newText(absent.count) + "; run `\($0)`"
    }
  }

  /// The line that commits the present vault.
  private var line: String? {
    let forced = ignored.isEmpty ? [:] : [folder: GitNews.folders(of: ignored)]
    let isHere = !absent.isEmpty || !ignored.isEmpty || !removed.isEmpty || hasOtherHeader
    return isHere ? GitLine.committing([folder], forced: forced) : nil
  }

  /// Such as `2 files, such as slots/….age`.
  static func count(_ paths: [String], _ word: String = "") -> String {
    let file = paths.count == 1 ? "file" : "files"
    return "\(paths.count) \(word)\(file), " + (paths.count == 1 ? "" : "such as ") + (paths.first ?? "")
  }
}

extension GitComparison {
  /// The line of `doctor`: whether a clone of the last commit has the files of this folder.
  var check: DoctorCheck {
    guard !isWhole else {
      return .good("commit", "the last commit has every file of the vault")
    }
    var parts: [String] = []
    if !missingSlots.isEmpty {
      parts.append(
        "the last commit lacks slots that its vault.json names, so a clone cannot be opened with them: "
          + Self.count(missingSlots))
    }
    if !absent.isEmpty { parts.append("the last commit lacks " + Self.count(absent, "new ")) }
    if !ignored.isEmpty { parts.append("git ignores " + Self.count(ignored)) }
    if !removed.isEmpty { parts.append("the last commit still has " + Self.count(removed, "removed ")) }
    if hasOtherHeader { parts.append("the last commit has another vault.json") }
    return DoctorCheck(
      name: "commit", state: missingSlots.isEmpty ? .warning : .fault, text: parts.joined(separator: "; "),
      advice: line.map { "`\($0)` commits what is here" }
        ?? "commit them in the folder where they were made: `git add -A` adds new files")
  }

  /// The line of `doctor` if the index would make the next commit less complete than the last one; otherwise nil.
  func staging(after commit: GitComparison) -> DoctorCheck? {
    let leaving = absent.filter(commit.names.contains)
    let isOther = hasOtherHeader && !commit.hasOtherHeader
    let slots = missingSlots.filter { !commit.missingSlots.contains($0) }
    guard isOther || !leaving.isEmpty || !slots.isEmpty else { return nil }
    let reason =
      leaving.isEmpty
      ? "the next commit would have another vault.json than this folder"
      : "the next commit would lack " + Self.count(leaving)
    return .fault("staged", reason, advice: line.map { "`\($0)` commits what is here" } ?? "`git status`")
  }
}
