import VaultCrypto
import VaultDelivery
import VaultDocument
import VaultKit
import VaultSealing

/// All sealed values of a vault, also former ones and those of removed records, for a search elsewhere. Only hashes are
/// kept.
struct VaultValues {
  struct Origin {
    let id: RecordID
    let name: String
    let path: MemberPath
    let isTrashed: Bool
    var isFormer = false
  }

  /// Present values count up from 0 and former ones down from the greatest number, so that of equal values a present
  /// one is named.
  private var present: [Origin] = []
  private var former: [Origin] = []
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
          let origin = Origin(id: record.id, name: record.name, path: path, isTrashed: isTrashed)
          values.add(try record.secret(at: path), of: origin, visit)
        }
        for path in record.pathsWithFormerSecrets {
          let origin = Origin(id: record.id, name: record.name, path: path, isTrashed: isTrashed, isFormer: true)
          for secret in try record.formerSecrets(at: path) { values.add(try record.secret(secret), of: origin, visit) }
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

  /// How many values there are.
  var count: Int { present.count + former.count }

  func origin(of label: Int) -> Origin { label < present.count ? present[label] : former[Int.max - label] }

  private mutating func add(_ secret: SecretBytes, of origin: Origin, _ visit: (Int, RawSpan) -> Void) {
    let label = origin.isFormer ? Int.max - former.count : present.count
    if origin.isFormer { former.append(origin) } else { present.append(origin) }
    secret.withBytes { bytes in
      if !needles.add(bytes, label: label) { shortCount += 1 }
      shortLineCount += NeedleSet.leftOutLineCount(of: bytes)
      visit(label, bytes)
    }
  }
}
