package import VaultStorage

extension SlotFile {
  /// The faults of a header's slot files: missing, of another shape, kind or cost, or not the file that the header
  /// names.
  package static func faults(of header: VaultHeader, in store: any RecordStore) throws(VaultError) -> [VaultFault] {
    var faults: [VaultFault] = []
    for slot in header.slots {
      do throws(VaultError) {
        if let file = try inStore({ () throws(StoreError) in try store.read(.slot(slot.id)) }) {
          try inspect(file, slot, maximumWorkFactor: workFactors.upperBound)
        } else {
          faults.append(VaultFault(.missingSlot, "is missing", file: slot.path))
        }
      } catch {
        faults.append(try VaultFault(error, code: error.underlying == nil ? .damagedSlot : nil, file: slot.path))
      }
    }
    return faults
  }
}
