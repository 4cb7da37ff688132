internal import VaultCrypto
public import VaultDocument
public import VaultSealing
internal import VaultStorage

/// The content of `checkpoint.jsonl` (format 1, section 8, Checkpoint): which version of every record there was at one
/// moment.
///
/// It is parsed strictly, and authentic only once its MAC was verified.
public struct Checkpoint: Sendable {
  static let fileName = StoreLocation.checkpoint.relativePath
  static let format = 1

  /// Rises by one with each checkpoint, from 1.
  public let sequence: Int
  public let createdAt: Timestamp
  /// The hash of the checkpoint before this one, 32 bytes; nil in the first.
  public let previous: [UInt8]?
  /// The hash of the header at that moment, 32 bytes; informative.
  public let headerHash: [UInt8]
  /// The root key that it is authentic under.
  public let rootID: RootID
  /// What it lists.
  public let entries: VersionList
  private let head: ListHead

  /// What its first line says.
  package var document: JSONObject { head.document }

  /// Reads the bytes of `checkpoint.jsonl`, at most 512 MiB.
  ///
  /// - Throws: ``VaultError`` `.damaged`, `.newerFormat`.
  public init(parsing bytes: [UInt8]) throws(VaultError) {
    var pieces = [bytes]
    try self.init { () throws(VaultError) in pieces.popLast() ?? [] }
  }

  /// Reads the file piece by piece.
  ///
  /// - Throws: ``VaultError`` `.damaged`, `.newerFormat`, and as a store's `read`.
  init(reading reader: any StoreReader) throws(VaultError) {
    try self.init { () throws(VaultError) in try inStore { () throws(StoreError) in try reader.next() } }
  }

  /// - Parameter next: gives the next piece of the file; empty at its end.
  private init(next: () throws(VaultError) -> [UInt8]) throws(VaultError) {
    var list = try ListReader(file: Self.fileName)
    var entries = VersionList.Builder()
    while true {
      let piece = try next()
      if piece.isEmpty { break }
      try list.take(piece) { line throws(VaultError) in
        guard let entry = RecordVersion(line: line), entries.last.map({ $0 < entry.id }) ?? true else {
          throw VaultError(.damaged, "has a line of another form, or in another order", file: Self.fileName)
        }
        entries.append(entry)
      }
    }
    try self.init(try list.finish(), entries.finish())
  }

  private init(_ head: ListHead, _ entries: VersionList) throws(VaultError) {
    let members = head.members
    guard try members.number("format") == JSONNumber(Self.format) else {
      throw VaultError(.newerFormat, "was written by a newer version of this program", file: Self.fileName)
    }
    try members.allowOnly(["created_at", "format", "header", "items", "mac", "previous", "root", "sequence"])
    sequence = try members.integer("sequence")
    guard sequence >= 1 else { throw members.damaged("sequence") }
    createdAt = try members.time("created_at")
    previous = try members["previous"] == .null ? nil : members.hash("previous")
    headerHash = try members.hash("header")
    rootID = try members.rootID("root")
    _ = try members.base64("mac", byteCount: 32)
    (self.head, self.entries) = (head, entries)
  }

  /// SHA-256 (32 bytes) of what it says, whatever root key it is under: what the next one names as its predecessor.
  ///
  /// - Throws: ``VaultError`` `.internalFailure`.
  public func hash() throws(VaultError) -> [UInt8] { try head.hash() }

  /// Gives the bytes of `checkpoint.jsonl` to `body`, piece by piece.
  ///
  /// - Throws: what `body` throws.
  func write(_ body: ([UInt8]) throws(VaultError) -> Void) throws(VaultError) {
    try body(head.line)
    try entries.forEachPieceOfText(body)
  }
}

extension Checkpoint {
  /// A checkpoint that is authentic under `root`.
  ///
  /// - Parameters:
  ///   - predecessor: the checkpoint that it follows, which must have been authenticated; nil for the first.
  ///   - headerHash: 32 bytes, ``VaultHeader/hash()``.
  ///   - records: each id once, also one that is both live and in the trash.
  /// - Throws: ``VaultError`` `.inputRefused` over 512 MiB.
  static func make(
    following predecessor: Checkpoint?, of records: VersionList, headerHash: [UInt8], createdAt: Timestamp,
    under root: RootKey
  ) throws(VaultError) -> Checkpoint {
    var items = try ItemHasher()
    var byteCount = ListHead.byteLimit
    try records.forEachPieceOfText { piece throws(VaultError) in
      byteCount += piece.count
      try items.take(piece)
    }
    guard byteCount <= StoreLocation.checkpoint.byteLimit else {
      throw VaultError(.inputRefused, "would exceed the limits of the format", file: fileName)
    }
    var members = JSONObject()
    members["created_at"] = .string(createdAt.text)
    members["format"] = .number(JSONNumber(format))
    members["header"] = .string(Hex.encode(headerHash))
    members["previous"] = try predecessor.map { old throws(VaultError) in .string(Hex.encode(try old.hash())) } ?? .null
    members["sequence"] = .number(JSONNumber((predecessor?.sequence ?? 0) + 1))
    let head = ListHead(members, itemHash: try items.finish(), file: fileName)
    return try Checkpoint(head.authenticated(as: .checkpoint, under: root), records)
  }

  /// The same checkpoint under another root key, with the same hash (format 1, section 11, Rotation: a rewrap makes the
  /// MAC again before the old root retires).
  func authenticatedAgain(under root: RootKey) throws(VaultError) -> Checkpoint {
    try Checkpoint(head.authenticated(as: .checkpoint, under: root), entries)
  }

  /// Checks that the checkpoint was written by somebody who has `root`, which it must name.
  ///
  /// - Throws: ``VaultError`` `.damaged`.
  func authenticate(under root: RootKey) throws(VaultError) { try head.authenticate(as: .checkpoint, under: root) }

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

extension RecordVersion {
  /// Reads a line of a checkpoint, `["<id>",<revision>,"<mac>"]`; nil for one that is not written so.
  init?(line: ArraySlice<UInt8>) {
    guard case .array(let parts)? = try? JSONParser.parse(Array(line)), parts.count == 3,
      let id = parts[0].string.flatMap(RecordID.init(parsing:)),
      let (revision, mac) = JSONValue.version(parts[1], parts[2])
    else { return nil }
    self.init(id: id, revision: revision, mac: mac)
    guard self.line.dropLast().elementsEqual(line) else { return nil }
  }

  /// The line, with its end.
  fileprivate var line: [UInt8] {
    var line: [UInt8] = []
    line.reserveCapacity(112)
    line += "[\"".utf8
    id.appendText(to: &line)
    line += "\",\(revision),\"".utf8
    line += Base64.encode(mac).utf8
    line += "\"]\n".utf8
    return line
  }
}

extension VersionList {
  /// Gives its lines in a checkpoint to `body`, some at a time.
  fileprivate func forEachPieceOfText(_ body: ([UInt8]) throws(VaultError) -> Void) throws(VaultError) {
    try forEachPiece { entries throws(VaultError) in
      var text: [UInt8] = []
      text.reserveCapacity(entries.count * 112)
      for entry in entries { text += entry.line }
      try body(text)
    }
  }
}
