internal import VaultAge
internal import VaultCrypto
internal import VaultDocument
internal import VaultFileStore
internal import VaultSealing
internal import VaultStorage
internal import VaultTestSupport
internal import VaultSystem

/// The content of every record of the harness, which tells whether a record is whole.
enum Payload {
  /// Begins every secret: it must be in no file.
  static let marker = "MARKER-copper-lantern-41"

  static func secret(tag: String, stamp: Int) -> String { "\(marker)/\(tag)/\(stamp)" }

  static func website(stamp: Int) -> String { "https://example.com/\(stamp)" }

  static func stamp(of website: String) -> Int? { website.split(separator: "/").last.flatMap { Int($0) } }
}

/// The root keys of a vault, taken out of slot and header by the layers below `VaultKit`: a second way to the same
/// records.
struct RecordReader: Sendable {
  /// The current one, and behind it one that a rotation which was not finished still needs. No record needs another.
  let roots: [RootKey]
  /// The root keys in the header.
  let vault: GroupState

  init(store: some RecordStore, identity: AgeIdentity) throws {
    guard let bytes = try store.read(.header), let header = try JSONParser.parse(bytes).object,
      let vaultID = header["id"]?.string.flatMap({ VaultID(parsing: $0) }),
      let current = header["root"]?["id"]?.string, let keyring = header["keyring"]?.array
    else { throw HarnessError("the vault has no header") }
    let keys = try store.slots().compactMap { try store.read(.slot($0)) }.compactMap { file in
      try (try? unsafe AgeFile.open(file.span.bytes, with: [.identity(identity)])).map { try Self.root($0, vaultID) }
    }
    guard let root = keys.first(where: { $0.id.description == current }) else {
      throw HarnessError("no slot of the vault opens")
    }
    let older = keyring.filter { $0["state"]?.string == "open-only" }
    roots = [root] + (try older.map { try Self.older($0, root) })
    let unfinished = older.last?["reason"]?.string.flatMap(Operation.Action.init(rawValue:))
    vault = GroupState(stamp: 1 + keyring.count, unfinished: unfinished)
  }

  private static func root(_ slot: SecretBytes, _ vaultID: VaultID) throws -> RootKey {
    let payload = slot.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
    guard let line = payload.split(separator: "\n").last, line.hasPrefix("root ") else {
      throw HarnessError("a slot holds no root key")
    }
    let key = try Base64.decode(String(line.dropFirst(5)))
    return try RootKey(unsafe SecretBytes(copying: key.span.bytes), vaultID: vaultID)
  }

  private static func older(_ entry: JSONValue, _ current: RootKey) throws -> RootKey {
    guard let id = entry["id"]?.string, let wrap = entry["wrap"]?.string else {
      throw HarnessError("the keyring has an entry that is none")
    }
    return try current.unwrap(WrappedKey(parsing: wrap), olderRoot: RootID(parsing: id))
  }

  func verify(_ bytes: [UInt8], as id: RecordID) throws -> VerifiedRecord {
    try RecordSeal.verify(JSONParser.parse(bytes), as: id) { hint throws(SealingError) in
      guard let root = roots.first(where: { $0.id.bytes.starts(with: hint) }) else {
        throw SealingError(.unknownRoot, "is under a root key that is retired")
      }
      return root
    }
  }

  /// The tag and stamp of a record whose MAC, token and members all say the same.
  func content(of bytes: [UInt8], as id: RecordID, isTrashed: Bool) throws -> (tag: String, stamp: Int) {
    let record = try verify(bytes, as: id)
    guard case .string(let tag)? = record.fields["name"],
      case .string(let website)? = record.fields["contact_info"]?["website"],
      case .string(let token)? = record.fields["access_key"], let stamp = Payload.stamp(of: website)
    else { throw HarnessError("a record has other members than were written") }
    guard try record.keys.reveal(token) == Payload.secret(tag: tag, stamp: stamp) else {
      throw HarnessError("the sealed and the readable field of a record are of two writes")
    }
    guard (record.envelope.deletedAt != nil) == isTrashed else {
      throw HarnessError("a removed record is live, or a live one is in the trash")
    }
    return (tag, stamp)
  }
}

/// A look at a whole vault.
struct Inspection: Sendable {
  private(set) var state: KnownVaults = [:]
  private(set) var faults: [Fault] = []
  /// Ids of live records by tag.
  private(set) var ids: [String: RecordID] = [:]
  private var members: [String: [String: GroupState]] = [:]

  /// Reads every record, in the trash, too, unless only live ones are asked for.
  init(store: some RecordStore, reader: RecordReader, withTrash: Bool = true) throws {
    state[Operation.vault] = reader.vault
    for folder in UInt8.min...UInt8.max {
      try store.readRecords(inFolder: folder) { id, result in
        add(result.mapError { $0 }, id, reader, isTrashed: false)
        return true
      }
    }
    if withTrash {
      for id in try store.trashed() {
        add(Result { try store.read(.trash(id)) ?? [] }, id, reader, isTrashed: true)
      }
    }
    groupMembers()
  }

  private mutating func add(
    _ bytes: Result<[UInt8], any Error>, _ id: RecordID, _ reader: RecordReader, isTrashed: Bool
  ) {
    do {
      let (tag, stamp) = try reader.content(of: bytes.get(), as: id, isTrashed: isTrashed)
      let group = String(tag.prefix { $0 != "#" })
      if members[group]?[tag] != nil { faults.append(Fault(.torn, "\(tag) is there twice")) }
      members[group, default: [:]][tag] = GroupState(stamp: stamp, isTrashed: isTrashed)
      if !isTrashed { ids[tag] = id }
    } catch {
      faults.append(Fault(.torn, "record \(id): \(error)"))
    }
  }

  private mutating func groupMembers() {
    for (group, members) in members {
      let states = Set(members.values)
      if members.count == Group.size(of: group), let only = states.first, states.count == 1 {
        state[group] = only
      } else {
        let stamps = states.map { "\($0.isTrashed ? "trash " : "")\($0.stamp)" }.sorted().joined(separator: ", ")
        faults.append(
          Fault(.torn, "\(group): a batch in part, \(members.count) of its records, with the stamps \(stamps)"))
        state[group] = members.values.max { $0.stamp < $1.stamp }
      }
    }
  }
}

/// A vault's folder as the harness looks at it after a death.
struct Scene: Sendable {
  let path: String
  let identity: AgeIdentity

  var hasVault: Bool { FileTree.contents(of: path + "/vault.json") != nil }

  /// Whether a process left a journal or staged files.
  var hasLeftovers: Bool {
    FileTree.contents(of: path + "/.journal.json") != nil || !FileTree.names(in: path + "/.staging").isEmpty
  }

  /// Opens the vault and reads everything. With `recovering` false nothing is written, as for a reader who may not.
  func inspect(recovering: Bool, by live: any FileOperations = LiveFileOperations()) -> Findings {
    guard hasVault else { return Findings(state: [:], faults: leaks(recovered: false)) }
    do {
      let store = try DirectoryStore(
        at: path, operations: recovering ? live : FaultyFileOperations(isReadOnly: true))
      let inspection = try Inspection(store: store, reader: RecordReader(store: store, identity: identity))
      let strays = try store.strayEntries().map { Fault(.leaked, "\($0) does not belong there") }
      return Findings(state: inspection.state, faults: inspection.faults + strays + leaks(recovered: recovering))
    } catch {
      return Findings(state: nil, faults: [Fault(.lost, "the vault cannot be opened: \(error)")])
    }
  }

  /// Clear text in any file; once recovered, also every file that is not a vault's.
  private func leaks(recovered: Bool) -> [Fault] {
    var faults: [Fault] = []
    for name in FileTree.files(below: path) {
      if recovered, !Self.belongs(name) { faults.append(Fault(.leaked, "\(name) was left behind")) }
      faults += Self.clearText(in: path + "/" + name)
    }
    return faults
  }

  /// Looks for the marker, as it is and as base64 at each of the three offsets, and for the identity.
  static func clearText(in file: String) -> [Fault] {
    guard let bytes = FileTree.contents(of: file), patterns.contains(where: { contains($0, in: bytes) }) else {
      return []
    }
    return [Fault(.leaked, "\(file) holds clear text")]
  }

  private static let patterns: [[UInt8]] = {
    let marker = Array(Payload.marker.utf8)
    let encoded = (0..<3).map { offset -> [UInt8] in
      let text = unsafe Base64.encode((Array(repeating: 0, count: offset) + marker).span.bytes)
      // Without the characters at both ends that depend on the neighbours.
      return Array(text.utf8.dropFirst(4).dropLast(4))
    }
    return [marker, Array("AGE-SECRET-KEY-1".utf8)] + encoded
  }()

  private static func belongs(_ name: String) -> Bool {
    if [".gitignore", ".gitattributes", ".lock"].contains(name) { return true }
    return StoreLocation(relativePath: name) != nil
  }
}

/// The findings of a check of a vault; no state if it could not be opened.
struct Findings: Sendable {
  let state: KnownVaults?
  let faults: [Fault]
}
