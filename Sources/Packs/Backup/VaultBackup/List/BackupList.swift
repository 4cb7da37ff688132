internal import VaultCrypto
package import VaultDocument
package import VaultKit
package import VaultSealing

/// `backup.jsonl`: every file of an archive, authenticated with the vault's key (format 1, section 14.2, List).
package struct BackupList {
  package struct File: Equatable, Sendable {
    let member: ArchiveMember
    let byteCount: Int
    /// 32 bytes.
    package let sha256: [UInt8]

    package init(_ member: ArchiveMember, _ bytes: [UInt8]) throws(VaultError) {
      let hash = try inCrypto { () throws(CryptoError) in try SHA256.hash(RawSpan(_elements: bytes.span)) }
      self.init(member, byteCount: bytes.count, sha256: hash)
    }

    package init(_ member: ArchiveMember, byteCount: Int, sha256: [UInt8]) {
      (self.member, self.byteCount, self.sha256) = (member, byteCount, sha256)
    }

    package var line: [UInt8] {
      var line: [UInt8] = []
      line.reserveCapacity(160)
      line += "[\"".utf8
      member.appendVaultPath(to: &line)
      line += "\",\"\(Hex.encode(sha256))\",\(byteCount)]\n".utf8
      return line
    }
  }

  package let head: ListHead
  package let vaultID: VaultID
  package let rootID: RootID
  package let createdAt: Timestamp
  package let headerRevision: Int

  /// The first members of a list, before it is authenticated.
  package static func members(of header: VaultHeader, createdAt: Timestamp) -> JSONObject {
    JSONObject(members: ["created_at": createdAt, "header_revision": header.revision, "vault": header.vaultID])
  }

  /// Reads the head of a list, which describes all files.
  package init(_ head: ListHead) throws(VaultError) {
    let members = head.members
    try members.allowOnly(["created_at", "format", "header_revision", "items", "mac", "root", "vault"])
    vaultID = try members.value("vault")
    rootID = try members.rootID("root")
    createdAt = try members.value("created_at")
    headerRevision = try members.value("header_revision")
    _ = try members.base64("mac", byteCount: 32)
    self.head = head
  }
}

/// Identifies the files of one archive: a hash of their lines in order, and the count of each kind.
package struct FileSummary: Equatable, Sendable {
  fileprivate let counts: [Int]
  /// 32 bytes.
  package let hash: [UInt8]

  package func count(of kind: ArchiveMember.Kind) -> Int { counts[kind.rawValue] }
}

/// Makes a ``FileSummary`` of files in archive order.
package final class FileTally {
  private(set) var counts = [Int](repeating: 0, count: ArchiveMember.Kind.allCases.count)
  private var hasher: ItemHasher?

  package init() throws(VaultError) { hasher = try ItemHasher() }

  func count(of kind: ArchiveMember.Kind) -> Int { counts[kind.rawValue] }

  /// Takes a file, and returns its line.
  @discardableResult package func take(_ file: BackupList.File) throws(VaultError) -> [UInt8] {
    let line = file.line
    counts[file.member.kind.rawValue] += 1
    try hasher?.take(line)
    return line
  }

  /// The summary. It can be asked for only once, at the end.
  package func finish() throws(VaultError) -> FileSummary {
    guard let whole = hasher.take() else { preconditionFailure("a tally ends once") }
    return FileSummary(counts: counts, hash: try whole.finish())
  }
}
