internal import VaultDocument
internal import VaultFileStore
internal import VaultSealing
package import VaultStorage
package import VaultTrust

/// Wrong files around the documents of a vault.
package struct Surroundings {
  /// Links and devices in the places that this program uses.
  package private(set) var faults: [VaultFault] = []
  /// Files that hold a private key in clear: anybody who has the folder, its git or its backups has the key.
  package private(set) var keyFiles: [String] = []
  /// Other versions of the header, the checkpoint and slots, which wait for a merge.
  package private(set) var unmergedCopies: [VaultFault] = []

  /// Empty for a store that is not a folder.
  package init(of store: any RecordStore) {
    guard let directory = store as? DirectoryStore else { return }
    faults = directory.workFaults().map { VaultFault(VaultError.Code($0), $0.reason, file: $0.path ?? "") }
    directory.forEachForeignFile { path, bytes in
      if Self.holdsKey(bytes) { keyFiles.append(path) }
      if let copy = ConflictCopy(relativePath: path), copy.holdsVersion(bytes) {
        unmergedCopies.append(VaultFault(unmerged: copy))
      }
    }
  }

  package func faults(besides known: [VaultFault]) -> [VaultFault] {
    let told = Set(known.map(\.file))
    return faults.filter { !told.contains($0.file) }
  }

  package static let keyReason =
    "is probably a private key, and everybody who has this folder has the key: move it away and replace it"

  /// Whether a text contains the mark of an age identity or of a private key in PEM.
  package static func holdsKey(_ bytes: [UInt8]) -> Bool {
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let line = line.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      if line.starts(with: "AGE-SECRET-KEY-".utf8) { return true }
      guard line.starts(with: "-----BEGIN ".utf8) else { continue }
      if String(decoding: line, as: UTF8.self).contains("PRIVATE KEY") { return true }
    }
    return false
  }
}

extension VaultFault {
  /// Entries that do not belong among the records or in the trash.
  package static func strayEntries(in store: any RecordStore, besides known: [VaultFault]) -> [VaultFault] {
    let told = Set(known.map(\.file))
    do throws(StoreError) {
      let strays = try store.strayEntries().filter { !told.contains($0) }
      return strays.map { file in
        ConflictCopy(relativePath: file).flatMap { VaultFault(ifVersion: $0, in: store) }
          ?? VaultFault(.strayEntry, "does not belong in the vault", file: file)
      }
    } catch {
      let file = error.path ?? "records"
      return told.contains(file) ? [] : [VaultFault(VaultError.Code(error), error.reason, file: file)]
    }
  }
}

extension VaultFault {
  /// The finding that a conflict copy waits for a merge.
  fileprivate init(unmerged copy: ConflictCopy) {
    self.init(
      .unmergedCopy, "is another version of \(copy.place.relativePath), put here by a service that syncs folders",
      file: copy.relativePath, record: copy.place.recordID)
  }

  /// Nil if the copy does not hold a version of the document beside it.
  fileprivate init?(ifVersion copy: ConflictCopy, in store: any RecordStore) {
    guard let directory = store as? DirectoryStore else { return nil }
    if case .attachment = copy.place {
      self.init(unmerged: copy)
      return
    }
    guard let bytes = (try? directory.read(copy)) ?? nil, copy.holdsVersion(bytes) else { return nil }
    self.init(unmerged: copy)
  }
}

extension ConflictCopy {
  /// Whether the bytes have the form of the document beside the copy. Only a key can tell whether they are authentic.
  fileprivate func holdsVersion(_ bytes: [UInt8]) -> Bool {
    switch place {
    case .record(let id), .trash(let id):
      (try? RecordEnvelope(of: JSONParser.parse(bytes)))?.id == id
    case .header: (try? VaultHeader(parsing: bytes)) != nil
    case .checkpoint: (try? Checkpoint(parsing: bytes)) != nil
    case .slot, .attachment, .inbox: true
    }
  }
}
