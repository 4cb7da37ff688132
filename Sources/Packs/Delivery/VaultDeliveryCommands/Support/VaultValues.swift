import VaultCrypto
import VaultDelivery
import VaultDocument
import VaultKit
import VaultSealing

/// All sealed values of a vault, also of removed records, for a search elsewhere. Only hashes are kept.
struct VaultValues {
  struct Origin {
    let id: RecordID
    let name: String
    let path: MemberPath
    let isTrashed: Bool
  }

  private(set) var origins: [Origin] = []
  private(set) var needles = NeedleSet()
  /// How many values are too short to search for.
  private(set) var shortCount = 0
  /// How many lines of values are not searched separately.
  private(set) var shortLineCount = 0

  /// - Parameter visit: receives each value with its label.
  init(
    of vault: Vault, visit: (_ label: Int, _ value: RawSpan) -> Void = { _, _ in }
  ) async throws {
    var (values, failure): (VaultValues, (any Error)?) = (VaultValues(), nil)
    func take(_ record: OpenRecord, isTrashed: Bool) {
      guard failure == nil else { return }
      do {
        for path in record.sealedPaths {
          let secret = try record.secret(at: path)
          let label = values.origins.count
          values.origins.append(Origin(id: record.id, name: record.name, path: path, isTrashed: isTrashed))
          secret.withBytes { bytes in
            if !values.needles.add(bytes, label: label) { values.shortCount += 1 }
            values.shortLineCount += NeedleSet.leftOutLineCount(of: bytes)
            visit(label, bytes)
          }
        }
      } catch {
        failure = error
      }
    }
    try await vault.forEachOpenRecord { record throws(VaultError) in take(record, isTrashed: false) }
    let faults = try await vault.forEachOpenTrashedRecord { record, _ throws(VaultError) in
      take(record, isTrashed: true)
    }
    if let failure = failure ?? faults.first { throw failure }
    self = values
  }

  private init() {}
}
