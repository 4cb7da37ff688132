internal import VaultCrypto
internal import VaultDocument
internal import VaultKit
internal import VaultSealing

/// `backup.json`: every file of an archive, authenticated by somebody who had the vault's key (format 1, section 14.2).
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
      throw VaultError(.damaged, "is not an object", file: name, hints: [VaultError.lastGoodVersionHint])
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

extension BackupList.File {
  /// Reads an entry of the array of files.
  ///
  /// - Throws: ``VaultError`` `.damaged`.
  init(parsing bytes: [UInt8]) throws(VaultError) {
    let name = ArchiveMember.listName
    guard case .object(let document) = try parseDocument(bytes, file: name) else {
      throw MemberReader(JSONObject(), file: name).damaged("files")
    }
    let members = MemberReader(document, file: name, path: "files.")
    try members.allowOnly(["path", "sha256", "size"])
    guard let member = try ArchiveMember(vaultPath: members.text("path")),
      let digits = try? Hex.decode(members.text("sha256")), let hash = FileHash(digits)
    else { throw members.damaged("path") }
    self.init(member, byteCount: try members.integer("size"), sha256: hash)
  }
}

/// SHA-256 of a file, held without a block of memory of its own: there is one for each record.
struct FileHash: Equatable, Sendable {
  private let words: SIMD4<UInt64>

  /// Takes 32 bytes; nil for another number.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == SHA256.byteCount else { return nil }
    words = SIMD4((0..<4).map { word in (0..<8).reduce(0) { $0 << 8 | UInt64(bytes[8 * word + $1]) } })
  }

  init(of bytes: [UInt8]) throws(VaultError) {
    let hash = try inCrypto { () throws(CryptoError) in try SHA256.hash(RawSpan(_elements: bytes.span)) }
    guard let made = FileHash(hash) else { preconditionFailure("SHA-256 has 32 bytes") }
    self = made
  }

  /// Appends the 64 digits of its text.
  func appendHex(to text: inout [UInt8]) {
    text.append(addingCapacity: 64) { output in
      for word in 0..<4 {
        for shift in stride(from: UInt64(60), through: 0, by: -4) {
          let digit = UInt8(truncatingIfNeeded: words[word] >> shift & 15)
          output.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
      }
    }
  }

  var bytes: [UInt8] {
    (0..<32).map { UInt8(truncatingIfNeeded: words[$0 / 8] >> UInt64(56 - 8 * ($0 % 8))) }
  }
}
