internal import VaultFileStore
package import VaultKit
package import VaultStorage
package import VaultTrust

// Other versions of a vault's files, which a service that syncs the folder has put beside them.

extension LockedVault {
  /// The conflict copies in the vault's folder; empty for a vault that is not in a folder.
  package func conflictCopies() throws(VaultError) -> [ConflictCopy] {
    try inStore { () throws(StoreError) in try (store as? DirectoryStore)?.conflictCopies() ?? [] }
  }

  /// The bytes of a conflict copy; nil if it is gone.
  package func read(_ copy: ConflictCopy) throws(VaultError) -> [UInt8]? {
    try inStore { () throws(StoreError) in try (store as? DirectoryStore)?.read(copy) ?? nil }
  }
}

extension Vault {
  /// Moves conflict copies out of the vault's folder into a new folder, and keeps them there. A copy that has changed
  /// since it was read stays.
  ///
  /// - Parameters:
  ///   - copies: each with the bytes that were read; nil for a copy that was not read.
  ///   - path: the new folder; a number is added if it exists. Missing folders above it are made.
  /// - Returns: the folder.
  package func moveAside(
    _ copies: [(copy: ConflictCopy, bytes: [UInt8]?)], to path: String
  ) async throws(VaultError) -> String? {
    guard let directory = store as? DirectoryStore else { return nil }
    return try await writing { lock throws(VaultError) in
      try inStore { () throws(StoreError) in
        let folder = try AsideFolder.made(at: path)
        for (copy, bytes) in copies {
          if let bytes, try directory.read(copy) != bytes { continue }
          try directory.setAside(copy, in: folder, under: lock)
        }
        return folder.path
      }
    }
  }
}

extension AsideFolder {
  fileprivate static func made(at path: String) throws(StoreError) -> AsideFolder {
    var number = 1
    while true {
      do throws(StoreError) {
        return try AsideFolder(creatingWithParentsAt: number == 1 ? path : "\(path)-\(number)")
      } catch {
        guard error.code == .alreadyExists, number < 1000 else { throw error }
        number += 1
      }
    }
  }
}
