package import VaultDocument
package import VaultSealing
package import VaultStorage

/// Merges three versions of a record's file: the common base, ours, and theirs.
///
/// The result does not depend on which side is ours. Without a key, only merges that need no new MAC are possible: one
/// version is taken whole, possibly with the wrap of the other.
package struct RecordMerge {
  private let base: RecordFile?
  private let ours: RecordFile
  private let theirs: RecordFile
  private let place: StoreLocation
  private let currentRoot: RootID?
  private let key: RecordMergeKey?
  private let preference: MergePreference

  /// Merges three versions.
  ///
  /// - Parameters:
  ///   - base: a base that is not a record counts as missing.
  ///   - place: the place of the result.
  ///   - currentRoot: the root key that the header names.
  ///   - key: nil for a merge without keys.
  ///   - preference: which side wins if both have changed a member; without one that is a conflict.
  package static func merge(
    base: StoredVersion?, ours: StoredVersion, theirs: StoredVersion, at place: StoreLocation,
    currentRoot: RootID? = nil,
    key: RecordMergeKey? = nil, preferring preference: MergePreference = MergePreference(),
    labels: ConflictLabels = ConflictLabels()
  ) -> MergeOutcome {
    guard let one = ours.record, let other = theirs.record else {
      let text = ConflictText.whole(ours.bytes, theirs: theirs.bytes, labels: labels)
      return .conflict([MergeConflict(.unreadable)], text: text)
    }
    let merge = RecordMerge(
      base: base?.record, ours: one, theirs: other, place: place, currentRoot: currentRoot, key: key,
      preference: preference)
    do throws(MergeRefusal) {
      return .merged(try merge.run())
    } catch {
      return .conflict(error.conflicts, text: ConflictText.of(one, theirs: other, refusal: error, labels: labels))
    }
  }

  private func run() throws(MergeRefusal) -> [UInt8] {
    try requireOneRecord()
    try requireAuthenticForm()
    if ours.fields == theirs.fields, ours.hasAttachments(of: theirs), isSameButForVersion {
      return try withEqualFields()
    }
    if let base {
      if base.equals(exceptKey: ours) { return try taking(theirs, besides: ours) }
      if base.equals(exceptKey: theirs) { return try taking(ours, besides: theirs) }
    }
    return try joining()
  }

  // MARK: Requirements

  private func requireOneRecord() throws(MergeRefusal) {
    for file in [base, ours, theirs].compactMap({ $0 }) where file.envelope.id != place.recordID {
      throw MergeRefusal(.otherRecord)
    }
  }

  /// A MAC over other content than before was not made for it, which shows without a key.
  private func requireAuthenticForm() throws(MergeRefusal) {
    let isBroken =
      ours.contradicts(theirs) || base.map { ours.contradicts($0) || theirs.contradicts($0) } ?? false
    if isBroken { throw MergeRefusal(.unauthenticated) }
  }

  private func requirePlace(_ file: RecordFile) throws(MergeRefusal) {
    guard file.isRemoved == (place == .trash(file.envelope.id)) else { throw MergeRefusal(.misplaced) }
  }

  private func requireNotOlder(_ file: RecordFile) throws(MergeRefusal) {
    if let base, file.envelope.revision < base.envelope.revision { throw MergeRefusal(.older) }
  }

  private func requireVerified(_ files: [RecordFile?]) throws(MergeRefusal) {
    guard let key else { return }
    for case let file? in files where key.verdict(on: file) != .authentic { throw MergeRefusal(.unverified) }
  }

  // MARK: One version whole

  /// Whether the sides could be versions of one record that differ only in revision, time and MAC.
  private var isSameButForVersion: Bool {
    ours.isRemoved == theirs.isRemoved && envelopesAgree && schemasAgree
      && ours.envelope.former == theirs.envelope.former
  }

  private var envelopesAgree: Bool {
    let (one, other) = (ours.envelope, theirs.envelope)
    return sameBytes(one.kind, other.kind) && sameBytes(ours.createdAtText, theirs.createdAtText)
      && one.requirementsBesideAttachments == other.requirementsBesideAttachments
  }

  private var schemasAgree: Bool { ours.envelope.schema == theirs.envelope.schema }

  /// Both sides have equal fields, so the later version is taken. If their revisions are equal, a machine that has seen
  /// the other version would report a fork; with a key, a new version therefore follows both.
  private func withEqualFields() throws(MergeRefusal) -> [UInt8] {
    let isLater = theirs.isLater(than: ours)
    let (later, other) = isLater ? (theirs, ours) : (ours, theirs)
    try requireNotOlder(later)
    guard let key else { return try bytes(of: later, besides: other) }
    switch (key.verdict(on: later), key.verdict(on: other)) {
    case (.refused, .refused): throw MergeRefusal(.unverified)
    case (.refused, _):
      try requireNotOlder(other)
      return try bytes(of: other, besides: nil)
    case (_, .refused): return try bytes(of: later, besides: nil)
    case (.authentic, .authentic):
      let areForks = later.envelope.revision == other.envelope.revision && later.envelope.mac != other.envelope.mac
      return try areForks
        ? authenticated(later.fields, attachments: later.envelope.attachments, later.envelope.former, key: key)
        : bytes(of: later, besides: other)
    default: return try bytes(of: later, besides: other)
    }
  }

  /// One side has changed at most the wrap, so the other is taken.
  private func taking(_ changed: RecordFile, besides unchanged: RecordFile) throws(MergeRefusal) -> [UInt8] {
    try requireNotOlder(changed)
    return try bytes(of: changed, besides: unchanged)
  }

  /// A version as it is written, with the wrap of the other side if that is newer.
  private func bytes(of file: RecordFile, besides other: RecordFile?) throws(MergeRefusal) -> [UInt8] {
    try requirePlace(file)
    let result = try other.map { (other) throws(MergeRefusal) in try wrapped(file, besides: other) } ?? file
    if let key, key.verdict(on: result) == .refused { throw MergeRefusal(.unverified) }
    guard let bytes = try? result.document.prettyBytes() else { throw MergeRefusal(.limits) }
    return bytes
  }

  // MARK: Wraps of the data key

  private func wrapped(_ file: RecordFile, besides other: RecordFile) throws(MergeRefusal) -> RecordFile {
    let (own, others) = (file.envelope.wrappedKey, other.envelope.wrappedKey)
    let areOneVersion = file.envelope.mac == other.envelope.mac
    // Under one root, each version's wrap is right for its own data key.
    if own.rootHint == others.rootHint, !areOneVersion { return file }
    guard let preferred = preferredWrap else { throw MergeRefusal(.key) }
    if sameBytes(preferred.text, own.text) { return file }
    guard areOneVersion || haveOneDataKey else { throw MergeRefusal(.key) }
    return file.withKey(preferred)
  }

  /// The wrap under the newer root: the changed one, else the one of the root that the header names. Under one root it
  /// is the smaller text. Nil if nothing decides.
  private var preferredWrap: WrappedKey? {
    let (one, other) = (ours.envelope.wrappedKey, theirs.envelope.wrappedKey)
    if one.rootHint == other.rootHint {
      return other.text.utf8.lexicographicallyPrecedes(one.text.utf8) ? other : one
    }
    if let before = base?.envelope.wrappedKey.rootHint {
      if one.rootHint == before { return other }
      if other.rootHint == before { return one }
    }
    guard let current = currentRoot?.bytes else { return nil }
    return [one, other].first { current.starts(with: $0.rootHint) }
  }

  /// Whether both certainly have one data key: they share tokens, or one is the base in another wrap and the other
  /// still has the wrap of the base.
  private var haveOneDataKey: Bool {
    let hints = ours.tokenHints
    if !hints.isEmpty, hints == theirs.tokenHints { return true }
    guard let base else { return false }
    func isBase(_ file: RecordFile) -> Bool { file.equals(exceptKey: base) }
    func keepsWrap(_ file: RecordFile) -> Bool {
      sameBytes(file.envelope.wrappedKey.text, base.envelope.wrappedKey.text)
    }
    return isBase(ours) && keepsWrap(theirs) || isBase(theirs) && keepsWrap(ours)
  }
}

// MARK: Joining

extension RecordMerge {
  /// Joins the changes of both sides.
  private func joining() throws(MergeRefusal) -> [UInt8] {
    try requireNotOlder(ours)
    try requireNotOlder(theirs)
    guard ours.isRemoved == theirs.isRemoved || preference.side != nil else { throw MergeRefusal(.removed) }
    guard envelopesAgree else { throw MergeRefusal(.envelope) }
    guard schemasAgree else { throw MergeRefusal(.schema) }
    let hints = (ours.tokenHints, theirs.tokenHints)
    guard hints.0.isEmpty || hints.1.isEmpty || hints.0 == hints.1 else { throw MergeRefusal(.resealed) }
    try requireVerified([base, ours, theirs])
    let (fields, former) = try joinedFields()
    let attachments = try joinedAttachments()
    for (side, other) in [(ours, theirs), (theirs, ours)]
    where side.fields == fields && side.envelope.attachments == attachments && side.envelope.former == former
      && side.isRemoved == isToBeRemoved && side.envelope.revision > other.envelope.revision
      && side.envelope.updatedAt >= other.envelope.updatedAt
    {
      return try bytes(of: side, besides: other)
    }
    guard let key else { throw MergeRefusal([MergeConflict(.needsKey)], fields: fields) }
    return try authenticated(fields, attachments: attachments, former, key: key)
  }

  /// The attachments that either side has added, without those that either has removed. Joined by id, because the
  /// content under an id never changes.
  private func joinedAttachments() throws(MergeRefusal) -> [Attachment] {
    let sides = [ours, theirs].map(\.envelope.attachments)
    guard sides[0] != sides[1] else { return sides[0] }
    // They are sealed under the data key, which must be the same.
    let wraps = [ours, theirs].map(\.envelope.wrappedKey.text)
    guard sameBytes(wraps[0], wraps[1]) || haveOneDataKey else { throw MergeRefusal(.key) }
    let before = base?.envelope.attachments ?? []
    guard Self.areOneContent(before + sides[0] + sides[1]) else { throw MergeRefusal(.envelope) }
    let kept = sides[0].filter { sides[1].contains($0) || !before.contains($0) }
    let joined = kept + sides[1].filter { !sides[0].contains($0) && !before.contains($0) }
    guard Set(joined.map(\.id)).count == joined.count else { throw MergeRefusal(.envelope) }
    return joined.sorted { $0.id < $1.id }
  }

  /// Whether no two of these attachments have one id and different content: only one of them could be the file.
  private static func areOneContent(_ attachments: [Attachment]) -> Bool {
    var first: [AttachmentID: Attachment] = [:]
    return attachments.allSatisfy { attachment in
      guard let other = first.updateValue(attachment, forKey: attachment.id) else { return true }
      return other.byteCount == attachment.byteCount && other.sha256 == attachment.sha256
    }
  }

  /// If one side has removed the record and the other has changed it, the preferred side decides its place; the changes
  /// of the other side are kept.
  private var isToBeRemoved: Bool { preference.side == .theirs ? theirs.isRemoved : ours.isRemoved }

  /// The members of both, and the former values of both with those that lose here.
  private func joinedFields() throws(MergeRefusal) -> (JSONObject, FormerValues) {
    var equal: Set<String> = []
    var tree = TreeMerge(preferring: preference) { base, one, other in
      let isSame = key?.holdsSame(one, other, in: ours) == true
      if isSame { equal.formUnion([one, other]) }
      return choice(base, one, other, isSame: isSame)
    }
    let fields = tree.merge(base?.fields, ours: ours.fields, theirs: theirs.fields)
    guard tree.conflicts.isEmpty else { throw MergeRefusal(tree.conflicts, fields: fields) }
    var seen: Set<String> = []
    let areOnce = JSONValue.object(fields).allStrings { text in
      !SealedToken.hasTokenShape(text) || seen.insert(text).inserted
    }
    // A repeated token would be sealed again, differently by each merger.
    guard areOnce else { throw MergeRefusal([MergeConflict(.moved)], fields: fields) }
    let former = FormerValues.joined(
      base?.envelope.former, ours.envelope.former, theirs.envelope.former, original: base?.fields,
      replaced: (ours.fields, theirs.fields), by: fields, equal: equal)
    return (fields, former)
  }

  /// Of two tokens with equal text, the one that was sealed later, then the smaller. A side that only sealed the old
  /// text again has changed nothing.
  private func choice(
    _ base: String?, _ one: String, _ other: String, isSame: Bool
  ) -> TreeMerge.TokenChoice {
    guard let key else { return .neither }
    if isSame { return Self.isPreferred(one, to: other) ? .ours : .theirs }
    guard let base, let file = self.base else { return .neither }
    // A base from before a reseal cannot be compared, which is not a reason to refuse.
    if key.holdsSame(base, one, in: file) == true { return .theirs }
    if key.holdsSame(base, other, in: file) == true { return .ours }
    return .neither
  }

  static func isPreferred(_ one: String, to other: String) -> Bool {
    guard let first = try? SealedToken(parsing: one), let second = try? SealedToken(parsing: other) else { return true }
    if first.sealedAt != second.sealedAt { return first.sealedAt > second.sealedAt }
    return one.utf8.lexicographicallyPrecedes(other.utf8)
  }

  /// The version after both, made with the key.
  private func authenticated(
    _ fields: JSONObject, attachments: [Attachment], _ former: FormerValues, key: RecordMergeKey
  ) throws(MergeRefusal) -> [UInt8] {
    guard let wrap = preferredWrap else { throw MergeRefusal(.key) }
    let (one, other) = (ours.envelope, theirs.envelope)
    var draft = try Self.draft(of: ours, after: theirs)
    draft.deletedAt = isToBeRemoved ? [one.deletedAt, other.deletedAt].compactMap { $0 }.max() : nil
    draft.wrappedKey = wrap
    (draft.attachments, draft.former) = (attachments, former)
    guard (draft.deletedAt != nil) == (place == .trash(one.id)) else { throw MergeRefusal(.misplaced) }
    return try Self.made(fields, draft: draft, after: [one, other], key: key)
  }

  /// The envelope of the version that follows two.
  private static func draft(of file: RecordFile, after other: RecordFile) throws(MergeRefusal) -> EnvelopeDraft {
    let files = [file, other]
    let latest = max(file.envelope.revision, other.envelope.revision)
    guard latest < Int.max else { throw MergeRefusal(.limits) }
    var draft = EnvelopeDraft(
      accepting: file.envelope, createdAtText: file.createdAtText, revision: latest + 1,
      now: max(file.envelope.updatedAt, other.envelope.updatedAt))
    draft.deletedAt = file.envelope.deletedAt
    // Of two texts for one moment, the one with greater bytes (format 1, section 6.2, Revisions and merges).
    draft.updatedAtText = files.filter { $0.envelope.updatedAt == draft.updatedAt }.map(\.updatedAtText)
      .max(by: precedesInBytes)
    return draft
  }

  private static func made(
    _ fields: JSONObject, draft: EnvelopeDraft, after versions: [RecordEnvelope], key: RecordMergeKey
  ) throws(MergeRefusal) -> [UInt8] {
    guard let bytes = key.authenticated(fields, draft), let result = StoredVersion(bytes).envelope else {
      throw MergeRefusal(.limits)
    }
    guard !key.hasSeenOther(than: versions, besides: result) else { throw MergeRefusal(.seen) }
    return bytes
  }

  /// Takes one whole side, which a person has chosen, as the version after both. So no machine that has seen the other
  /// side reports a rollback. Only the revision of the other side counts, and its sealed values become former ones.
  /// That side may be unreadable or gone.
  package static func taking(
    _ side: StoredVersion, after other: StoredVersion?, of id: RecordID, key: RecordMergeKey
  ) -> MergeOutcome {
    do throws(MergeRefusal) {
      guard let file = side.record else { throw MergeRefusal(.unreadable) }
      guard file.envelope.id == id else { throw MergeRefusal(.otherRecord) }
      guard key.verdict(on: file) == .authentic else { throw MergeRefusal(.unverified) }
      // An unverified side could claim any revision.
      guard let second = other?.record, second.envelope.id == id, key.verdict(on: second) == .authentic else {
        return .merged(side.bytes)
      }
      var draft = try draft(of: file, after: second)
      draft.former = key.former(of: file, beside: second)
      return .merged(try made(file.fields, draft: draft, after: [file.envelope, second.envelope], key: key))
    } catch {
      return .conflict(error.conflicts, text: [])
    }
  }
}

/// Why there is no result, and the members as far as they could be joined.
struct MergeRefusal: Error {
  let conflicts: [MergeConflict]
  let fields: JSONObject?

  init(_ conflicts: [MergeConflict], fields: JSONObject? = nil) { (self.conflicts, self.fields) = (conflicts, fields) }

  init(_ reason: MergeConflict.Reason) { self.init([MergeConflict(reason)]) }
}
