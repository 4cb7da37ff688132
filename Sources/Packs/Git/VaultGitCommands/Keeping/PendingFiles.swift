import VaultDocument
import VaultKit
import VaultMerge
import VaultStorage
import VaultTerminal

/// The files that a commit of a vault needs beside the written ones, because an earlier commit was not made: a hook
/// refused it, git was locked, or it was switched off.
enum PendingFiles {
  case files(Set<String>)
  /// The last commit has another root key, so its other records do not open beside the written ones.
  case wholeVault
  /// The last commit lacks the vault.
  case newVault

  /// - Parameters:
  ///   - written: paths below the vault's folder.
  ///   - listing: the whole vault.
  init(before written: Set<String>, _ listing: GitListing, _ objects: GitObjects, _ folder: String) {
    let place = StoreLocation.header
    guard let kept = objects.blob("HEAD:./" + place.relativePath, limit: place.byteLimit) else {
      self = .newVault
      return
    }
    // Nothing is committed if git ignores every written file.
    guard !written.isDisjoint(with: listing.wholeVault) else {
      self = .files([])
      return
    }
    var files = Self.attachments(namedBy: written, listing, folder)
    let slots = listing.untracked.union(listing.deleted).filter { $0.hasPrefix("slots/") }
    guard let own = try? TextInput.file(System.join(folder, place.relativePath), limit: place.byteLimit),
      own != kept || !slots.isEmpty, let header = try? VaultHeader(parsing: own)
    else {
      self = .files(files)
      return
    }
    let records = listing.wholeVault.filter { StoreLocation(relativePath: $0)?.recordID != nil }
    if !records.isSubset(of: written), let before = try? VaultHeader(parsing: kept),
      HeaderComparison(from: before, to: header).hasOtherRoot
    {
      self = .wholeVault
      return
    }
    let named = Set(header.slots.map { StoreLocation.slot($0.id).relativePath })
    files.formUnion(slots.filter { named.contains($0) || listing.deleted.contains($0) })
    self = .files(own == kept ? files : files.union([place.relativePath]))
  }

  /// Attachments that written records name and git does not have.
  private static func attachments(namedBy written: Set<String>, _ listing: GitListing, _ folder: String) -> Set<String>
  {
    let waiting = listing.untracked.subtracting(written).filter { $0.hasPrefix("attachments/") }
    guard !waiting.isEmpty else { return [] }
    let named = written.filter { StoreLocation(relativePath: $0)?.recordID != nil }.flatMap { path in
      let bytes = try? TextInput.file(System.join(folder, path), limit: GitObjects.fileByteLimit)
      return bytes.flatMap { StoredVersion($0).record?.attachmentIDs } ?? []
    }
    return waiting.intersection(named.map { StoreLocation.attachment($0).relativePath })
  }
}
