import VaultCrypto
import VaultDelivery
import VaultDocument
import VaultKit
import VaultSealing

/// All sealed values of a vault, removed records' too, to be looked for elsewhere. Of the values only hashes are held.
struct VaultValues {
  /// Where a value is.
  struct Origin {
    let id: RecordID
    let name: String
    let path: MemberPath
    let isTrashed: Bool
  }

  private(set) var origins: [Origin] = []
  private(set) var needles = NeedleSet()
  /// How many values are too short to be looked for.
  private(set) var shortCount = 0
  /// How many lines of values are not looked for by themselves.
  private(set) var shortLineCount = 0

  /// - Parameter visit: gets each value, and what it is called by.
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
