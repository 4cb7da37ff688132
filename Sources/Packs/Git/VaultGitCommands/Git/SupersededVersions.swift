import VaultMerge
import VaultSealing
import VaultSystem
import VaultTerminal

/// The versions of a vault's files on both sides of a merge, since they diverged.
///
/// An attacker who chooses the merged commits could offer a version that the other side has already replaced. Merged as
/// a new version, it would return under a present MAC. Its change is already part of the other side.
final class SupersededVersions {
  private static let listByteLimit = 256 << 20
  private let git: Git
  private let objects: GitObjects
  private let range: String
  private let paths: [String]
  /// Names of blobs, by path below the vault's folder. git is asked at the first pair of versions that needs them.
  /// Most merges have no such pair.
  private lazy var blobs = readBlobs()

  /// - Parameter paths: files, or folders of them, below the vault's.
  init(
    _ git: Git, _ objects: GitObjects, ours: String = "HEAD", theirs: String, of paths: [String] = ["records", "trash"]
  ) {
    (self.git, self.objects, self.paths) = (git, objects, paths)
    range = "\(ours)...\(theirs)"
  }

  private func readBlobs() -> [MergeSide: [String: Set<String>]] {
    let parts = git.parts(
      [
        "log", "-z", "--raw", "-m", "--no-abbrev", "--no-renames", "--no-color", "--relative", "--no-follow",
        "-O/dev/null", "--format=%m", range, "--",
      ] + paths, limit: Self.listByteLimit)
    var blobs: [MergeSide: [String: Set<String>]] = [:]
    var side = MergeSide.ours
    var rest = parts[...]
    while let part = rest.popFirst() {
      let text = part.drop { $0 == "\n" }
      // `:MODE MODE OLD NEW STATUS` and a path, or the side of the commit.
      let words = text.split(separator: " ")
      guard text.hasPrefix(":"), words.count == 5, let path = rest.popFirst() else {
        side = text == "<" ? .ours : .theirs
        continue
      }
      blobs[side, default: [:]][path, default: []].formUnion(words[2...3].map(String.init))
    }
    return blobs
  }

  /// The commit that git merges in a driver, if there is exactly one.
  static var mergedCommit: String? {
    let heads = System.allVariables().filter { $0.hasPrefix("GITHEAD_") }
    guard heads.count == 1, let name = heads[0].dropFirst("GITHEAD_".count).split(separator: "=").first else {
      return nil
    }
    return String(name)
  }

  /// The side whose version the other side has already replaced; nil for none.
  ///
  /// - Parameter paths: where the record can lie, below the vault's folder.
  func superseded(_ ours: StoredVersion, _ theirs: StoredVersion, at paths: [String]) -> MergeSide? {
    guard let ours = ours.envelope, let theirs = theirs.envelope, ours.revision != theirs.revision else { return nil }
    let (older, mac) = ours.revision < theirs.revision ? (MergeSide.ours, ours.mac) : (.theirs, theirs.mac)
    // git names a missing file by zeros.
    let had = blobs(of: older.other, at: paths).filter { name in name.contains { $0 != "0" } }
    // Neither the common version nor the present version is superseded.
    return had.count > 2 && has(mac, in: had) ? older : nil
  }

  /// Whether one of their versions since both sides diverged has this MAC.
  func theirsHave(_ mac: [UInt8], at paths: [String]) -> Bool { has(mac, in: blobs(of: .theirs, at: paths)) }

  private func blobs(of side: MergeSide, at paths: [String]) -> Set<String> {
    paths.reduce(into: []) { $0.formUnion(blobs[side]?[$1] ?? []) }
  }

  private func has(_ mac: [UInt8], in blobs: Set<String>) -> Bool {
    blobs.contains { objects.version($0)?.envelope?.mac == mac }
  }
}
