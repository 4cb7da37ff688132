import VaultCrypto
import VaultSystem

/// Files in memory for one program, in a folder that is removed when the program has ended.
///
/// A lock on the folder tells that its process lives: what a killed one has left is removed by the next.
final class DeliveryFolder {
  private static let beginning = "cvault-run-"
  private let path: String
  // Its lock is held as long as it is open.
  private let folder: OpenFile

  /// - Throws: the refusal where nothing keeps files in memory.
  static func make() throws -> DeliveryFolder {
    guard let parent = System.memoryBackedFolder else {
      throw CommandError(
        .inputRefused, "input_refused", subject: "--file", "needs a folder in memory, and there is none",
        hints: ["set XDG_RUNTIME_DIR to a folder on a tmpfs", "--fd gives a file in memory without a name"])
    }
    sweep(parent)
    while true {
      // Another one may take it away before it is locked.
      if let folder = try DeliveryFolder(in: parent) { return folder }
    }
  }

  private init?(in parent: String) throws {
    // A signal waits for the lock: it finds no folder, or one that it can remove.
    path = try Pending.shared.withLock { pending in
      let path = try System.makeTemporaryDirectory(in: parent, named: Self.beginning)
      pending.folder = path
      return path
    }
    do throws(SystemError) {
      folder = try System.files.open(path, in: System.here, as: .vaultDirectory, at: path)
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
    guard Self.lock(folder), System.isThere(path) else { return nil }
  }

  /// Adds a file that its owner may read.
  ///
  /// - Returns: its path.
  func add(_ name: String, _ value: SecretBytes) throws -> String {
    let file = path + "/" + name
    try value.withBytes { try OutputFile.create(file, $0, isSynced: false) }
    try System.forbidWriting(file)
    return file
  }

  deinit { remove() }

  func remove() {
    System.removeDirectory(path)
    Pending.shared.withLock { $0.folder = nil }
  }

  private static func lock(_ folder: borrowing OpenFile) -> Bool {
    let descriptor = folder.descriptor
    let isLocked = try? System.files.call(at: "") { (system) throws(Errno) in
      try system.tryLock(descriptor, isShared: false)
    }
    return isLocked == true
  }

  private static func sweep(_ parent: String) {
    for name in System.names(in: parent) where name.hasPrefix(beginning) {
      let path = "\(parent)/\(name)"
      guard let folder = try? System.files.open(path, in: System.here, as: .vaultDirectory, at: path) else { continue }
      if lock(folder) { System.removeDirectory(path) }
    }
  }
}
