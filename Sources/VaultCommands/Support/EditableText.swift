import Synchronization
import VaultDocument

/// A text in a file of its own while an editor has it; it is taken away only when it is no longer needed.
struct EditableText {
  let path: String
  private let directory: String

  /// Writes the text to a new file (0600) in a new directory (0700) in memory-backed storage.
  ///
  /// - Parameter permitDisk: asked where there is no such storage; throws to refuse.
  init(_ text: [UInt8], name: String, permitDisk: () throws -> Void) throws {
    let parent = try Self.place(permitDisk)
    // A signal waits for the lock: it finds no text, or one that it can name.
    (directory, path) = try Pending.shared.withLock { pending in
      let directory = try System.makeTemporaryDirectory(in: parent)
      let path = directory + "/" + name
      do {
        try OpenFile.creating(path).write(text)
      } catch {
        System.removeDirectory(directory)
        throw error
      }
      pending.editedText = EditedText(directory: directory, path: path, original: text)
      return (directory, path)
    }
  }

  private static func place(_ permitDisk: () throws -> Void) throws -> String {
    let candidates = [System.environment("XDG_RUNTIME_DIR"), "/dev/shm"].compactMap { $0 }
    if let place = candidates.first(where: { $0.hasPrefix("/") && System.isMemoryBacked($0) }) { return place }
    try permitDisk()
    return System.environment("TMPDIR") ?? "/tmp"
  }

  /// Lets the user's editor work on the file.
  func edit() throws {
    let editor = ["CVAULT_EDITOR", "VISUAL", "EDITOR"].compactMap(System.environment).first ?? "vi"
    Pending.shared.withLock { $0.leavesInterruptsToChild = true }
    defer { Pending.shared.withLock { $0.leavesInterruptsToChild = false } }
    // The variable may hold arguments, as everywhere; the path is passed on, not pasted in.
    let status = try System.runShell(editor + " \"$1\"", arguments: [path])
    guard status == 0 else {
      throw CommandError(.failed, "editor_failed", subject: "editor", "ended with \(status)")
        .hinting("CVAULT_EDITOR, VISUAL or EDITOR name the editor")
    }
  }

  /// The text as the editor has left it.
  func bytes() throws -> [UInt8] { try TextInput.file(path, limit: JSONLimits.record.byteCount) }

  /// Takes the file away, and whatever the editor left beside it.
  func discard() {
    System.removeDirectory(directory)
    Pending.shared.withLock { $0.editedText = nil }
  }
}

/// A text with its editor, as it is found when the process has to end.
struct EditedText: Sendable {
  let directory: String
  let path: String
  let original: [UInt8]

  /// Whether nothing was saved, and the editor has nothing of its own beside it, such as a recovery file.
  var isUntouched: Bool {
    System.names(in: directory).count == 1
      && (try? TextInput.file(path, limit: JSONLimits.record.byteCount)) == original
  }
}
