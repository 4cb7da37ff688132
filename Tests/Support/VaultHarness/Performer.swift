internal import FoundationEssentials
internal import VaultAge
internal import VaultCare
internal import VaultCrypto
internal import VaultDocument
internal import VaultFileStore
internal import VaultKit
internal import VaultRecords
internal import VaultSealing
internal import VaultStorage
internal import VaultSystem

/// Carries operations out through the library.
struct Performer {
  let store: DirectoryStore
  let vault: Vault
  private(set) var reader: RecordReader
  private let identity: AgeIdentity
  /// Ids of live records by tag.
  var ids: [String: RecordID]

  static let lockTimeout: Duration = .seconds(60)
  private static let addedOn = "2026-11-21T01:40:28Z"

  /// Opens the vault of a store.
  init(
    store: DirectoryStore, identity: AgeIdentity, reader: RecordReader? = nil, ids: [String: RecordID] = [:]
  ) async throws {
    (self.store, self.identity) = (store, identity)
    var options = Vault.Options(state: nil)
    options.lockTimeout = Self.lockTimeout
    options.now = FastClock.shared.now
    vault = try await LockedVault(store: store).unlock(with: .identity(identity), options: options)
    self.reader = try reader ?? RecordReader(store: store, identity: identity)
    self.ids = ids
  }

  /// Makes the vault itself.
  static func create(at path: String, identity: AgeIdentity, operations: any FileOperations) async throws {
    let store = try DirectoryStore.create(at: path, operations: operations)
    _ = try await Vault.create(
      in: store, slots: [NewSlot(.recipient(identity.recipient))], options: Vault.Options(state: nil))
  }

  /// Does one operation; it is acknowledged when this returns.
  mutating func perform(_ operation: Operation) async throws {
    let tags = Group.tags(of: operation.group)
    switch operation.action {
    case .create: throw HarnessError("the vault is there already")
    case .add: try await add(tags, operation.stamp)
    case .stamp: try await stamp(tags, operation.stamp)
    case .remove:
      try await vault.remove(tags.compactMap { ids[$0] })
      for tag in tags { ids[tag] = nil }
    case .rewrap, .reseal:
      _ = try await vault.rotate(operation.action == .reseal ? .reseal : .rewrap)
      reader = try RecordReader(store: store, identity: identity)
    }
  }

  /// The findings of a verification of everything.
  func faults() async throws -> [Fault] {
    try await vault.verify().faults.map { Fault(.torn, $0.description) }
  }

  private mutating func add(_ tags: [String], _ stamp: Int) async throws {
    guard tags.count > 1 else {
      let key = EncryptedCodableString(Payload.secret(tag: tags[0], stamp: stamp))
      let customer = Customer(
        name: tags[0], accessKey: key, addedOn: Date(timeIntervalSince1970: 1_795_225_228),
        website: Payload.website(stamp: stamp))
      ids[tags[0]] = try await vault.add(customer)
      return
    }
    let inputs = try tags.map { tag in
      try JSONObject([
        ("name", .string(tag)), ("access_key", .string(Payload.secret(tag: tag, stamp: stamp))),
        ("added_on", .string(Self.addedOn)), ("website", .string(Payload.website(stamp: stamp))),
      ])
    }
    let new = try await vault.add(inputs, kind: RecordKind(of: Customer.self))
    for (tag, id) in zip(tags, new) { ids[tag] = id }
  }

  private func stamp(_ tags: [String], _ stamp: Int) async throws {
    if tags.count > 1 { return try restamp(tags.map { ($0, nil) }, stamp) }
    guard let id = ids[tags[0]] else { throw HarnessError("\(tags[0]) has no id") }
    try await edit(id, tags[0], stamp, expecting: nil)
  }

  /// Gives one record a new stamp in both its members.
  func edit(_ id: RecordID, _ tag: String, _ stamp: Int, expecting expected: OpenRecord?) async throws {
    let secret = try unsafe SecretBytes(copying: Payload.secret(tag: tag, stamp: stamp).utf8Span.span.bytes)
    let edits: [FieldEdit] = [
      .set(try MemberPath(parsing: "contact_info.website"), to: .string(Payload.website(stamp: stamp))),
      .seal(try MemberPath(parsing: "access_key"), secret),
    ]
    guard try await vault.edit(id, edits, expecting: expected) else { throw HarnessError("an edit changed nothing") }
  }

  /// Replaces the records of a group in one batch of the store; each must still have the bytes given, if any are.
  func restamp(_ members: [(tag: String, bytes: [UInt8]?)], _ stamp: Int) throws {
    let changes = try members.map { member in
      guard let id = ids[member.tag], let old = try member.bytes ?? store.read(.record(id)) else {
        throw HarnessError("\(member.tag) is not there")
      }
      return StoreChange(.record(id), from: old, to: try restamped(old, id, member.tag, stamp))
    }
    try store.apply(changes, timeout: Self.lockTimeout)
  }

  private func restamped(_ old: [UInt8], _ id: RecordID, _ tag: String, _ stamp: Int) throws -> [UInt8] {
    let record = try reader.verify(old, as: id)
    var fields = record.fields
    fields["contact_info"] = .object(try JSONObject([("website", .string(Payload.website(stamp: stamp)))]))
    let secret = Payload.secret(tag: tag, stamp: stamp)
    fields["access_key"] = .string(try unsafe record.keys.seal(secret.utf8Span.span.bytes, at: FastClock.shared.now()))
    let draft = EnvelopeDraft(next: record, now: FastClock.shared.now())
    return try RecordSeal.seal(fields, draft, keys: record.keys).document.prettyBytes()
  }
}

/// Five hundred times as fast as the real one: names of backups are of whole seconds, and the next waits for its own.
struct FastClock: Sendable {
  static let shared = FastClock(start: Timestamp.now().secondsSinceEpoch)

  private let start: Int64
  private let began = ContinuousClock.now

  init(start: Int64) { self.start = start }

  @Sendable func now() -> Timestamp {
    let seconds = Int64((ContinuousClock.now - began) / .milliseconds(2))
    return (try? Timestamp(secondsSinceEpoch: start + seconds)) ?? .now()
  }
}
