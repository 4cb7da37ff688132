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
    let sha256: FileHash

    init(_ member: ArchiveMember, _ bytes: [UInt8]) throws(VaultError) {
      self.init(member, byteCount: bytes.count, sha256: try FileHash(of: bytes))
    }

    init(_ member: ArchiveMember, byteCount: Int, sha256: FileHash) {
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
        let bytes = try? Hex.decode(file.text("sha256")), let hash = FileHash(bytes)
      else { throw members.damaged("files") }
      last = path
      files.append(File(member, byteCount: try file.integer("size"), sha256: hash))
    }
    return files
  }
}

/// SHA-256 of a file, held without a block of memory of its own: there is one for each record.
struct FileHash: Equatable {
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
    for word in 0..<4 {
      for shift in stride(from: UInt64(60), through: 0, by: -4) {
        let digit = UInt8(truncatingIfNeeded: words[word] >> shift & 15)
        text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
      }
    }
  }

  var bytes: [UInt8] {
    (0..<32).map { UInt8(truncatingIfNeeded: words[$0 / 8] >> UInt64(56 - 8 * ($0 % 8))) }
  }
}
