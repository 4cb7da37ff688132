internal import VaultDocument
internal import VaultKit
package import VaultStorage
package import VaultTrust

/// How many records a check of a vault has read, for comparison with the store: a check that skips records for any
/// reason must not report success.
package struct RecordCounts {
  /// By folder; nil if the folder cannot be listed, which is reported separately.
  private var live = [Int?](repeating: 0, count: 256)
  private var removed: Int? = 0

  package init() {}

  package mutating func take(_ count: Int?, inFolder folder: UInt8) { live[Int(folder)] = count }

  package mutating func takeTrash(_ count: Int?) { removed = count }

  /// A fault for each folder that holds other records than were read.
  package func faults(in store: any RecordStore, _ scope: VerificationScope = VerificationScope()) -> [VaultFault] {
    var faults: [VaultFault] = []
    for folder in UInt8.min...UInt8.max where scope.contains(folder) {
      guard let counted = live[Int(folder)] else { continue }
      faults += Self.faults(counted, at: StoreLocation.folderPath(folder)) { () throws(StoreError) in
        try store.records(inFolder: folder).count
      }
    }
    guard let removed else { return faults }
    return faults
      + Self.faults(removed, at: StoreLocation.trashPath) { () throws(StoreError) in
        try store.trashed().count { scope.contains($0.folder) }
      }
  }

  private static func faults(
    _ counted: Int, at path: String, _ count: () throws(StoreError) -> Int
  ) -> [VaultFault] {
    do throws(StoreError) {
      let held = try count()
      guard held != counted else { return [] }
      return [VaultFault(.otherDamage, VaultError.otherRecords(than: counted, held, at: path).reason, file: path)]
    } catch {
      return [VaultFault(VaultError.Code(error), error.reason, file: error.path ?? path)]
    }
  }
}

extension StoreLocation {
  /// One of the 256 folders of live records, below the vault's directory.
  package static func folderPath(_ folder: UInt8) -> String { "records/" + Hex.encode([folder]) }

  package static let trashPath = "trash"
  package static let attachmentsPath = "attachments"
}
