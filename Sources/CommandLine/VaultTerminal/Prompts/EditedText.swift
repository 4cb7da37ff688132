import VaultDocument
import VaultSystem

/// A text in an editor, for the moment when the process must end.
package struct EditedText: Sendable {
  package static let noteName = ".source.json"

  package let directory: String
  package let path: String
  /// The original text; nil if it was changed before.
  package let original: [UInt8]?
  /// The command that continues with the text; nil for no command.
  package let resuming: String?

  package init(directory: String, path: String, original: [UInt8]?, resuming: String?) {
    (self.directory, self.path, self.original, self.resuming) = (directory, path, original, resuming)
  }

  private enum State {
    /// Nothing was saved, and the editor left no file such as a recovery file.
    case untouched
    case changed
    case gone
    /// The file is not a plain file, or there is another file.
    case elsewhere
  }

  /// The place of the kept text; nil if there is nothing to keep. Then the directory is removed.
  package func keptOrDiscarded() -> String? {
    switch state {
    case .changed:
      return "your text is kept in \(path): "
        + (resuming.map { "`\($0)` continues with it" } ?? "remove it when you are done")
    case .elsewhere: return "the files of the editor are kept in \(directory): remove them when you are done"
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
