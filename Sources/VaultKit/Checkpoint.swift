internal import VaultCrypto
public import VaultDocument
public import VaultSealing
internal import VaultStorage

/// The content of `checkpoint.json` (format 1, section 7): which version of every record there was at one moment.
///
/// It is parsed strictly, and authentic only once its MAC was verified.
public struct Checkpoint: Sendable {
  static let fileName = "checkpoint.json"
  static let format = 1

  /// The version of one record, live or in the trash.
  public struct Entry: Sendable, Equatable {
    public let id: RecordID
    /// From 1.
    public let revision: Int
    /// The record's MAC, 32 bytes.
    public let mac: [UInt8]

    public init(id: RecordID, revision: Int, mac: [UInt8]) {
      self.id = id
      self.revision = revision
      self.mac = mac
    }
  }

  /// Rises by one with each checkpoint, from 1.
  public let sequence: Int
  public let createdAt: Timestamp
  /// The hash of the checkpoint before this one, 32 bytes; nil in the first.
  public let previous: [UInt8]?
  /// The hash of the header at that moment, 32 bytes; informative.
  public let headerHash: [UInt8]
  /// The root key that it is authentic under.
  public let rootID: RootID
  /// In the order of ids, each once.
  public let entries: [Entry]
  /// The whole tree, as the MAC covers it.
  let document: JSONObject

  /// Reads the bytes of `checkpoint.json`, at most 512 MiB.
  ///
  /// - Throws: ``VaultError`` `.damaged`, `.newerFormat`.
  public init(parsing bytes: [UInt8]) throws(VaultError) {
    let tree = try parseDocument(bytes, file: Self.fileName, limits: .list)
    guard case .object(let document) = tree else { throw Self.damaged("is not an object") }
    try self.init(document)
  }

  private init(_ document: JSONObject) throws(VaultError) {
    let members = MemberReader(document, file: Self.fileName)
    guard try members.number("format") == JSONNumber(Self.format) else {
      throw VaultError(.newerFormat, "was written by a newer version of this program", file: Self.fileName)
    }
    try members.allowOnly(["created_at", "format", "header", "mac", "previous", "records", "root", "sequence"])
    sequence = try members.integer("sequence")
    guard sequence >= 1 else { throw members.damaged("sequence") }
    createdAt = try members.time("created_at")
    previous = try members["previous"] == .null ? nil : members.hash("previous")
    headerHash = try members.hash("header")
    rootID = try members.rootID("root")
    entries = try members.object("records").entries()
    _ = try members.base64("mac", byteCount: 32)
    self.document = document
  }

  /// The version of a record that the checkpoint lists; nil when it lists none.
  public subscript(id: RecordID) -> Entry? {
    var range = entries.indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if entries[middle].id < id { range = middle + 1..<range.upperBound } else { range = range.lowerBound..<middle }
    }
    guard range.lowerBound < entries.count, entries[range.lowerBound].id == id else { return nil }
    return entries[range.lowerBound]
  }

  /// SHA-256 (32 bytes) of the canonical encoding of the whole checkpoint: what the next one names as its predecessor.
  ///
  /// - Throws: ``VaultError`` `.internalFailure`.
  public func hash() throws(VaultError) -> [UInt8] {
    let canonical = JSONValue.object(document).canonicalBytes()
    return try inCrypto { () throws(CryptoError) in try unsafe SHA256.hash(canonical.span.bytes) }
  }

  /// The bytes of `checkpoint.json`.
  ///
  /// - Throws: ``VaultError`` `.inputRefused` over 512 MiB.
  func fileBytes() throws(VaultError) -> [UInt8] {
    do {
      return try JSONValue.object(document).prettyBytes(limits: .list)
    } catch {
      throw VaultError(.inputRefused, "would exceed the limits of the format", file: Self.fileName)
    }
  }

  private static func damaged(_ reason: String) -> VaultError {
    VaultError(.damaged, reason, file: fileName, hints: [VaultError.lastGoodVersionHint])
  }
}

extension Checkpoint {
  /// A checkpoint that is authentic under `root`.
  ///
  /// - Parameters:
  ///   - predecessor: the checkpoint that it follows, which must have been authenticated; nil for the first.
  ///   - headerHash: 32 bytes, ``VaultHeader/hash()``.
  ///   - records: in any order; of an id that stands twice (live and in the trash) the higher revision counts.
  static func make(
    following predecessor: Checkpoint?, of records: [Entry], headerHash: [UInt8], createdAt: Timestamp,
    under root: RootKey
  ) throws(VaultError) -> Checkpoint {
    let previous = try predecessor?.hash()
    var document = JSONObject()
    document["created_at"] = .string(createdAt.text)
    document["format"] = .number(JSONNumber(format))
    document["header"] = .string(Hex.encode(headerHash))
    document["previous"] = previous.map { .string(Hex.encode($0)) } ?? .null
    document["records"] = .object(list(of: records))
    document["sequence"] = .number(JSONNumber((predecessor?.sequence ?? 0) + 1))
    return try authenticated(document, under: root)
  }

  /// The same checkpoint under another root key: the list, the sequence and the time stay (format 1, section 7: a rewrap
  /// makes the MAC again before the old root retires).
  func authenticatedAgain(under root: RootKey) throws(VaultError) -> Checkpoint {
    try Self.authenticated(document, under: root)
  }

  private static func authenticated(
    _ document: JSONObject, under root: RootKey
  ) throws(VaultError) -> Checkpoint {
    var document = document
    document["root"] = .string(root.id.description)
    let unauthenticated = document
    let mac = try inSealing(file: fileName) { () throws(SealingError) in
      try root.mac(of: unauthenticated, as: .checkpoint)
    }
    document["mac"] = .string(Base64.encode(mac))
    return try Checkpoint(document)
  }

  private static func list(of records: [Entry]) -> JSONObject {
    // Ascending, so that each is appended; of equal ids the later, higher revision replaces the earlier one.
    let sorted = records.sorted { $0.id != $1.id ? $0.id < $1.id : $0.revision < $1.revision }
    var list: [JSONObject.Element] = []
    list.reserveCapacity(sorted.count)
    for (index, record) in sorted.enumerated() {
      if index > 0, sorted[index - 1].id == record.id { list.removeLast() }
      list.append(
        (record.id.text, .array([.number(JSONNumber(record.revision)), .string(Base64.encode(record.mac))])))
    }
    return JSONObject(ascending: list)
  }

  /// Checks that the checkpoint was written by somebody who has `root`, which it must name.
  ///
  /// - Throws: ``VaultError`` `.damaged`.
  func authenticate(under root: RootKey) throws(VaultError) {
    let isAuthentic = try inSealing(file: Self.fileName) { () throws(SealingError) in
      try root.authenticates(document, as: .checkpoint)
    }
    guard rootID == root.id, isAuthentic else {
      throw Self.damaged("does not authenticate: it was changed or damaged")
    }
  }

  /// Checks it under the root of the keyring that it names: the current one, or one that is still open.
  ///
  /// - Throws: ``VaultError`` `.damaged`, also for a retired or an unknown root.
  func authenticate(under keyring: Keyring) throws(VaultError) {
    let hint = Array(rootID.bytes.prefix(8))
    let root = try inSealing(file: Self.fileName) { () throws(SealingError) in try keyring.root(hint: hint) }
    try authenticate(under: root)
  }
}

extension Vault {
  /// The checkpoint, authentic under the keys of the vault; nil when there is none.
  ///
  /// - Throws: ``VaultError`` `.damaged`, `.newerFormat`.
  public func checkpoint() throws(VaultError) -> Checkpoint? { try checkpoint(in: store)?.checkpoint }

  /// The same, read through a view of the vault's files, with the exact bytes of the file.
  func checkpoint(in store: any RecordStore) throws(VaultError) -> (checkpoint: Checkpoint, bytes: [UInt8])? {
    guard let bytes = try inStore({ () throws(StoreError) in try store.read(.checkpoint) }) else { return nil }
    let checkpoint = try Checkpoint(parsing: bytes)
    try checkpoint.authenticate(under: keyring)
    return (checkpoint, bytes)
  }
}

extension MemberReader {
  /// A SHA-256 in hex, 32 bytes.
  func hash(_ name: String) throws(VaultError) -> [UInt8] {
    guard let hash = try? Hex.decode(text(name)), hash.count == 32 else { throw damaged(name) }
    return hash
  }

  /// The lines of the list: `"<id>" : [revision, "<mac>"]`.
  fileprivate func entries() throws(VaultError) -> [Checkpoint.Entry] {
    var entries: [Checkpoint.Entry] = []
    for name in names {
      guard let id = RecordID(parsing: name), case .array(let pair)? = self[name], pair.count == 2,
        let revision = pair[0].int, revision >= 1, let text = pair[1].string, let mac = try? Base64.decode(text),
        mac.count == 32
      else { throw damaged(RecordID(parsing: name) == nil ? "id" : name) }
      entries.append(Checkpoint.Entry(id: id, revision: revision, mac: mac))
    }
    return entries
  }
}
