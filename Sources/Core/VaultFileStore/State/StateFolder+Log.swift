package import VaultStorage
package import VaultSystem

// Files that only grow: appending a line costs a hundredth of replacing the file durably. A power cut can damage the
// last lines in any way, so each line must show whether it is whole, and its loss must do no harm.

extension StateFolder {
  /// The bytes that a log had when it was opened; nil if it is missing.
  package func readLog(_ name: StateName) throws(StoreError) -> [UInt8]? {
    let place = path(of: name)
    let noDirectory = OpenPurpose.noDirectory
    guard let file = try files.openIfPresent(place, in: noDirectory, as: .reading, at: place) else { return nil }
    let status = try files.regularStatus(of: file.descriptor, at: place)
    guard status.byteCount <= Self.byteLimit else {
      throw StoreError(.tooLarge, reason: "the file is over its size limit", path: place)
    }
    guard status.byteCount > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: status.byteCount)
    let count = try files.fill(&bytes, from: file.descriptor, enough: bytes.count, at: place)
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// Appends bytes to a log, which is created if missing, without waiting for the disk.
  package func append(
    _ bytes: [UInt8], toLog name: StateName, under lock: borrowing LockedFile
  ) throws(StoreError) {
    let place = path(of: name)
    try PendingWrites.during { () throws(StoreError) in
      let folder = try opened(name.folder)
      let file = try files.open(name.file, in: folder.descriptor, as: .locking, at: place)
      let end = try files.regularStatus(of: file.descriptor, at: place).byteCount
      try files.write(bytes, to: file.descriptor, from: end, at: place)
    }
  }
}
