import VaultDocument
import VaultMerge
import VaultSealing
import VaultStorage

/// A record under a root key of its own, and the versions of it that a merge is given.
struct MergeBench {
  let root: RootKey
  let newerRoot: RootKey
  let id = RecordID.random()
  let wrapped: WrappedKey
  let keys: RecordKeys
  /// The memory of the record on this machine.
  var seen: (revision: Int, mac: [UInt8])?
  var place: StoreLocation { .record(id) }

  init() throws {
    let vaultID = VaultID.random()
    root = try .random(vaultID: vaultID)
    newerRoot = try .random(vaultID: vaultID)
    (wrapped, keys) = try root.makeDataKey(for: id)
  }

  /// The key of somebody who has both roots.
  var key: RecordMergeKey {
    RecordMergeKey(
      root: { [root, newerRoot] hint throws(SealingError) in
        guard let found = [root, newerRoot].first(where: { $0.id.bytes.starts(with: hint) }) else {
          throw SealingError(.unknownRoot, "is unknown")
        }
        return found
      }, seen: seen)
  }

  func token(_ text: String, at second: Int64 = 0) throws -> JSONValue {
    .string(try sealed(text, keys, at: time(second)))
  }

  func sealed(_ text: String, _ keys: RecordKeys, at time: Timestamp) throws -> String {
    let bytes = Array(text.utf8)
    return unsafe try keys.seal(bytes.span.bytes, at: time)
  }

  func time(_ second: Int64) throws -> Timestamp { try Timestamp(secondsSinceEpoch: 1_800_000_000 + second) }

  /// The bytes of a version.
  func version(
    _ revision: Int, _ members: [String: JSONValue], at second: Int64? = nil, schema: Int = 1, removed: Bool = false,
    id other: RecordID? = nil, attached: [VaultSealing.Attachment] = []
  ) throws -> [UInt8] {
    var fields = JSONObject()
    for (name, value) in members { fields[name] = value }
    var draft = EnvelopeDraft(
      id: other ?? id, kind: "login", schema: schema, now: try time(0), wrappedKey: wrapped)
    draft.revision = revision
    draft.attachments = attached
    draft.updatedAt = try time(second ?? Int64(revision))
    draft.deletedAt = removed ? try time(second ?? Int64(revision)) : nil
    return try RecordSeal.seal(fields, draft, keys: keys).document.prettyBytes()
  }

  /// The same version with its data key wrapped under the newer root, as a rotation leaves it.
  func rewrapped(_ bytes: [UInt8]) throws -> [UInt8] {
    let again = try newerRoot.verifiedWrap(of: root.unwrapDataKey(wrapped, record: id), record: id)
    return try changing(bytes) { envelope, _ in envelope["key"] = .string(again.text) }
  }

  /// A version that somebody changed without a key.
  func changing(_ bytes: [UInt8], _ change: (inout JSONObject, inout JSONObject) -> Void) throws -> [UInt8] {
    var fields = try JSONParser.parse(bytes).object ?? JSONObject()
    var envelope = fields[RecordEnvelope.memberName]?.object ?? JSONObject()
    change(&envelope, &fields)
    fields[RecordEnvelope.memberName] = .object(envelope)
    return try JSONValue.object(fields).prettyBytes()
  }

  /// Merges, both ways round: the results have to be the same.
  func merge(_ base: [UInt8], _ ours: [UInt8], _ theirs: [UInt8], at place: StoreLocation? = nil, withKey: Bool = true)
    -> Merged
  {
    func run(_ one: [UInt8], _ other: [UInt8]) -> Merged {
      Merged(
        RecordMerge.merge(
          base: base, ours: one, theirs: other, at: place ?? self.place, currentRoot: newerRoot.id,
          key: withKey ? key : nil))
    }
    let (result, mirrored) = (run(ours, theirs), run(theirs, ours))
    return result.isMirror(of: mirrored) ? result : Merged(asymmetric: true)
  }
}

extension RecordMerge {
  /// Merges versions that a test has as bytes.
  static func merge(
    base: [UInt8], ours: [UInt8], theirs: [UInt8], at place: StoreLocation, currentRoot: RootID? = nil,
    key: RecordMergeKey? = nil, preferring preference: MergePreference = MergePreference()
  ) -> MergeOutcome {
    merge(
      base: StoredVersion(base), ours: StoredVersion(ours), theirs: StoredVersion(theirs), at: place,
      currentRoot: currentRoot, key: key, preferring: preference)
  }

  static func taking(
    _ side: [UInt8], after other: [UInt8]?, of id: RecordID, key: RecordMergeKey
  ) -> MergeOutcome {
    taking(StoredVersion(side), after: other.map { StoredVersion($0) }, of: id, key: key)
  }
}

/// The outcome of a merge, for tests.
struct Merged {
  var bytes: [UInt8]?
  /// `reason` or `reason path`, sorted.
  var conflicts: [String] = []
  var text = ""

  init(_ outcome: MergeOutcome) {
    switch outcome {
    case .merged(let bytes): self.bytes = bytes
    case .conflict(let conflicts, let text):
      self.conflicts = conflicts.map { $0.reason.rawValue + ($0.path.map { " \($0)" } ?? "") }.sorted()
      self.text = String(decoding: text, as: UTF8.self)
    }
  }

  init(asymmetric: Bool) { conflicts = ["asymmetric"] }

  func isMirror(of other: Merged) -> Bool { bytes == other.bytes && conflicts == other.conflicts }

  var document: JSONValue? { bytes.flatMap { try? JSONParser.parse($0) } }
  var envelope: RecordEnvelope? { document.flatMap { try? RecordEnvelope(of: $0) } }
  subscript(name: String) -> JSONValue? { document?[name] }
}
