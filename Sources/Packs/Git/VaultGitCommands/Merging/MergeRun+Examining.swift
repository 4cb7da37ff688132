import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultMerge
import VaultSealing
import VaultStorage
import VaultTerminal

// git takes some files of the other side unchanged, without a merge. These files are verified here.

extension MergeRun {
  private static let listedCount = 5

  /// Refuses a commit with files that only they have changed and that are rolled back, changed without a key, not
  /// authentic, or incomplete.
  ///
  /// - Parameter vault: verifies their records; nil for the checks without a key.
  func examine(_ commit: String, with vault: Vault?) throws {
    guard let sides else {
      return session.messages.note(
        "the two sides have several common ancestors: what only the other side changed is not verified")
    }
    let alone = Set(sides.changed(by: .theirs))
    let looksAt = alone.union(sides.twinsOfTheirs)
    let faults = try keylessFaults(commit, looksAt, joinsHeaders: sides.changedOnBoth(.header))
    guard faults.isEmpty else { throw Self.refused(.findings, code: "not_sound", commit: commit, faults: faults) }
    guard let vault, !alone.isEmpty else { return }
    guard sides.base == nil || sides.theirs.blobs[.header] == sides.base?.blobs[.header] else {
      let count = counted(alone.count, "record")
      return session.messages.note(
        "the other side changed vault.json, so \(count) that only it changed "
          + "\(alone.count == 1 ? "is" : "are") not verified: `vault verify` does that after the merge")
    }
    let unverified = unverified(alone, sides: sides, vault: vault)
    guard unverified.isEmpty else {
      throw Self.refused(.damaged, code: "damaged", commit: commit, faults: unverified.map { "\($0): does not verify" })
    }
    session.messages.detail("verified what only the other side changed: \(alone.count)")
  }

  /// - Parameter ids: the records whose faults count.
  private func keylessFaults(_ commit: String, _ ids: Set<RecordID>, joinsHeaders: Bool) throws -> [String] {
    let common = git.lines(["merge-base", "HEAD", commit]).first { !$0.isEmpty }
    guard let base = common ?? git.lines(["hash-object", "-t", "tree", "/dev/null"]).first,
      let changes = GitChanges.between(base, new: commit, git: git)
    else { return [] }
    var check = GitCheck(git)
    try check.check(changes)
    return check.findings.filter { finding in
      switch StoreLocation(relativePath: finding.file) {
      case .record(let id), .trash(let id): !finding.isNote && ids.contains(id)
      case .header: !finding.isNote && !joinsHeaders
      default: !finding.isNote
      }
    }.map { Sentence.about($0.file, $0.reason) }
  }

  /// The files of records that the key does not verify. A record under a replaced root key is confirmed elsewhere.
  private func unverified(_ ids: Set<RecordID>, sides: GitSides, vault: Vault) -> [String] {
    let (theirs, before) = (sides.theirs.blobs, sides.base?.blobs ?? [:])
    let places = ids.flatMap { StoreLocation.places(of: $0) }
      .filter { theirs[$0] != nil && theirs[$0] != before[$0] }.sorted { $0.relativePath < $1.relativePath }
    var found: [String] = []
    GitObjects(git).read(places.map { theirs[$0] ?? "" }, limit: GitObjects.fileByteLimit) { index, answer in
      guard let id = places[index].recordID else { return true }
      if case .object(let object) = answer {
        if vault.header.hasReplacedRoot(of: StoredVersion(object.bytes)) || vault.verifies(object.bytes, of: id) {
          return true
        }
      }
      found.append(places[index].relativePath)
      return true
    }
    return found
  }

  private static func refused(_ status: ExitStatus, code: String, commit: String, faults: [String])
    -> CommandError
  {
    let more = faults.count > listedCount ? ["and \(faults.count - listedCount) more"] : []
    return CommandError(
      status, code, subject: commit, "has changes that are not authentic, and nothing was begun",
      hints: faults.prefix(listedCount).map { Printable.text($0) } + more + [
        "`vault git check HEAD..\(commit.shellQuoted)` names the commits; `git merge` takes them as they are"
      ])
  }
}
