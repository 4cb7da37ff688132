internal import VaultDocument
public import VaultKit

extension BackupCatalog {
  /// The name of the catalog file in a directory of backups.
  public static let fileName = "backups.json"
  static let format = 1

  /// Reads the bytes of `backups.json` strictly.
  ///
  /// - Parameter file: the path, for the error.
  /// - Throws: `VaultError` `.damaged`, `.newerFormat`.
  public init(parsing bytes: [UInt8], file: String) throws(VaultError) {
    let document: JSONValue
    do throws(DocumentError) {
      document = try JSONParser.parse(bytes)
    } catch {
      throw .damagedCatalog(file, error.description, underlying: error)
    }
    if let format = document.object?["format"]?.int, format > Self.format {
      throw VaultError(.newerFormat, "was written by a newer version of the program", file: file)
    }
    guard let members = document.object, members.names == ["backups", "format"],
      members["format"]?.int == Self.format, let items = members["backups"]?.array
    else { throw .damagedCatalog(file, "is not a list of backups") }
    var entries: [Entry] = []
    for (index, item) in items.enumerated() {
      guard let entry = item.object.flatMap(Entry.init(members:)) else {
        throw .damagedCatalog(file, "has an entry that cannot be read", field: "backups[\(index)]")
      }
      entries.append(entry)
    }
    guard let catalog = BackupCatalog(entries) else { throw .damagedCatalog(file, "lists a backup twice") }
    self = catalog
  }

  /// The bytes of `backups.json`. They are sorted, so equal catalogs have equal bytes.
  ///
  /// - Throws: `VaultError` `.inputRefused` if a label is too long, or if the backups need more than 16 MiB.
  public func fileBytes() throws(VaultError) -> [UInt8] {
    if entries.contains(where: { ($0.label ?? "").utf8.count > Self.labelByteLimit }) {
      throw VaultError(.inputRefused, "the label is longer than \(Self.labelByteLimit) bytes")
    }
    var document = JSONObject()
    document["backups"] = .array(entries.map(\.document))
    document["format"] = .number(JSONNumber(Self.format))
    do {
      return try JSONValue.object(document).prettyBytes()
    } catch {
      throw VaultError(.inputRefused, "more backups than one directory can have recorded", underlying: error)
    }
  }
}

extension BackupCatalog.Entry {
  private static let members: Set<String> = [
    "attested", "checked_at", "created_at", "label", "name", "removing", "sha256", "size", "vault", "verification",
  ]

  fileprivate init?(members: JSONObject) {
    guard members.names.allSatisfy(Self.members.contains), let byteCount = members["size"]?.int,
      let name = members["name"]?.string.flatMap(BackupName.init(fileName:)),
      let hash = members["sha256"]?.string.flatMap({ try? Hex.decode($0) }), hash.count == 32,
      let createdAt = members["created_at"]?.time, let isAttested = members["attested"]?.bool,
      let vaultID = members["vault"]?.string.flatMap(VaultID.init(parsing:))
    else { return nil }
    self.init(
      name: name, byteCount: byteCount, sha256: hash, createdAt: createdAt, vaultID: vaultID,
      label: members["label"]?.string, isAttested: isAttested)
    guard readOptionalMembers(members) else { return nil }
  }

  private mutating func readOptionalMembers(_ members: JSONObject) -> Bool {
    if let label = members["label"] {
      guard let text = label.string, text.utf8.count <= BackupCatalog.labelByteLimit else { return false }
    }
    if let verification = members["verification"] {
      guard let read = verification.object.flatMap(BackupCatalog.Verification.init(members:)) else { return false }
      self.verification = read
    }
    if let checked = members["checked_at"] {
      guard let time = checked.time else { return false }
      checkedAt = time
    }
    guard let removing = members["removing"] else { return true }
    isBeingRemoved = true
    return removing == .bool(true)
  }

  fileprivate var document: JSONValue {
    var members = JSONObject()
    members["attested"] = .bool(isAttested)
    members["checked_at"] = checkedAt.map { .string($0.text) }
    members["created_at"] = .string(createdAt.text)
    members["label"] = label.map { .string($0) }
    members["name"] = .string(name.fileName)
    members["removing"] = isBeingRemoved ? .bool(true) : nil
    members["sha256"] = .string(Hex.encode(sha256))
    members["size"] = .number(JSONNumber(byteCount))
    members["vault"] = .string(vaultID.text)
    members["verification"] = verification?.document
    return .object(members)
  }
}

extension BackupCatalog.Verification {
  fileprivate init?(members: JSONObject) {
    guard members.names == ["kind", "time"], let kind = members["kind"]?.string.flatMap(Kind.init(rawValue:)),
      let time = members["time"]?.time
    else { return nil }
    self.init(time: time, kind: kind)
  }

  fileprivate var document: JSONValue {
    var members = JSONObject()
    members["kind"] = .string(kind.rawValue)
    members["time"] = .string(time.text)
    return .object(members)
  }
}

extension JSONValue {
  fileprivate var time: Timestamp? { string.flatMap { try? Timestamp(parsing: $0) } }
}

extension VaultError {
  /// The error for an unreadable `backups.json`. Such a file never counts as empty, because then no backup would be
  /// known to be good.
  fileprivate static func damagedCatalog(
    _ file: String, _ reason: String, field: String? = nil, underlying: (any Error)? = nil
  ) -> VaultError {
    VaultError(
      .damaged, reason, file: file, field: field,
      remedies: [
        .verifyBackups,
        "put back a copy of this file, or move it away: its backups then count as not recorded, and are never pruned",
      ], underlying: underlying)
  }
}
