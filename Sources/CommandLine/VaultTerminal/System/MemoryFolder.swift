import VaultSystem

/// A folder of this process for opened files, in memory if possible.
///
/// A lock on the folder shows that its process is alive. A folder without a lock belonged to a killed process.
package final class MemoryFolder {
  package let path: String
  // The open folder holds its lock.
  private let folder: OpenFile

  /// A new folder, 0700, which is locked as long as the result exists. The caller removes the folder.
  ///
  /// - Parameter remember: tells a signal handler about the folder.
  package static func make(
    in parent: String, named beginning: String, _ remember: (inout ExitCleanup, String) throws -> Void
  ) throws -> MemoryFolder {
    while true {
      // A signal waits for the lock. So it finds either no folder or one that it can remove.
      let path = try ExitCleanup.shared.withLock { pending in
        let path = try System.makeTemporaryDirectory(in: parent, named: beginning)
        do {
          try remember(&pending, path)
        } catch {
          System.removeDirectory(path)
          throw error
        }
        return path
      }
      // Another process may remove the folder before it is locked.
      if let folder = try MemoryFolder(locking: path) { return folder }
    }
  }

  /// Takes over an abandoned folder; nil if a process has it, or if it is gone.
  init?(locking path: String) throws {
    self.path = path
    do throws(SystemError) {
      folder = try System.files.open(path, in: System.here, as: .vaultDirectory, at: path)
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
    guard Self.lock(folder), System.isThere(path) else { return nil }
  }

  private static func lock(_ folder: borrowing OpenFile) -> Bool {
    let descriptor = folder.descriptor
    let isLocked = try? System.files.call(at: "") { (system) throws(Errno) in
      try system.tryLock(descriptor, isShared: false)
    }
    return isLocked == true
  }

  /// The abandoned folders of this user. Each is locked as long as it is kept.
  package static func left(in parent: String, named beginning: String) -> [MemoryFolder] {
    System.names(in: parent).filter { $0.hasPrefix(beginning) }.compactMap { name in
      let path = "\(parent)/\(name)"
      guard System.isOwnFolder(path) else { return nil }
      return try? MemoryFolder(locking: path)
    }
  }
}
