import Synchronization
import VaultDocument
import VaultSystem
import VaultTerminal

/// A text file that an editor works on. The file is removed only when it is no longer needed.
struct EditableText {
  let path: String
  private let folder: MemoryFolder
  private var directory: String { folder.path }

  /// Writes the text to a new file (0600) in a new directory (0700) in memory-backed storage.
  ///
  /// If there is no such storage, the user is asked first.
  ///
  /// - Parameter source: the record of the text; nil for a new text.
  init(_ text: [UInt8], of source: TextSource?, name: String, _ global: GlobalOptions) throws {
    folder = try MemoryFolder.make(in: Self.place(global), named: KeptText.beginning) { pending, directory in
      // Unsafe because padding could be read; bytes have no padding.
      try unsafe OutputFile.create(directory + "/" + name, text.span.bytes, isSynced: false)
      try KeptText.note(source, of: text, in: directory)
      pending.editedText = EditedText(
        directory: directory, path: directory + "/" + name, original: text, resuming: source?.command)
    }
    path = folder.path + "/" + name
  }

  /// Continues with a text that an earlier command left.
  init(resuming kept: KeptText) {
    (folder, path) = (kept.folder, kept.path)
    // A kept text counts as changed.
    let text = EditedText(directory: folder.path, path: path, original: nil, resuming: kept.source?.command)
    ExitCleanup.shared.withLock { $0.editedText = text }
  }

  private static func place(_ global: GlobalOptions) throws -> String {
    if let place = System.memoryBackedFolder { return place }
    try global.confirm("There is no memory-backed storage. Write the opened text to the disk while you edit it?")
    return ProcessEnvironment.temporaryDirectory
  }

  func edit(with editor: Editor) throws {
    guard let terminal = NamedFile.terminal() else { throw Self.noTerminal }
    let status = try System.leavingInterrupts {
      try editor.run(path, folder: directory, terminal: terminal.descriptor)
    }
    guard status == 0 else {
      throw CommandError(.failed, "editor_failed", subject: "editor", "the editor ended with exit status \(status)")
        .hinting("choose an editor with CVAULT_EDITOR, VISUAL or EDITOR")
    }
  }

  static var noTerminal: CommandError {
    CommandError(
      .declined, "declined", subject: "edit", "there is no terminal for the editor",
      hints: ["in a script, change fields with `vault set`"])
  }

  func bytes() throws -> [UInt8] {
    func refused(_ reason: String) -> CommandError {
      CommandError(.inputOutput, "io_failed", subject: path, reason, hints: ["the record was not changed"])
    }
    guard System.isThere(path) else { throw refused("is missing: the editor left no text") }
    guard let file = try NamedFile.plain(path) else {
      throw refused("is not a plain file any more, so it was not read")
    }
    return try TextInput.bytes(of: file, limit: JSONLimits.record.byteCount)
  }

  /// Removes the file, and the files that the editor left beside it.
  func discard() {
    System.removeDirectory(directory)
    ExitCleanup.shared.withLock { $0.editedText = nil }
  }

  /// Removes an unchanged text. Otherwise adds to the error where the text is kept.
  func given(up error: any Error) -> any Error {
    let kept = ExitCleanup.shared.withLock { pending in
      let kept = pending.editedText?.keptOrDiscarded()
      if kept == nil { pending.editedText = nil }
      return kept
    }
    guard let kept else { return error }
    return CommandError(any: error).hinting(kept)
  }
}
