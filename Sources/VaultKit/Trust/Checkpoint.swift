internal import VaultCrypto
public import VaultDocument
public import VaultSealing
internal import VaultStorage

/// The content of `checkpoint.json` (format 1, section 8, Checkpoint): which version of every record there was at one
/// moment.
///
/// It is parsed strictly, and authentic only once its MAC was verified.
public struct Checkpoint: Sendable {
  static let fileName = "checkpoint.json"
  static let format = 1

  /// Rises by one with each checkpoint, from 1.
  public let sequence: Int
  public let createdAt: Timestamp
  /// The hash of the checkpoint before this one, 32 bytes; nil in the first.
  public let previous: [UInt8]?
  /// The hash of the header at that moment, 32 bytes; informative.
  public let headerHash: [UInt8]
  /// The root key that it is authentic under.
  public private(set) var rootID: RootID
  /// What it lists.
  public let entries: VersionList
  /// As the file writes it, which the MAC covers.
  let createdAtText: String
  /// 32 bytes.
  private(set) var mac: [UInt8]

  /// Reads the bytes of `checkpoint.json`, at most 512 MiB.
  ///
  /// - Throws: ``VaultError`` `.damaged`, `.newerFormat`.
  public init(parsing bytes: [UInt8]) throws(VaultError) {
    var pieces = [bytes]
    try self.init { pieces.popLast() ?? [] }
  }

  /// Reads the file piece by piece.
  ///
  /// - Throws: ``VaultError`` `.damaged`, `.newerFormat`, and as a store's `read`.
  init(reading reader: any StoreReader) throws(VaultError) {
    var failure: StoreError?
    do throws(VaultError) {
      try self.init {
        do throws(StoreError) { return try reader.next() } catch {
          failure = error
          return []
        }
      }
    } catch {
      if let failure { throw VaultError(store: failure) }
      throw error
    }
    if let failure { throw VaultError(store: failure) }
  }

  /// - Parameter next: gives the next piece of the file; empty at its end.
  private init(next: @escaping () -> [UInt8]) throws(VaultError) {
    var list = ParsedEntries()
    let tree = try parseDocument(file: Self.fileName, from: next, handingOver: "records") { list.take($0, $1) }
    guard case .object(let document) = tree else { throw Self.damaged("is not an object") }
    let members = MemberReader(document, file: Self.fileName)
    guard try members.number("format") == JSONNumber(Self.format) else {
      throw VaultError(.newerFormat, "was written by a newer version of this program", file: Self.fileName)
    }
    try members.allowOnly(["created_at", "format", "header", "mac", "previous", "records", "root", "sequence"])
    sequence = try members.integer("sequence")
    guard sequence >= 1 else { throw members.damaged("sequence") }
    createdAtText = try members.text("created_at")
    createdAt = try members.time("created_at")
    previous = try members["previous"] == .null ? nil : members.hash("previous")
    headerHash = try members.hash("header")
    rootID = try members.rootID("root")
    _ = try members.object("records")
    entries = try list.entries(of: members)
    mac = try members.base64("mac", byteCount: 32)
  }

  /// SHA-256 (32 bytes) of the canonical encoding of the whole checkpoint: what the next one names as its predecessor.
  ///
  /// - Throws: ``VaultError`` `.internalFailure`.
  public func hash() throws(VaultError) -> [UInt8] {
    var hasher = try inCrypto { () throws(CryptoError) in try SHA256.Hasher() }
    try writer.forEachTreePiece(withMAC: true) { piece throws(VaultError) in
      try inCrypto { () throws(CryptoError) in try hasher.update(RawSpan(_elements: piece.span)) }
    }
    do throws(CryptoError) { return try hasher.finish() } catch { throw VaultError(crypto: error) }
  }

  /// Gives the bytes of `checkpoint.json` to `body`, piece by piece.
  ///
  /// - Throws: ``VaultError`` `.inputRefused` over 512 MiB, before any; and what `body` throws.
  func write(_ body: ([UInt8]) throws(VaultError) -> Void) throws(VaultError) {
    guard try writer.textByteCount() <= JSONLimits.list.byteCount else {
      throw VaultError(.inputRefused, "would exceed the limits of the format", file: Self.fileName)
    }
    try writer.forEachTextPiece(body)
  }

  /// What tells whether a file holds exactly this.
  func textMark() throws(VaultError) -> ContentMark {
    var mark = ContentMark.Builder()
    try writer.forEachTextPiece { mark.append($0) }
    return mark.finish()
  }

  private var writer: CheckpointWriter { CheckpointWriter(checkpoint: self) }

  private static func damaged(_ reason: String) -> VaultError {
    VaultError(.damaged, reason, file: fileName)
  }
}

extension Checkpoint {
  /// A checkpoint that is authentic under `root`.
  ///
  /// - Parameters:
  ///   - predecessor: the checkpoint that it follows, which must have been authenticated; nil for the first.
  ///   - headerHash: 32 bytes, ``VaultHeader/hash()``.
  ///   - records: each id once, also one that is both live and in the trash.
  static func make(
    following predecessor: Checkpoint?, of records: VersionList, headerHash: [UInt8], createdAt: Timestamp,
    under root: RootKey
  ) throws(VaultError) -> Checkpoint {
    try Checkpoint(
      sequence: (predecessor?.sequence ?? 0) + 1, createdAt: createdAt, previous: predecessor?.hash(),
      headerHash: headerHash, entries: records, rootID: root.id
    ).authenticatedAgain(under: root)
  }

  /// The same checkpoint under another root key: the list, the sequence and the time stay (format 1, section 11,
  /// Rotation: a rewrap makes the MAC again before the old root retires).
  func authenticatedAgain(under root: RootKey) throws(VaultError) -> Checkpoint {
    var again = self
    again.rootID = root.id
    again.mac = try again.mac(under: root)
    return again
  }

  /// Without a MAC yet.
  private init(
    sequence: Int, createdAt: Timestamp, previous: [UInt8]?, headerHash: [UInt8], entries: VersionList, rootID: RootID
  ) {
    (self.sequence, self.createdAt, self.previous) = (sequence, createdAt, previous)
    (self.headerHash, self.entries, self.rootID) = (headerHash, entries, rootID)
    (createdAtText, mac) = (createdAt.text, [])
  }

  /// HMAC-SHA-256 of everything but the MAC itself, 32 bytes.
  private func mac(under root: RootKey) throws(VaultError) -> [UInt8] {
    let byteCount = try writer.treeByteCount()
    let mac = try inSealing(file: Self.fileName) { () throws(SealingError) in
      try root.authenticator(as: .checkpoint, treeByteCount: byteCount)
    }
    try writer.forEachTreePiece(withMAC: false) { piece throws(VaultError) in
      try inSealing(file: Self.fileName) { () throws(SealingError) in try mac.update(piece) }
    }
    return try inSealing(file: Self.fileName) { () throws(SealingError) in try mac.finish() }
  }

  /// Checks that the checkpoint was written by somebody who has `root`, which it must name.
  ///
  /// - Throws: ``VaultError`` `.damaged`.
  func authenticate(under root: RootKey) throws(VaultError) {
    guard rootID == root.id, constantTimeEqual(try mac(under: root), mac) else {
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
  public func checkpoint() throws(VaultError) -> Checkpoint? {
    let found = try storedCheckpoint(in: store)
    return found?.checkpoint
  }

  /// How a checkpoint differs from the one that this machine has seen last; nil when it is that one or a later one.
  ///
  /// A rotation authenticates the checkpoint again under its new root. Where it died before this machine could note
  /// that, the list is still the one that was seen: under the root before it has the same hash.
  func difference(of found: Checkpoint?, from expected: Pin.CheckpointMark?) throws(VaultError) -> PinDifference? {
    let mark = try found.map { found throws(VaultError) in try Pin.CheckpointMark(found) }
    guard let difference = expected?.difference(from: mark) else { return nil }
    guard case .otherCheckpoint = difference, let found else { return difference }
    for old in header.keyring where old.state == .openOnly {
      let hint = Array(old.id.bytes.prefix(8))
      let root = try inSealing { () throws(SealingError) in try keyring.recordRoot(hint: hint) }
      if try Pin.CheckpointMark(found.authenticatedAgain(under: root)) == expected { return nil }
    }
    return difference
  }

  /// The same, read through a view of the vault's files, with what tells whether the file is still the same.
  func storedCheckpoint(in store: any RecordStore) throws(VaultError) -> StoredCheckpoint? {
    guard let found = try StoredCheckpoint.read(from: store) else { return nil }
    try found.checkpoint.authenticate(under: keyring)
    return found
  }
}

/// A checkpoint as a store has it.
///
/// A type and no tuple: the optimiser of Swift 6.3 gives back a damaged copy of a large member of an optional tuple
/// (`Tests/Toolchain/README.md`).
struct StoredCheckpoint: Sendable {
  let checkpoint: Checkpoint
  /// Tells whether the file is still the same.
  let mark: ContentMark

  /// Reads it, and does not authenticate it; nil when there is none.
  static func read(from store: any RecordStore) throws(VaultError) -> StoredCheckpoint? {
    let reader = try inStore { () throws(StoreError) in try store.reader(of: .checkpoint) }
    guard let reader else { return nil }
    return StoredCheckpoint(checkpoint: try Checkpoint(reading: reader), mark: reader.mark)
  }
}

extension MemberReader {
  /// A SHA-256 in hex, 32 bytes.
  func hash(_ name: String) throws(VaultError) -> [UInt8] {
    guard let hash = try? Hex.decode(text(name)), hash.count == 32 else { throw damaged(name) }
    return hash
  }
}

/// The lines of the list, `"<id>" : [revision, "<mac>"]`, as they are read.
private struct ParsedEntries {
  private var builder = VersionList.Builder()
  /// Those that come after one of a higher id, which no writer of ours leaves.
  private var unsorted: [RecordVersion] = []
  /// The first name whose line is none.
  private var refused: String?

  mutating func take(_ name: String, _ value: JSONValue) {
    guard refused == nil else { return }
    let id = RecordID(parsing: name)
    guard let id, let (revision, mac) = value.version else { return refused = id == nil ? "id" : name }
    let entry = RecordVersion(id: id, revision: revision, mac: mac)
    if builder.last.map({ $0 < id }) ?? true { builder.append(entry) } else { unsorted.append(entry) }
  }

  consuming func entries(of members: MemberReader) throws(VaultError) -> VersionList {
    if let refused { throw members.damaged(refused) }
    let sorted = builder.finish()
    let entries = try sorted.merged(with: unsorted)
    guard entries.count == sorted.count + unsorted.count else {
      throw members.damaged(try firstRepeated(in: sorted))
    }
    return entries
  }

  private func firstRepeated(in sorted: VersionList) throws(VaultError) -> String {
    let entries = (try sorted.all() + unsorted).map(\.id).sorted()
    let index = entries.indices.dropFirst().first { entries[$0] == entries[$0 - 1] }
    return index.map { entries[$0].text } ?? "records"
  }
}
