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
  /// Whether git has any commit.
  let hasCommit: Bool
  /// Records of the base, live and removed.
  let records: [String]
  /// How git names the base: an empty text is the index.
  private let base: String
  private let names: Set<String>
  private let folder: String

  /// Nil if git does not keep the vault: outside any work tree, or if its header is ignored.
  init?(_ folder: String, _ git: Git, with base: Base) {
    guard GitFolder.holds(folder), git.lines(["rev-parse", "--is-inside-work-tree"]).first == "true" else { return nil }
    let listing = GitListing(git)
    guard listing.keepsVault else { return nil }
    self.folder = folder
    let isCommit = base == .commit
    self.base = (isCommit ? "HEAD" : "") + ":./"
    hasCommit = git.output(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]) != nil
    names = isCommit ? Self.names(in: "HEAD", git) : listing.tracked
    func sorted(_ paths: Set<String>) -> [String] { paths.filter { StoreLocation(relativePath: $0) != nil }.sorted() }
    let present = listing.untracked.union(listing.tracked.subtracting(listing.deleted))
    absent = sorted(present.subtracting(names).subtracting(listing.unsettled))
    removed = sorted(names.subtracting(present).subtracting(listing.unsettled))
    ignored = GitListing.ignored(git).sorted()
    records = sorted(names).filter { StoreLocation(relativePath: $0)?.recordID != nil }
    let place = StoreLocation.header
    let committed = GitObjects(git).blob(self.base + place.relativePath, limit: place.byteLimit)
    let own = try? TextInput.file(System.join(folder, place.relativePath), limit: place.byteLimit)
    hasOtherHeader = committed != nil && own != nil && committed != own
    missingSlots = Self.slots(committed, notIn: names)
  }

  /// The last commit of a bare repository, which has no work tree; nil if it has no vault there.
  ///
  /// - Parameter path: the vault's folder in the commit, with a slash at its end; empty for the top.
  init?(_ git: Git, inBareRepositoryAt path: String) {
    base = "HEAD:" + path
    let place = StoreLocation.header
    guard let committed = GitObjects(git).blob(base + place.relativePath, limit: place.byteLimit) else { return nil }
    (folder, hasCommit, hasOtherHeader, absent, ignored, removed) = (path, true, false, [], [], [])
    names = Self.names(in: path.isEmpty ? "HEAD" : "HEAD:" + path.dropLast(), git)
    records = names.filter { StoreLocation(relativePath: $0)?.recordID != nil }.sorted()
    missingSlots = Self.slots(committed, notIn: names)
  }

  private static func names(in tree: String, _ git: Git) -> Set<String> {
    Set(git.parts(["ls-tree", "-r", "-z", "--name-only", tree, "--"] + GitListing.places, limit: 256 << 20))
  }

  private static func slots(_ header: [UInt8]?, notIn names: Set<String>) -> [String] {
    let header = header.flatMap { try? VaultHeader(parsing: $0) }
    return (header?.slots ?? []).map { StoreLocation.slot($0.id).relativePath }.filter { !names.contains($0) }
  }

  /// The name of a file in the base for `git cat-file`.
  func name(_ path: String) -> String { base + path }

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
    if !hasCommit {
      parts.append("git has no commit yet, so a clone would be empty")
    } else if !absent.isEmpty {
      parts.append("the last commit lacks " + Self.count(absent, "new "))
    }
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
