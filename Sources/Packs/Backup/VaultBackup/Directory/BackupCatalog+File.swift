package import VaultDocument
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
      guard let entry = Entry(document: item) else {
        throw .damagedCatalog(file, "has an entry that cannot be read", field: "backups[\(index)]")
      }
      entries.append(entry)
    }
    guard let catalog = BackupCatalog(entries) else { throw .damagedCatalog(file, "has two entries for one backup") }
    self = catalog
  }

  /// The bytes of `backups.json`. They are sorted, so equal catalogs have equal bytes.
  ///
  /// - Throws: `VaultError` `.inputRefused` if a label is too long, or if the backups need more than 16 MiB.
  public func fileBytes() throws(VaultError) -> [UInt8] {
    if entries.contains(where: { ($0.label ?? "").utf8.count > Self.labelByteLimit }) {
      throw VaultError(.inputRefused, "the label is longer than \(Self.labelByteLimit) bytes")
    }
    do {
      return try JSONValue.members(["backups": entries, "format": Self.format]).prettyBytes()
    } catch {
      throw VaultError(.inputRefused, "there are more backups than one folder can record", underlying: error)
    }
  }
}

extension BackupCatalog.Entry: DocumentReadable {
  private static let members: Set<String> = [
    "attested", "checked_at", "created_at", "label", "name", "removing", "sha256", "size", "vault", "verification",
  ]

  package init?(document: JSONValue) {
    guard let members = document.object, members.names.allSatisfy(Self.members.contains),
      let byteCount: Int = members.read("size"), let file: String = members.read("name"),
      let name = BackupName(fileName: file), let hex: String = members.read("sha256"),
      let hash = try? Hex.decode(hex), hash.count == 32, let createdAt: Timestamp = members.read("created_at"),
      let isAttested: Bool = members.read("attested"), let vaultID: VaultID = members.read("vault"),
      let label: String? = members.readIfPresent("label"), (label ?? "").utf8.count <= BackupCatalog.labelByteLimit,
      let verification: BackupCatalog.Verification? = members.readIfPresent("verification"),
      let checkedAt: Timestamp? = members.readIfPresent("checked_at"), [nil, true].contains(members["removing"])
    else { return nil }
    self.init(
      name: name, byteCount: byteCount, sha256: hash, createdAt: createdAt, vaultID: vaultID, label: label,
      isAttested: isAttested, verification: verification)
    (self.checkedAt, isBeingRemoved) = (checkedAt, members["removing"] != nil)
  }

  package var document: JSONValue {
    let members = JSONObject(present: [
      "attested": isAttested, "checked_at": checkedAt, "created_at": createdAt, "label": label, "name": name.fileName,
      "removing": isBeingRemoved ? true : nil, "sha256": Hex.encode(sha256), "size": byteCount, "vault": vaultID,
      "verification": verification,
    ])
    return .object(members)
  }
}

extension BackupCatalog.Verification: DocumentReadable {
  package init?(document: JSONValue) {
    guard let members = document.object, members.names == ["kind", "time"], let kind: Kind = members.read("kind"),
      let time: Timestamp = members.read("time")
    else { return nil }
    self.init(time: time, kind: kind)
  }

  package var document: JSONValue { .members(["kind": kind, "time": time]) }
}

extension BackupCatalog.Verification.Kind: DocumentReadable {}

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
        "restore a copy of this file, or move it away: its backups then count as not recorded and are never pruned",
      ], underlying: underlying)
  }
}
