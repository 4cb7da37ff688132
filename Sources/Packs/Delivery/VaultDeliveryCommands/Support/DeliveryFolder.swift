import VaultCrypto
import VaultTerminal

/// Files in memory for one program, in a folder that is removed when the program has ended.
///
/// What a killed process has left is removed by the next.
final class DeliveryFolder {
  private static let beginning = "cvault-run-"
  private let folder: MemoryFolder

  static func make() throws -> DeliveryFolder {
    guard let parent = System.memoryBackedFolder else {
      throw CommandError(
        .inputRefused, "input_refused", subject: "--file", "needs a folder in memory, and there is none",
        hints: ["set XDG_RUNTIME_DIR to a folder on a tmpfs", "--fd gives a file in memory without a name"])
    }
    sweep(parent)
    return DeliveryFolder(try .make(in: parent, named: beginning) { pending, path in pending.folder = path })
  }

  /// Removes what killed processes have left.
  static func sweep(_ parent: String? = System.memoryBackedFolder) {
    guard let parent else { return }
    for left in MemoryFolder.left(in: parent, named: beginning) { System.removeDirectory(left.path) }
  }

  private init(_ folder: MemoryFolder) { self.folder = folder }

  /// Adds a file that its owner may read.
  ///
  /// - Returns: its path.
  func add(_ name: String, _ value: SecretBytes) throws -> String {
    let file = folder.path + "/" + name
    try value.withBytes { try OutputFile.create(file, $0, isSynced: false) }
    try System.forbidWriting(file)
    return file
  }

  deinit { remove() }

  func remove() {
    System.removeDirectory(folder.path)
    ExitCleanup.shared.withLock { $0.folder = nil }
  }
}
