internal import VaultCrypto
internal import VaultDocument
internal import VaultKit
internal import VaultSealing

/// `backup.json`: every file of an archive, authenticated by somebody who had the vault's key (format 1, section 14.2).
struct BackupList {
  static let format = 1

  /// A file of the archive.
  struct File: Equatable {
    let member: ArchiveMember
    let byteCount: Int
    /// SHA-256, 32 bytes.
    let sha256: [UInt8]

    init(_ member: ArchiveMember, _ bytes: [UInt8]) throws(VaultError) {
      self.member = member
      byteCount = bytes.count
      sha256 = try inCrypto { () throws(CryptoError) in try SHA256.hash(RawSpan(_elements: bytes.span)) }
    }

    init(_ member: ArchiveMember, byteCount: Int, sha256: [UInt8]) {
      (self.member, self.byteCount, self.sha256) = (member, byteCount, sha256)
    }
  }

  let vaultID: VaultID
  let rootID: RootID
  let headerRevision: Int
  let createdAt: Timestamp
  let files: [File]
  /// The whole tree, as the MAC covers it.
  let document: JSONObject

  /// Reads the bytes of `backup.json`, at most 512 MiB; it is authentic only once its MAC was verified.
  ///
  /// - Throws: ``VaultError`` `.damaged`, `.newerFormat`.
  init(parsing bytes: [UInt8]) throws(VaultError) {
    let name = ArchiveMember.listName
    guard case .object(let document) = try parseDocument(bytes, file: name, limits: .list) else {
      throw VaultError(.damaged, "is not an object", file: name, hints: [VaultError.lastGoodVersionHint])
    }
    let members = MemberReader(document, file: name)
    guard try members.number("format") == JSONNumber(Self.format) else {
      throw VaultError(.newerFormat, "was written by a newer version of this program", file: name)
    }
    try members.allowOnly(["created_at", "files", "format", "header_revision", "mac", "root", "vault"])
    vaultID = try members.identifier("vault")
    rootID = try members.rootID("root")
    headerRevision = try members.integer("header_revision")
    createdAt = try members.time("created_at")
    _ = try members.base64("mac", byteCount: 32)
    files = try Self.files(members)
    self.document = document
  }

  /// Sorted by the bytes of their paths, so that each stands there once.
  private static func files(_ members: MemberReader) throws(VaultError) -> [File] {
    var files: [File] = []
    var last = ""
    for file in try members.objects("files") {
      try file.allowOnly(["path", "sha256", "size"])
      let path = try file.text("path")
      guard last.utf8.lexicographicallyPrecedes(path.utf8), let member = ArchiveMember(vaultPath: path),
        let hash = try? Hex.decode(file.text("sha256")), hash.count == SHA256.byteCount
      else { throw members.damaged("files") }
      last = path
      files.append(File(member, byteCount: try file.integer("size"), sha256: hash))
    }
    return files
  }

  /// The bytes of the list of what lies in an archive.
  ///
  /// - Throws: ``VaultError`` `.inputRefused` over 512 MiB.
  static func bytes(
    of files: [File], header: VaultHeader, createdAt: Timestamp, by vault: Vault
  ) throws(VaultError) -> [UInt8] {
    var document = JSONObject()
    document["created_at"] = .string(createdAt.text)
    document["files"] = .array(
      files.map { ($0, $0.member.vaultPath) }.sorted { $0.1 < $1.1 }.map { file, path in
        var members = JSONObject()
        members["path"] = .string(path)
        members["sha256"] = .string(Hex.encode(file.sha256))
        members["size"] = .number(JSONNumber(file.byteCount))
        return .object(members)
      })
    document["format"] = .number(JSONNumber(format))
    document["header_revision"] = .number(JSONNumber(header.revision))
    document["root"] = .string(header.root.id.description)
    document["vault"] = .string(header.vaultID.text)
    document["mac"] = .string(Base64.encode(try vault.backupListMAC(of: document)))
    do {
      return try JSONValue.object(document).compactBytes(limits: .list)
    } catch {
      throw VaultError(.inputRefused, "would exceed the limits of the format", file: ArchiveMember.listName)
    }
  }
}
