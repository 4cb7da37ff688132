public import VaultDocument

/// The memory of a vault on this machine, outside of the vault (format 1, section 9.1, Pin and seen). Nothing in it is
/// secret.
public struct Pin: Sendable, Equatable {
  /// One state of the header.
  public struct Header: Sendable, Equatable {
    package init(revision: Int, hash: [UInt8]) {
      (self.revision, self.hash) = (revision, hash)
    }

    /// The revision of the header, from 1.
    public let revision: Int
    /// ``VaultHeader/hash()``, 32 bytes.
    public let hash: [UInt8]
  }

  /// A slot as the header listed it.
  public struct SlotName: Sendable, Equatable {
    package init(id: SlotID, label: String) {
      (self.id, self.label) = (id, label)
    }

    /// The id in its file's name.
    public let id: SlotID
    /// The name for people; may be empty.
    public let label: String
  }

  /// One state of the list of all records.
  public struct CheckpointMark: Sendable, Equatable {
    /// ``Checkpoint/sequence``, from 1.
    public let sequence: Int
    /// ``Checkpoint/hash()``, 32 bytes.
    public let hash: [UInt8]

    /// A state of the list that was compared.
    public init(sequence: Int, hash: [UInt8]) {
      self.sequence = sequence
      self.hash = hash
    }

    package init(_ checkpoint: Checkpoint) throws(VaultError) {
      self.init(sequence: checkpoint.sequence, hash: try checkpoint.hash())
    }
  }

  /// The remembered vault.
  public let vaultID: VaultID
  /// The commitment of the root key, 32 bytes.
  public package(set) var commitment: [UInt8]
  /// The newest header that verified. It is nil after a fingerprint was accepted without a key; then any header that
  /// verifies is accepted.
  public package(set) var header: Header?
  package var earlier: [Header] = []
  /// The slots of that header.
  public package(set) var slots: [SlotName]
  /// Whether a person has ever said which vault it is, by path, fingerprint or confirmation. A vault that was only
  /// found by searching is known but may be anybody's.
  public package(set) var isNamed: Bool
  /// The newest checkpoint that verified.
  public package(set) var checkpoint: CheckpointMark?
  /// The hash (32 bytes) of the header with another root that this machine is about to write. If the process dies
  /// during that, the machine still recognises its own work.
  package var announced: [UInt8]?

  /// A pin of the vault and root that `header` names, because a person says so, without a state.
  package init(accepting header: VaultHeader) {
    vaultID = header.vaultID
    commitment = header.root.commitment
    slots = []
    isNamed = true
  }

  /// A pin of a header that verified.
  ///
  /// - Parameter old: the earlier memory of the vault.
  package init(_ header: VaultHeader, after old: Pin? = nil, isNamed: Bool = true) throws(VaultError) {
    self.init(accepting: header)
    self.isNamed = isNamed || old?.isNamed == true
    checkpoint = old?.checkpoint
    let newest = Header(revision: header.revision, hash: try header.hash())
    self.header = newest
    earlier = Array(([old?.header].compactMap(\.self) + (old?.earlier ?? [])).filter { $0 != newest }.prefix(7))
    slots = header.slots.map { SlotName(id: $0.id, label: $0.label) }
  }

  /// The fingerprint for people to compare: 40 hex digits of 20 bytes; see ``LockedVault/fingerprint()``.
  ///
  /// - Throws: ``VaultError`` `.internalFailure`.
  public func fingerprint() throws(VaultError) -> String {
    try Fingerprint.text(vaultID: vaultID, commitment: commitment)
  }

  /// How a header differs from the remembered one; nil if it is the same or a later one.
  ///
  /// Another root is reported before an older or forked header.
  package func difference(from header: VaultHeader) throws(VaultError) -> PinDifference? {
    if let announced, try header.hash() == announced { return nil }
    guard commitment == header.root.commitment else {
      return .otherRoot(
        expected: try fingerprint(),
        found: try Fingerprint.text(vaultID: header.vaultID, commitment: header.root.commitment))
    }
    return try self.header?.difference(from: header, before: earlier)
  }
}

extension Pin.Header {
  /// How a header differs from this one; nil if it is the same or a later one.
  ///
  /// - Parameter earlier: the headers that this machine has seen before this one.
  package func difference(from header: VaultHeader, before earlier: [Pin.Header] = []) throws(VaultError)
    -> PinDifference?
  {
    let found = Pin.Header(revision: header.revision, hash: try header.hash())
    return switch Succession(of: (found.revision, found.hash), after: (revision, hash)) {
    case .newer, .same: nil
    case .older:
      .olderHeader(
        expected: self, found: found,
        Provenance(of: (found.revision, found.hash), among: ([self] + earlier).map { ($0.revision, $0.hash) }))
    case .forked: .otherHeader(expected: self, found: found)
    }
  }
}

extension Pin.CheckpointMark {
  /// How the present checkpoint differs from this one; nil if it is the same or a later one.
  package func difference(from found: Pin.CheckpointMark?) -> PinDifference? {
    guard let found else { return .olderCheckpoint(expected: sequence, found: nil) }
    return switch Succession(of: (found.sequence, found.hash), after: (sequence, hash)) {
    case .newer, .same: nil
    case .older: .olderCheckpoint(expected: sequence, found: found.sequence)
    case .forked: .otherCheckpoint(sequence: sequence)
    }
  }
}

/// How a vault differs from the memory of this machine.
package enum PinDifference: Sendable, Equatable {
  /// Another vault was at this path.
  case otherVault(expected: VaultID, found: VaultID)
  /// The vault had another root key; both as fingerprints.
  case otherRoot(expected: String, found: String)
  /// The header is older than the newest one seen.
  case olderHeader(expected: Pin.Header, found: Pin.Header, Provenance)
  /// The header has the revision of the newest one seen but other content.
  case otherHeader(expected: Pin.Header, found: Pin.Header)
  /// The checkpoint is older than the newest one seen, or gone (nil).
  case olderCheckpoint(expected: Int, found: Int?)
  /// The checkpoint has the sequence number of the newest one seen but other content.
  case otherCheckpoint(sequence: Int)

  /// Whether the vault or the root key is not the expected one, which is reported before any damage (format 1, section
  /// 9.1, Pin and seen).
  package var isIdentity: Bool {
    switch self {
    case .otherVault, .otherRoot: true
    case .olderHeader, .otherHeader, .olderCheckpoint, .otherCheckpoint: false
    }
  }
}

/// How a vault relates to the memory of this machine.
package enum PinState: Sendable, Equatable {
  /// The vault is unknown.
  case new
  /// It is the remembered vault, in the same state or a later one.
  case pinned(Pin)
  /// It is not the remembered vault, or an earlier state of it.
  case differs(PinDifference)
}

/// The memory of a vault and of its paths on this machine, read once.
package struct KnownVault: Sendable {
  package let paths: [String]
  /// The vaults that were seen at those paths.
  package let marks: [String: PathMark]
  /// The copy of the vault that is there; nil for the place where the vault was first seen.
  package let copy: String?
  package let pin: Pin?
  /// How the present vault relates to the memory.
  package let state: PinState

  /// Whether it is the remembered vault in an earlier or forked state.
  package var isSetBack: Bool { if case .differs(let difference) = state { !difference.isIdentity } else { false } }

  /// Whether the vault was at one of the paths before; always true for a vault that is not in a folder.
  package func wasHere(_ vaultID: VaultID) -> Bool { paths.isEmpty || marks.values.contains { $0.vaultID == vaultID } }

  /// Compares a header with the memory that was read. Another vault at one of the paths is reported first.
  package init(
    _ header: VaultHeader, paths: [String], marks: [String: PathMark], copy: String?, pin: Pin?
  ) throws(VaultError) {
    (self.paths, self.marks, self.copy, self.pin) = (paths, marks, copy, pin)
    if let other = paths.lazy.compactMap({ marks[$0]?.vaultID }).first(where: { $0 != header.vaultID }) {
      state = .differs(.otherVault(expected: other, found: header.vaultID))
    } else if let pin {
      let difference = try pin.difference(from: header)
      state = difference.map { .differs($0) } ?? .pinned(pin)
    } else {
      state = .new
    }
  }
}

extension PinDifference {
  /// The error for the difference: the expected and the found state, and the next step.
  ///
  /// - Parameter header: the found header. If the vault and its root are the expected ones, its fingerprint is certain,
  ///   and the next step names it.
  package func error(of header: VaultHeader) throws(VaultError) -> VaultError {
    isIdentity ? error : error(try header.fingerprint())
  }

  /// The error without the fingerprint of the found header.
  package var error: VaultError { error(nil) }

  private func error(_ fingerprint: String?) -> VaultError {
    func error(
      _ code: VaultError.Code, _ reason: String, _ facts: Remedy..., file: String = VaultHeader.fileName
    ) -> VaultError {
      VaultError(code, reason, file: file, remedies: facts + [.leaveBranch, .acceptVault(fingerprint: fingerprint)])
    }
    switch self {
    case .otherVault(let expected, let found):
      return VaultError(
        .unexpectedVault, "is not of the vault that this machine knows at this path", file: VaultHeader.fileName,
        remedies: [
          "expected the vault \(expected.text), found \(found.text)", .acceptVault(fingerprint: fingerprint),
        ])
    case .otherRoot(let expected, let found):
      return error(
        .unexpectedVault, "does not have the root key that this machine knows for this vault",
        "expected the fingerprint \(expected), found \(found)",
        "if somebody gave the vault a new key on another machine, ask them for the new fingerprint")
    case .olderHeader(let expected, let found, let provenance):
      return error(
        .rolledBack, provenance.rollbackText(to: "revision \(found.revision)", from: expected.revision),
        "expected revision \(expected.revision) or later, found \(found.text)")
    case .otherHeader(let expected, let found):
      return error(
        .forked, "is not the version that this machine has seen with the same revision",
        "expected \(expected.text), found \(found.text)")
    case .olderCheckpoint(let expected, let found):
      return error(
        .rolledBack, found == nil ? "is gone" : "is older than the one that this machine has seen",
        "expected sequence \(expected) or later, found \(found.map { "\($0)" } ?? "none")", file: Checkpoint.fileName)
    case .otherCheckpoint(let sequence):
      return error(
        .forked, "is not the checkpoint that this machine has seen with the same sequence",
        "both have the sequence \(sequence)", file: Checkpoint.fileName)
    }
  }
}

extension Pin.Header {
  fileprivate var text: String { "revision \(revision) (hash \(Hex.encode(hash).prefix(16))…)" }
}
