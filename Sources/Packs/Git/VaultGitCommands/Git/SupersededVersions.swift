package import VaultMerge
import VaultSealing
import VaultSystem
import VaultTerminal

/// The versions of a vault's files on both sides of a merge, since they diverged.
///
/// An attacker who chooses the merged commits could offer a version that the other side has already replaced. Merged as
/// a new version, it would return under a present MAC. Its change is already part of the other side.
package final class SupersededVersions {
  /// Names of blobs, by path below the vault's folder.
  private struct Sides {
    var ours: [String: Set<String>] = [:]
    var theirs: [String: Set<String>] = [:]
  }

  private static let listByteLimit = 256 << 20
  private static let byteLimit = 16 << 20
  private let git: Git
  private let objects: GitObjects
  private let range: String
  private let paths: [String]
  /// Read at the first pair of versions that matters. Most merges have none.
  private lazy var sides = readSides()

  /// - Parameter paths: files, or folders of them, below the vault's folder.
  package init(_ git: Git, _ objects: GitObjects, ours: String = "HEAD", theirs: String, of paths: [String]) {
    (self.git, self.objects, self.paths) = (git, objects, paths)
    range = "\(ours)...\(theirs)"
  }

  private func readSides() -> Sides {
    let parts = git.parts(
      [
        "log", "-z", "--raw", "-m", "--no-abbrev", "--no-renames", "--no-color", "--relative", "--no-follow",
        "-O/dev/null", "--format=%m", range, "--",
      ] + paths, limit: Self.listByteLimit)
    var sides = Sides()
    var isOurs = true
    var rest = parts[...]
    while let part = rest.popFirst() {
      let text = part.drop { $0 == "\n" }
      // `:MODE MODE OLD NEW STATUS` and a path, or the side of the commit.
      let words = text.split(separator: " ")
      guard text.hasPrefix(":"), words.count == 5, let path = rest.popFirst() else {
        isOurs = text == "<"
        continue
      }
      for blob in words[2...3].map(String.init) {
        if isOurs { sides.ours[path, default: []].insert(blob) } else { sides.theirs[path, default: []].insert(blob) }
      }
    }
    return sides
  }

  /// The commit that git merges in a driver, if there is exactly one.
  package static var mergedCommit: String? {
    let heads = System.allVariables().filter { $0.hasPrefix("GITHEAD_") }
    guard heads.count == 1, let name = heads[0].dropFirst("GITHEAD_".count).split(separator: "=").first else {
      return nil
    }
    return String(name)
  }

  /// The side whose version the other side has already replaced; nil for none.
  ///
  /// - Parameter paths: the possible places of the record, below the vault's folder.
  package func passed(_ one: [UInt8], _ other: [UInt8], at paths: [String]) -> MergeSide? {
    guard let one = RecordFile(parsing: one), let other = RecordFile(parsing: other) else { return nil }
    if one.envelope.revision > other.envelope.revision { return had(other, theirs: false, paths) ? .theirs : nil }
    if other.envelope.revision > one.envelope.revision { return had(one, theirs: true, paths) ? .ours : nil }
    return nil
  }

  /// Whether a version of their side, since the sides diverged, has this MAC.
  func theirsHave(_ mac: [UInt8], at paths: [String]) -> Bool {
    paths.flatMap { sides.theirs[$0] ?? [] }.contains { self.mac($0) == mac }
  }

  private func mac(_ blob: String) -> [UInt8]? {
    objects.blob(blob, limit: Self.byteLimit).flatMap { RecordFile(parsing: $0) }?.envelope.mac
  }

  private func had(_ file: RecordFile, theirs isTheirs: Bool, _ paths: [String]) -> Bool {
    let side = isTheirs ? sides.theirs : sides.ours
    var blobs: Set<String> = []
    for path in paths { blobs.formUnion(side[path] ?? []) }
    // A missing file has a name of zeros.
    blobs = blobs.filter { name in name.contains { $0 != "0" } }
    // The common ancestor and the present version do not count.
    return blobs.count > 2
      && blobs.contains { mac($0) == file.envelope.mac }
  }
}
