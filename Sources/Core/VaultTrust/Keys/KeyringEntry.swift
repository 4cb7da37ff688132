public import VaultDocument
public import VaultSealing

/// An older root key in the header, sealed under the current one (format 1, section 7, Header).
public struct KeyringEntry: Sendable {
  /// Why a root was replaced.
  public enum Reason: String, Sendable {
    /// Hygiene: records keep their data keys and tokens.
    case rewrap
    /// A person left or a key leaked: records get new data keys and tokens.
    case reseal
  }

  /// The remaining use of an older root.
  public enum State: String, Sendable {
    /// Records under it still open.
    case openOnly = "open-only"
    /// Nothing under it is accepted.
    case retired
  }

  /// The id of the older root.
  public let id: RootID
  /// The commitment of that root, 32 bytes, which binds a header to it.
  public let commitment: [UInt8]
  /// The remaining use.
  public let state: State
  /// The time when it was made.
  public let createdAt: Timestamp
  /// The time when it was replaced.
  public let replacedAt: Timestamp
  /// Why it was replaced.
  public let reason: Reason
  /// Only in state ``State/openOnly``.
  let wrap: WrappedKey?

  init(_ members: MemberReader) throws(VaultError) {
    try members.allowOnly(["commitment", "created_at", "id", "reason", "replaced_at", "state", "wrap"])
    id = try members.rootID("id")
    commitment = try members.base64("commitment", byteCount: RootKey.commitmentByteCount)
    state = try members.value("state")
    createdAt = try members.value("created_at")
    replacedAt = try members.value("replaced_at")
    reason = try members.value("reason")
    switch state {
    case .openOnly: wrap = try members.wrappedKey("wrap")
    case .retired:
      guard members["wrap"] == nil else { throw members.damaged("wrap") }
      wrap = nil
    }
  }

  private init(
    _ entry: KeyringEntry, state: State, reason: Reason, wrap: WrappedKey?
  ) {
    (id, commitment, createdAt, replacedAt) = (entry.id, entry.commitment, entry.createdAt, entry.replacedAt)
    (self.state, self.reason, self.wrap) = (state, reason, wrap)
  }

  /// The entry for the root of `header` after `current` has replaced it: it still opens records.
  package init(
    replacing root: RootKey, of header: VaultHeader, by current: RootKey, at time: Timestamp, reason: Reason
  ) throws(VaultError) {
    (id, commitment, createdAt) = (root.id, root.commitment, header.root.createdAt)
    (replacedAt, state, self.reason) = (time, .openOnly, reason)
    wrap = try inSealing(file: VaultHeader.fileName) { () throws(SealingError) in try current.wrap(olderRoot: root) }
  }

  /// The note for people about a root that is still open.
  public var unfinishedNote: String { "a \(reason.rawValue) was started but not finished" }

  package var retired: KeyringEntry { KeyringEntry(self, state: .retired, reason: reason, wrap: nil) }

  /// The same root, replaced for another reason.
  package func replaced(because reason: Reason) -> KeyringEntry {
    KeyringEntry(self, state: state, reason: reason, wrap: wrap)
  }

  var members: JSONObject {
    JSONObject(present: [
      "commitment": Base64.encode(commitment), "created_at": createdAt, "id": id.description, "reason": reason,
      "replaced_at": replacedAt, "state": state, "wrap": wrap?.text,
    ])
  }
}

extension KeyringEntry.Reason: DocumentReadable {}

extension KeyringEntry.State: DocumentReadable {}
