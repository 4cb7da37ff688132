internal import VaultCrypto
public import VaultDocument
internal import VaultRecords
public import VaultSealing

/// The content of `vault.json` (format 1, section 7, Header), parsed strictly. It is authentic only after its MAC was
/// verified.
public struct VaultHeader: Sendable {
  package static let fileName = "vault.json"
  package static let format = 1

  /// The current root key: its id, commitment (32 bytes) and creation time.
  public struct Root: Sendable {
    /// The id of the key, 16 bytes.
    public let id: RootID
    /// The commitment, 32 bytes, which binds the header to the key.
    public let commitment: [UInt8]
    /// The time when it was made.
    public let createdAt: Timestamp
  }

  /// The permanent id of the vault.
  public let vaultID: VaultID
  /// When the vault was made.
  public let createdAt: Timestamp
  /// How many times the header was written, from 1.
  public let revision: Int
  /// The current root key.
  public let root: Root
  /// The older root keys.
  public let keyring: [KeyringEntry]
  /// The ways to unlock.
  public let slots: [Slot]
  /// The extensions of the format that a reader must know, ascending.
  public let requirements: [String]
  /// How many former values of one field a record keeps; 0 for none.
  public let formerCount: Int
  /// The keys of deposits; nil for a vault that takes none.
  public let deposit: DepositKeys?
  /// JSON Schemas by the names of the kinds that this vault declares.
  public let declaredKinds: JSONObject
  /// The whole tree that the MAC covers.
  package let document: JSONObject

  /// Reads the bytes of `vault.json`.
  ///
  /// - Throws: ``VaultError`` `.damaged`, `.newerFormat`.
  public init(parsing bytes: [UInt8]) throws(VaultError) {
    guard case .object(let document) = try parseDocument(bytes, file: Self.fileName) else {
      throw Self.damaged("is not an object")
    }
    try self.init(document)
  }

  private init(_ document: JSONObject) throws(VaultError) {
    let members = MemberReader(document, file: Self.fileName)
    guard try members.number("format") == JSONNumber(Self.format) else {
      throw VaultError(.newerFormat, "was written by a newer version of this program", file: Self.fileName)
    }
    guard let requirements = Requirements.names(in: document) else {
      throw members.damaged(Requirements.memberName)
    }
    self.requirements = requirements
    if let refusal = Requirements.refusal(of: requirements) {
      throw VaultError(.newerFormat, refusal, file: Self.fileName, field: Requirements.memberName)
    }
    try members.allowOnly([
      "created_at", DepositKeys.memberName, "format", FormerValues.memberName, "id", "keyring", "kinds", "mac",
      Requirements.memberName, "revision", "root", "slots",
    ])
    vaultID = try members.value("id")
    createdAt = try members.value("created_at")
    revision = try members.value("revision")
    guard revision >= 1 else { throw Self.damaged("has no valid revision") }
    root = try Root(members.object("root"))
    keyring = try members.objects("keyring").map(KeyringEntry.init(_:))
    slots = try members.objects("slots").map(Slot.init(_:))
    formerCount = try members.formerCount()
    deposit =
      members[DepositKeys.memberName] == nil ? nil : try DepositKeys(members.object(DepositKeys.memberName))
    declaredKinds = try members.kinds()
    _ = try members.text("mac")
    self.document = document
    try checkReferences()
  }

  /// Checks that ids are unique and that there is a way to unlock.
  private func checkReferences() throws(VaultError) {
    guard !slots.isEmpty else { throw Self.damaged("has no slot") }
    guard Set(slots.map(\.id)).count == slots.count else { throw Self.damaged("has the same slot twice") }
    let recipients = slots.compactMap(\.recipient)
    guard Set(recipients).count == recipients.count else { throw Self.damaged("has the same recipient twice") }
    let hints = ([root.id] + keyring.map(\.id)).map { $0.bytes.prefix(8) }
    guard Set(hints).count == hints.count else { throw Self.damaged("has the same root key twice") }
  }

  /// A new header of this program, authenticated under `root`.
  ///
  /// - Parameter formerCount: how many former values of one field a record keeps; the usual number is not written.
  package static func make(
    vaultID: VaultID, createdAt: Timestamp, revision: Int, root: RootKey, rootCreatedAt: Timestamp, slots: [Slot],
    formerCount: Int = FormerValues.defaultCount, deposit: DepositKeys? = nil
  ) throws(VaultError) -> VaultHeader {
    var document = JSONObject(members: [
      "created_at": createdAt, "format": format, "id": vaultID, "keyring": JSONValue.array([]), "kinds": JSONObject(),
      "revision": revision, "root": members(of: root, createdAt: rootCreatedAt), "slots": slots.map(\.members),
    ])
    if formerCount != FormerValues.defaultCount {
      document[FormerValues.memberName] = .number(JSONNumber(formerCount))
    }
    if let deposit { document[DepositKeys.memberName] = .object(deposit.members) }
    return try authenticated(document, under: root)
  }

  /// The header with some members changed: its next revision, authenticated under its root.
  ///
  /// Members that are not given stay unchanged, and so does the text of every slot that stays.
  package func changed(
    slots: [Slot]? = nil, keyring: [KeyringEntry]? = nil, kinds: JSONObject? = nil, requirements: [String]? = nil,
    deposit: DepositKeys? = nil, root: RootKey, rootCreatedAt: Timestamp? = nil
  ) throws(VaultError) -> VaultHeader {
    var changed = document
    if let requirements, !requirements.isEmpty {
      changed[Requirements.memberName] = .array(requirements.map { .string($0) })
    }
    changed["revision"] = .number(JSONNumber(revision + 1))
    if let slots { changed["slots"] = .array(slots.map { .object(memberText(of: $0)) }) }
    if let keyring { changed["keyring"] = .array(keyring.map { .object($0.members) }) }
    if let kinds { changed["kinds"] = .object(kinds) }
    if let deposit { changed[DepositKeys.memberName] = .object(deposit.members) }
    if let rootCreatedAt { changed["root"] = .object(Self.members(of: root, createdAt: rootCreatedAt)) }
    return try Self.authenticated(changed, under: root)
  }

  /// The entry of a slot as it stands in the file, or a new entry.
  private func memberText(of slot: Slot) -> JSONObject {
    guard case .array(let items)? = document["slots"], let index = slots.firstIndex(where: { $0.id == slot.id }),
      case .object(let members) = items[index]
    else { return slot.members }
    return members
  }

  private static func members(of root: RootKey, createdAt: Timestamp) -> JSONObject {
    JSONObject(members: [
      "commitment": Base64.encode(root.commitment), "created_at": createdAt, "id": root.id.description,
    ])
  }

  /// The document with the extensions in `requires` that its keys need, and without those that they no longer need.
  private static func namingExtensions(_ document: JSONObject) -> JSONObject {
    let kinds = document["slots"]?.array?.compactMap { $0["kind"]?.string } ?? []
    let isPostQuantum = kinds.contains(Requirements.postQuantum) || DepositKeys.arePostQuantum(in: document)
    let named = Requirements.names(in: document) ?? []
    let names = Requirements.names(
      named, naming: Requirements.postQuantum, isPostQuantum)
    guard names != named else { return document }
    var document = document
    document[Requirements.memberName] = names.isEmpty ? nil : .array(names.map { .string($0) })
    return document
  }

  private static func authenticated(
    _ document: JSONObject, under root: RootKey
  ) throws(VaultError) -> VaultHeader {
    var document = namingExtensions(document)
    let unauthenticated = document
    let mac = try inSealing(file: fileName) { () throws(SealingError) in
      try root.mac(of: unauthenticated, as: .header)
    }
    document["mac"] = .string(Base64.encode(mac))
    return try VaultHeader(document)
  }

  /// Checks the header's MAC under `root`.
  package func authenticate(under root: RootKey) throws(VaultError) {
    guard
      try inSealing(file: Self.fileName, { () throws(SealingError) in try root.authenticates(document, as: .header) })
    else {
      throw Self.damaged("does not authenticate: it was changed or damaged")
    }
  }

  /// SHA-256 (32 bytes) of the canonical encoding of the whole header, which names this state of it (format 1, section
  /// 7, Header).
  ///
  /// - Throws: ``VaultError`` `.internalFailure`.
  public func hash() throws(VaultError) -> [UInt8] {
    let canonical = JSONValue.object(document).canonicalBytes()
    return try inCrypto { () throws(CryptoError) in try unsafe SHA256.hash(canonical.span.bytes) }
  }

  /// The fingerprint for people to compare whether two folders are the same vault with the same keys: 40 hex digits of
  /// 20 bytes.
  ///
  /// - Throws: ``VaultError`` `.internalFailure`.
  public func fingerprint() throws(VaultError) -> String {
    try Fingerprint.text(vaultID: vaultID, commitment: root.commitment)
  }

  package func fileBytes() throws(VaultError) -> [UInt8] {
    do {
      return try JSONValue.object(document).prettyBytes()
    } catch {
      throw VaultError(.inputRefused, "cannot be larger than the format allows", file: Self.fileName)
    }
  }

  private static func damaged(_ reason: String) -> VaultError {
    VaultError(.damaged, reason, file: fileName)
  }
}

extension VaultHeader.Root {
  fileprivate init(_ members: MemberReader) throws(VaultError) {
    try members.allowOnly(["commitment", "created_at", "id"])
    id = try members.rootID("id")
    commitment = try members.base64("commitment", byteCount: RootKey.commitmentByteCount)
    createdAt = try members.value("created_at")
  }
}

extension MemberReader {
  fileprivate func formerCount() throws(VaultError) -> Int {
    guard let value = self[FormerValues.memberName] else { return FormerValues.defaultCount }
    guard let count = value.int, (0...FormerValues.maximumCount).contains(count) else {
      throw damaged(FormerValues.memberName)
    }
    return count
  }

  /// Checks the declared kinds: valid unreserved names, each with an object (format 1, section 7, Header).
  fileprivate func kinds() throws(VaultError) -> JSONObject {
    guard case .object(let kinds)? = self["kinds"] else { throw damaged("kinds") }
    for (name, schema) in kinds {
      guard RecordKindName.isValid(name), !RecordKind.reservedNames.contains(name), schema.object != nil else {
        throw damaged("kinds")
      }
    }
    return kinds
  }
}

extension VaultHeader {
  /// The start of the newest reseal; nil if there was no reseal.
  public var newestReseal: Timestamp? { keyring.filter { $0.reason == .reseal }.map(\.replacedAt).max() }
}
