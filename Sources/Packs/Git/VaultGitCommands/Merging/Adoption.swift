import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultMerge
import VaultSealing
import VaultTerminal

/// Records that one side of a merge has under a replaced root key, such as on a branch from before a rotation. They are
/// verified with the old key, shown, confirmed by the user, and resealed under the present keys.
struct Adoption {
  let session: Session
  let vault: VaultOptions
  let unlocking: UnlockOptions
  let global: GlobalOptions
  /// The vault with the present keys.
  let opened: Vault
  /// The commit of the other side, as git names it.
  var theirCommit = "HEAD"
  /// The copy of the vault from before the rotation that has the other side; nil for a commit.
  var copy: LockedVault?

  private struct Found {
    /// The record, with its old side resealed under the present keys.
    let record: UnmergedRecord
    /// Whether a former user may have the old key.
    let isAfterReseal: Bool
    let lines: [String]
  }

  /// The confirmed records, under the present keys.
  ///
  /// - Parameters:
  ///   - words: ids that the user has named in advance.
  ///   - asks: whether the user must confirm.
  func records(
    of unmerged: [UnmergedRecord], named words: [String], asks: Bool
  ) async throws -> [RecordID: UnmergedRecord] {
    var vaults: [MergeSide: Vault] = [:]
    var found: [Found] = []
    for record in unmerged {
      guard let side = record.replacedSide(in: opened.header) else { continue }
      let earlier = if let known = vaults[side] { known } else { try await earlier(side) }
      vaults[side] = earlier
      if let one = try adopted(record, side: side, earlier: earlier) { found.append(one) }
    }
    guard !found.isEmpty else {
      guard copy == nil else { return [:] }
      global.messages.note("no record is under a replaced root key")
      return [:]
    }
    if !global.json { try Output.lines(found.flatMap(\.lines)) }
    let taken = asks ? try agreed(found, words) : found
    return Dictionary(uniqueKeysWithValues: taken.map { ($0.record.id, $0.record) })
  }

  private func commit(_ side: MergeSide) -> String { side == .ours ? "HEAD" : theirCommit }

  private func earlier(_ side: MergeSide) async throws -> Vault {
    let earlier =
      if let copy { EarlierVault(vault: copy, commit: "", isNamed: true) } else {
        try EarlierVault(
          at: commit(side), session.location, required: RequiredFingerprint(vault), global: global)
      }
    return try await Session(earlier, location: session.location, global: global).unlock(unlocking)
  }

  /// Nil, with a note, for a record that does not verify.
  private func adopted(_ record: UnmergedRecord, side: MergeSide, earlier: Vault) throws -> Found? {
    guard let version = record[side], let file = version.record else { return nil }
    let versions: AdoptedVersions
    do throws(VaultError) {
      versions = try opened.adopting(
        version.bytes, of: record.id, base: record.base?.bytes, beside: record[side.other]?.bytes, from: earlier)
    } catch {
      guard error.code == .damaged else { throw error }
      global.messages.note("not adopted: \(error.description)")
      return nil
    }
    var result = record
    result[side] = StoredVersion(versions.adopted)
    if let base = versions.base { result.base = StoredVersion(base) }
    result.resealedMAC = result[side]?.envelope.map { (file.envelope.mac, $0.mac) }
    let root = opened.header.replacedRoot(hint: file.envelope.wrappedKey.rootHint)
    return Found(
      record: result, isAfterReseal: root.map(opened.header.hasResealed) ?? true,
      lines: lines(record, side: side, file: file))
  }

  private func lines(_ record: UnmergedRecord, side: MergeSide, file: RecordFile) -> [String] {
    let comparison = RecordComparison(from: record.base?.record, to: file, kinds: opened.kinds)
    let tip = record.isMergedUnderOldRoot ? "HEAD" : commit(side)
    let commits =
      copy != nil ? nil : GitCommit.list(Git(at: session.location.path), from: tip, limit: 1, of: record.places)
    let origin = commits?.first.map { ", commit \($0.line)" } ?? ""
    let head =
      "old \(record.id.text) (\(record.name(opened))): \(comparison.event.rawValue) at "
      + "\(file.envelope.updatedAt.text)\(origin)"
    return [Printable.text(head)] + comparison.lines
  }

  // MARK: - Agreement

  private func agreed(_ found: [Found], _ words: [String]) throws -> [Found] {
    let count = found.count == 1 ? "this record" : "these \(found.count) records"
    guard found.contains(where: \.isAfterReseal) else {
      try global.confirm("Adopt \(count) from before the root key was replaced?")
      return found
    }
    let warning = "somebody who left may still have the old keys, and could have written \(count)"
    let named = found.filter { words.contains($0.record.id.text) }
    if !named.isEmpty {
      global.messages.note(warning)
      try global.confirm(named.count == 1 ? "Adopt 1 record?" : "Adopt \(named.count) records?")
      return named
    }
    guard !global.yes, !global.json, let terminal = Terminal(noInput: global.noInput) else {
      throw CommandError(
        .declined, "declined", subject: "--adopt-old-root", warning,
        hints: ["look at each record, and name the ids of those to adopt", "--yes alone is not enough"])
    }
    try terminal.say("Take care: \(warning).\n")
    return try found.filter { one in
      try terminal.confirms(Printable.text("Adopt \(one.record.id.text) (\(one.record.name(opened)))?"))
    }
  }
}
