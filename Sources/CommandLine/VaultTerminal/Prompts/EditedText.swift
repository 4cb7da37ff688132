import VaultDocument
import VaultSystem

/// A text with its editor, as it is found when the process has to end.
package struct EditedText: Sendable {
  /// The file with the note.
  package static let noteName = ".source.json"

  package let directory: String
  package let path: String
  /// The text that the editor was given; nil if it was changed before.
  package let original: [UInt8]?
  /// The command that goes on with the text; nil if none does.
  package let resuming: String?

  package init(directory: String, path: String, original: [UInt8]?, resuming: String?) {
    (self.directory, self.path, self.original, self.resuming) = (directory, path, original, resuming)
  }

  private enum State {
    /// Nothing was saved, and the editor has nothing of its own beside it, such as a recovery file.
    case untouched
    case changed
    /// Nothing is there.
    case gone
    /// What is there is no plain file, or something else is.
    case elsewhere
  }

  /// Where somebody finds what was edited; nil where there is nothing to keep, and the directory is removed then.
  package func keptOrDiscarded() -> String? {
    switch state {
    case .changed:
      return "your text is kept in \(path): "
        + (resuming.map { "`\($0)` goes on with it" } ?? "remove it when you are done")
    case .elsewhere: return "what the editor left is kept in \(directory): remove it when you are done"
    case .gone, .untouched:
      System.removeDirectory(directory)
      return nil
    }
  }

  private var state: State {
    let names = System.names(in: directory).filter { $0 != Self.noteName }
    if names.isEmpty { return .gone }
    guard let file = try? NamedFile.plain(path) else { return .elsewhere }
    let bytes = try? TextInput.bytes(of: file, limit: JSONLimits.record.byteCount)
    return bytes != original ? .changed : names.count == 1 ? .untouched : .elsewhere
  }
}
