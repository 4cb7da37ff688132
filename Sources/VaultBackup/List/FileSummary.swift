internal import VaultCrypto
internal import VaultDocument
internal import VaultKit

/// What tells the files of one archive from those of any other, whatever their number: of each kind of places how many
/// there are, and one hash of them in their order.
struct FileSummary: Equatable, Sendable {
  fileprivate struct Kind: Equatable {
    let count: Int
    let sha256: [UInt8]
  }

  fileprivate let kinds: [Kind]
  let sizes: BackupList.Sizes

  func count(of kind: ArchiveMember.Kind) -> Int { kinds[kind.rawValue].count }
}

/// Makes a ``FileSummary`` of files as they come.
final class FileTally {
  private let kinds: [KindTally]
  private var sizes = BackupList.Sizes()

  init() throws(VaultError) {
    var kinds: [KindTally] = []
    for _ in ArchiveMember.Kind.allCases { kinds.append(try KindTally()) }
    self.kinds = kinds
  }

  /// Takes a file. Those of one kind come in the order of the archive, the kinds in any.
  ///
  /// - Throws: ``VaultError`` `.internalFailure`.
  func take(_ file: BackupList.File) throws(VaultError) {
    try kinds[file.member.kind.rawValue].take(file)
    sizes.add(file)
  }

  /// What was taken; to be asked for once, at the end.
  ///
  /// - Throws: ``VaultError`` `.internalFailure`.
  func finish() throws(VaultError) -> FileSummary {
    var found: [FileSummary.Kind] = []
    for kind in kinds { found.append(try kind.finish()) }
    return FileSummary(kinds: found, sizes: sizes)
  }
}

private final class KindTally {
  private var count = 0
  private var hasher: SHA256.Hasher?
  /// What is to be hashed; files one by one would cost more.
  private var pending: [UInt8] = []

  private static let pendingByteCount = 8 << 10

  init() throws(VaultError) {
    do throws(CryptoError) { hasher = try SHA256.Hasher() } catch { throw VaultError(crypto: error) }
  }

  func take(_ file: BackupList.File) throws(VaultError) {
    count += 1
    file.appendRow(to: &pending)
    if pending.count >= Self.pendingByteCount { try flush() }
  }

  private func flush() throws(VaultError) {
    let bytes = pending
    try inCrypto { () throws(CryptoError) in try hasher?.update(RawSpan(_elements: bytes.span)) }
    pending.removeAll(keepingCapacity: true)
  }

  func finish() throws(VaultError) -> FileSummary.Kind {
    try flush()
    guard let whole = hasher.take() else { preconditionFailure("a tally ends once") }
    do throws(CryptoError) {
      return FileSummary.Kind(count: count, sha256: try whole.finish())
    } catch {
      throw VaultError(crypto: error)
    }
  }
}

extension BackupList.File {
  /// Appends what tells this file from others of its kind, in one size.
  fileprivate func appendRow(to bytes: inout [UInt8]) {
    let id = member.id?.halves ?? (0, 0)
    bytes.append(addingCapacity: 56) { output in
      output.append(highest: 8, of: id.0)
      output.append(highest: 8, of: id.1)
      for word in sha256.words { output.append(highest: 8, of: word) }
      output.append(highest: 8, of: UInt64(byteCount))
    }
  }
}
