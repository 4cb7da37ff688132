import VaultCrypto
import VaultTerminal

/// Files in memory for one program. Their folder is removed when the program ends.
///
/// If the process is killed, the next process removes its folder.
final class DeliveryFolder {
  private static let beginning = "cvault-run-"
  private let folder: MemoryFolder

  static func make() throws -> DeliveryFolder {
    guard let parent = System.memoryBackedFolder else {
      throw CommandError(
        .inputRefused, "input_refused", subject: "--file", "needs a folder in memory, but there is no such folder",
        hints: [
          "set XDG_RUNTIME_DIR to a folder on a tmpfs", "or use --fd, which gives a file in memory without a name",
        ])
    }
    sweep(parent)
    return DeliveryFolder(try .make(in: parent, named: beginning) { pending, path in pending.folder = path })
  }

  static func sweep(_ parent: String? = System.memoryBackedFolder) {
    guard let parent else { return }
    for left in MemoryFolder.left(in: parent, named: beginning) { System.removeDirectory(left.path) }
  }

  private init(_ folder: MemoryFolder) { self.folder = folder }

  /// Adds a file that only its owner can read, and returns its path.
  func add(_ name: String, _ value: SecretBytes) throws -> String {
    let file = folder.path + "/" + name
    try value.withBytes { try OutputFile.create(file, $0, isSynced: false) }
    try System.setMode(0o400, of: file)
    return file
  }

  deinit { remove() }

  func remove() {
    System.removeDirectory(folder.path)
    ExitCleanup.shared.withLock { $0.folder = nil }
  }
}
