internal import VaultCrypto
public import VaultDocument
public import VaultSealing
internal import VaultStorage

/// The content of `checkpoint.jsonl` (format 1, section 8, Checkpoint): the version of every record at one moment.
///
/// It is parsed strictly, and authentic only after its MAC was verified.
public struct Checkpoint: Sendable {
  package static let fileName = StoreLocation.checkpoint.relativePath

  /// Rises by one with each checkpoint, from 1.
  public let sequence: Int
  /// The time when it was made.
  public let createdAt: Timestamp
  /// The hash of the previous checkpoint, 32 bytes; nil in the first.
  public let previous: [UInt8]?
  /// The hash of the header at that moment, 32 bytes; informative.
  public let headerHash: [UInt8]
  /// The root key of its MAC.
  public let rootID: RootID
  package let entries: VersionList
  private let head: ListHead

  package var document: JSONObject { head.document }

  /// Reads the bytes of `checkpoint.jsonl`, at most 512 MiB.
  ///
  /// - Throws: ``VaultError`` `.damaged`, `.newerFormat`.
  public init(parsing bytes: [UInt8]) throws(VaultError) {
    var pieces = [bytes]
    try self.init { () throws(VaultError) in pieces.popLast() ?? [] }
  }

  /// Reads the file piece by piece.
  init(reading reader: any StoreReader) throws(VaultError) {
    try self.init { () throws(VaultError) in try inStore { () throws(StoreError) in try reader.next() } }
  }

  /// - Parameter next: gives the next piece of the file; empty at its end.
  private init(next: () throws(VaultError) -> [UInt8]) throws(VaultError) {
    var list = try ListReader(file: Self.fileName)
    var entries = VersionList.Builder()
    var piece = try next()
    if EarlierCheckpoint.begins(piece) {
      let earlier = try EarlierCheckpoint(beginning: piece, next)
      try self.init(earlier.head, earlier.entries)
      return
    }
    while !piece.isEmpty {
      try list.take(piece) { line throws(VaultError) in
        guard let entry = RecordVersion(line: line), entries.last.map({ $0 < entry.id }) ?? true else {
          throw VaultError(.damaged, "has a line with an unexpected form or order", file: Self.fileName)
        }
        entries.append(entry)
      }
      piece = try next()
    }
    try self.init(try list.finish(), entries.finish())
  }

  private init(_ head: ListHead, _ entries: VersionList) throws(VaultError) {
    let members = head.members
    let items = head.isWhole ? EarlierCheckpoint.listName : "items"
    try members.allowOnly(["created_at", "format", "header", items, "mac", "previous", "root", "sequence"])
    sequence = try members.value("sequence")
    guard sequence >= 1 else { throw members.damaged("sequence") }
    createdAt = try members.value("created_at")
    previous = try members["previous"] == .null ? nil : members.hash("previous")
    headerHash = try members.hash("header")
    rootID = try members.rootID("root")
    _ = try members.base64("mac", byteCount: 32)
    (self.head, self.entries) = (head, entries)
  }

  /// SHA-256 (32 bytes) of its content without the root key, with which the next checkpoint names it as its
  /// predecessor.
  ///
  /// - Throws: ``VaultError`` `.internalFailure`.
  public func hash() throws(VaultError) -> [UInt8] { try head.hash() }

  /// Gives the bytes of `checkpoint.jsonl` to `body`, piece by piece.
  package func write(_ body: ([UInt8]) throws(VaultError) -> Void) throws(VaultError) {
    try body(head.line)
    try entries.forEachPieceOfText(body)
  }
}

extension Checkpoint {
  /// Makes a checkpoint that is authentic under `root`.
  ///
  /// - Parameters:
  ///   - predecessor: the previous checkpoint, which must have been authenticated; nil for the first.
  ///   - headerHash: 32 bytes, ``VaultHeader/hash()``.
  ///   - records: each id once, even if it is both live and in the trash.
  package static func make(
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
      throw VaultError(.inputRefused, "cannot be larger than the format allows", file: fileName)
    }
    let members = JSONObject(members: [
      "created_at": createdAt, "header": Hex.encode(headerHash),
      "previous": try predecessor.map { old throws(VaultError) in Hex.encode(try old.hash()) },
      "sequence": (predecessor?.sequence ?? 0) + 1,
    ])
    let head = ListHead(members, itemHash: try items.finish(), file: fileName)
    return try Checkpoint(head.authenticated(as: .checkpoint, under: root), records)
  }

  /// The same checkpoint under another root key, with the same hash (format 1, section 11, Rotation: a rewrap makes the
  /// MAC again before the old root retires). A checkpoint of the earlier form gets a successor of today's form.
  package func authenticatedAgain(under root: RootKey) throws(VaultError) -> Checkpoint {
    guard !head.isWhole else {
      return try .make(following: self, of: entries, headerHash: headerHash, createdAt: createdAt, under: root)
    }
    return try Checkpoint(head.authenticated(as: .checkpoint, under: root), entries)
  }

  /// Checks the MAC under `root`, which the checkpoint must name.
  package func authenticate(under root: RootKey) throws(VaultError) {
    try head.authenticate(as: .checkpoint, under: root)
  }
}

extension RecordVersion {
  /// Reads a line of a checkpoint, `["<id>",<revision>,"<mac>"]`; nil if it has another form.
  init?(line: ArraySlice<UInt8>) {
    guard case .array(let parts)? = try? JSONParser.parse(Array(line)), parts.count == 3,
      let id = parts[0].string.flatMap(RecordID.init(parsing:)),
      let version = RecordVersion(id: id, parts[1], parts[2])
    else { return nil }
    self = version
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
  fileprivate func forEachPieceOfText(_ body: ([UInt8]) throws(VaultError) -> Void) throws(VaultError) {
    try forEachPiece { entries throws(VaultError) in
      var text: [UInt8] = []
      text.reserveCapacity(entries.count * 112)
      for entry in entries { text += entry.line }
      try body(text)
    }
  }
}
