internal import VaultCrypto
internal import VaultDocument
internal import VaultKit
internal import VaultSealing

/// `backup.json`: every file of an archive, authenticated by somebody who had the vault's key (format 1, section 14.2,
/// List).
struct BackupList {
  static let format = 1

  /// A file of the archive.
  struct File: Equatable, Sendable {
    let member: ArchiveMember
    let byteCount: Int
    let sha256: FileHash

    init(_ member: ArchiveMember, _ bytes: [UInt8]) throws(VaultError) {
      self.init(member, byteCount: bytes.count, sha256: try FileHash(of: bytes))
    }

    init(_ member: ArchiveMember, byteCount: Int, sha256: FileHash) {
      (self.member, self.byteCount, self.sha256) = (member, byteCount, sha256)
    }
  }

  /// What it says besides its files, as it stands there.
  struct Head: Sendable {
    let createdAt: String
    let headerRevision: Int
    let root: String
    let vault: String

    init(of header: VaultHeader, createdAt: Timestamp) {
      (self.createdAt, headerRevision) = (createdAt.text, header.revision)
      (root, vault) = (header.root.id.description, header.vaultID.text)
    }

    fileprivate init(_ members: MemberReader) throws(VaultError) {
      (createdAt, headerRevision) = (try members.text("created_at"), try members.integer("header_revision"))
      (root, vault) = (try members.text("root"), try members.text("vault"))
    }
  }

  let vaultID: VaultID
  let rootID: RootID
  let createdAt: Timestamp
  let head: Head
  /// 32 bytes; the list is authentic only once they were compared.
  let mac: [UInt8]

  /// Reads the document without what stands in its array of files.
  ///
  /// - Throws: ``VaultError`` `.damaged`, `.newerFormat`.
  init(withoutFiles bytes: [UInt8]) throws(VaultError) {
    let name = ArchiveMember.listName
    guard case .object(let document) = try parseDocument(bytes, file: name) else {
      throw VaultError(.damaged, "is not an object", file: name)
    }
    let members = MemberReader(document, file: name)
    guard try members.number("format") == JSONNumber(Self.format) else {
      throw VaultError(.newerFormat, "was written by a newer version of this program", file: name)
    }
    try members.allowOnly(["created_at", "files", "format", "header_revision", "mac", "root", "vault"])
    guard try members.objects("files").isEmpty else { throw members.damaged("files") }
    vaultID = try members.identifier("vault")
    rootID = try members.rootID("root")
    createdAt = try members.time("created_at")
    mac = try members.base64("mac", byteCount: 32)
    head = try Head(members)
  }
}
