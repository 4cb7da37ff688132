public import VaultAge
package import VaultCrypto
package import VaultDocument
package import VaultSealing

/// The recipient of deposits, and its identity, which is sealed under the root key (format 1, section 16, Deposits).
///
/// Everybody who can read the header can seal a deposit to the recipient. Only holders of the root key can open it.
public struct DepositKeys: Sendable {
  /// The most earlier keys that a header keeps.
  package static let maximumEarlierCount = 16
  /// The largest list of signers in bytes.
  public static let maximumSignersByteCount = 64 << 10
  package static let memberName = "deposit"

  /// One recipient, with its identity sealed like a field of a record.
  struct Key: Sendable {
    let recipient: AgeRecipient
    /// Stands for the id of a record in the derivations.
    let id: Identifier
    let wrap: WrappedKey
    let token: SealedToken
  }

  private let present: Key
  /// The keys before the last reseals, newest first. They only open.
  private let earlier: [Key]
  /// The people whose signatures count, in the form of the file `allowed_signers` of ssh-keygen; nil for nobody.
  public let signers: String?

  private init(_ present: Key, earlier: [Key], signers: String?) {
    (self.present, self.earlier, self.signers) = (present, earlier, signers)
  }

  /// The recipient of new deposits.
  public var recipient: AgeRecipient { present.recipient }

  /// A new key under a root key, which must be in this process. It is post-quantum if the slots of the vault are.
  package static func make(under root: RootKey, like slots: [Slot], now: Timestamp) throws(VaultError) -> DepositKeys {
    DepositKeys(try Key.make(under: root, like: slots, now: now), earlier: [], signers: nil)
  }

  /// The same keys under another root key.
  package func rewrapped(from old: RootKey, under root: RootKey) throws(VaultError) -> DepositKeys {
    var keys: [Key] = []
    for key in [present] + earlier { keys.append(try key.rewrapped(from: old, under: root)) }
    return DepositKeys(keys[0], earlier: Array(keys.dropFirst()), signers: signers)
  }

  /// A new key beside these, which still open the deposits of their recipients.
  package func replaced(under root: RootKey, like slots: [Slot], now: Timestamp) throws(VaultError) -> DepositKeys {
    let earlier = ([present] + earlier).prefix(Self.maximumEarlierCount)
    return DepositKeys(try Key.make(under: root, like: slots, now: now), earlier: Array(earlier), signers: signers)
  }

  /// The same keys with other signers; nil for nobody.
  package func signed(by signers: String?) -> DepositKeys { DepositKeys(present, earlier: earlier, signers: signers) }

  /// The identities of all keys, that of new deposits first.
  ///
  /// - Throws: ``VaultError`` `.damaged` if one does not open under the root key, or belongs to another recipient.
  package func identities(under root: RootKey) throws(VaultError) -> [AgeIdentity] {
    var identities: [AgeIdentity] = []
    for key in [present] + earlier { identities.append(try key.identity(under: root)) }
    return identities
  }
}

extension DepositKeys {
  /// The data key of the record that a deposit becomes, 32 bytes (format 1, section 16, Deposits). Each holder of the
  /// root key gets the same one, so that a record that two machines have accepted can be merged. The present key counts
  /// and not the one that opened the deposit, because a former member knows earlier ones.
  ///
  /// - Parameter file: the bytes of the deposit.
  package func dataKey(of deposit: DepositID, _ file: [UInt8], under root: RootKey) throws(VaultError) -> SecretBytes {
    let hash = try inCrypto { () throws(CryptoError) in try unsafe SHA256.hash(file.span.bytes) }
    let key = try inSealing(file: VaultHeader.fileName) { () throws(SealingError) in
      try root.recordKeys(from: present.wrap, record: present.id)
        .authenticate(CanonicalEncoding.enc("ecv/1/deposit-record", [deposit.bytes, hash]))
    }
    return try inCrypto { () throws(CryptoError) in try unsafe SecretBytes(copying: key.span.bytes) }
  }

  /// Whether a header has a post-quantum key of deposits, present or earlier.
  static func arePostQuantum(in header: JSONObject) -> Bool {
    guard let member = header[memberName] else { return false }
    return ([member] + (member["earlier"]?.array ?? []))
      .contains { $0["recipient"]?.string?.hasPrefix("age1pq1") ?? false }
  }

  init(_ members: MemberReader) throws(VaultError) {
    try members.allowOnly(["earlier", "id", "key", "recipient", "signers", "wrap"])
    present = try Key(members)
    earlier = members["earlier"] == nil ? [] : try members.objects("earlier").map(Key.init(exactly:))
    signers = members["signers"] == nil ? nil : try members.text("signers")
    guard earlier.count <= Self.maximumEarlierCount else { throw members.damaged("earlier") }
    guard signers.map({ (1...Self.maximumSignersByteCount).contains($0.utf8.count) }) ?? true else {
      throw members.damaged("signers")
    }
  }

  /// The member of the header.
  package var members: JSONObject {
    var members = present.members
    if !earlier.isEmpty { members["earlier"] = .array(earlier.map { .object($0.members) }) }
    members["signers"] = signers.map { .string($0) }
    return members
  }

  /// The keys of two headers that were changed separately, so that deposits to either recipient still open. The result
  /// does not depend on the order.
  package func joined(with other: DepositKeys, signers: String?) -> DepositKeys {
    let keys = ([present] + earlier + [other.present] + other.earlier)
    var ids: Set<Identifier> = []
    let once = keys.filter { ids.insert($0.id).inserted }.sorted { $0.order > $1.order }
    return DepositKeys(
      once[0], earlier: Array(once.dropFirst().prefix(Self.maximumEarlierCount)), signers: signers)
  }
}

extension DepositKeys.Key {
  static func make(under root: RootKey, like slots: [Slot], now: Timestamp) throws(VaultError) -> Self {
    let (recipient, text) = try newIdentity(postQuantum: slots.arePostQuantum)
    let id = Identifier.random()
    return try inSealing(file: VaultHeader.fileName) { () throws(SealingError) in
      let (wrap, keys) = try root.makeDataKey(for: id)
      let token = try SealedToken(parsing: keys.seal(text, at: now))
      return Self(recipient: recipient, id: id, wrap: wrap, token: token)
    }
  }

  private static func newIdentity(postQuantum: Bool) throws(VaultError) -> (AgeRecipient, text: SecretBytes) {
    do throws(AgeError) {
      let identity = try AgeIdentity.generate(postQuantum: postQuantum)
      return (try identity.recipient, try identity.text())
    } catch {
      throw VaultError(error.isOfOlderLibrary ? .slotRefused : .internalFailure, error.reason, underlying: error)
    }
  }

  /// The newest first, and those of one second by their ids.
  fileprivate var order: (Timestamp, Identifier) { (token.sealedAt, id) }

  init(exactly members: MemberReader) throws(VaultError) {
    try members.allowOnly(["id", "key", "recipient", "wrap"])
    try self.init(members)
  }

  init(_ members: MemberReader) throws(VaultError) {
    guard let recipient = try? AgeRecipient(parsing: members.text("recipient")), recipient.pluginName == nil else {
      throw members.damaged("recipient")
    }
    guard let token = try? SealedToken(parsing: members.text("key")) else { throw members.damaged("key") }
    (self.recipient, self.token) = (recipient, token)
    id = try members.value("id")
    wrap = try members.wrappedKey("wrap")
  }

  fileprivate var members: JSONObject {
    JSONObject(members: ["id": id, "key": token.text, "recipient": recipient.text, "wrap": wrap.text])
  }

  fileprivate func rewrapped(from old: RootKey, under root: RootKey) throws(VaultError) -> Self {
    try inSealing(file: VaultHeader.fileName) { () throws(SealingError) in
      Self(
        recipient: recipient, id: id, wrap: try root.rewrapping(wrap, from: old, record: id), token: token)
    }
  }

  fileprivate func identity(under root: RootKey) throws(VaultError) -> AgeIdentity {
    let keys = try inSealing(file: VaultHeader.fileName) { () throws(SealingError) in
      try root.recordKeys(from: wrap, record: id)
    }
    let identity: AgeIdentity
    do {
      identity = try keys.withRevealed(token.text) { try AgeIdentity(parsing: $0) }
    } catch let error as SealingError {
      throw VaultError(sealing: error, file: VaultHeader.fileName)
    } catch let error as AgeError where error.isOfOlderLibrary {
      throw VaultError(.slotRefused, error.reason, file: VaultHeader.fileName, field: DepositKeys.memberName)
    } catch {
      throw Self.damaged
    }
    guard let own = try? identity.recipient, own == recipient else { throw Self.damaged }
    return identity
  }

  private static var damaged: VaultError {
    VaultError(
      .damaged, "has a key of deposits that does not belong to its recipient", file: VaultHeader.fileName,
      field: DepositKeys.memberName)
  }
}
