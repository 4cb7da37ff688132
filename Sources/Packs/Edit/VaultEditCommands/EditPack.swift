package import VaultCLI
import VaultDocument
import VaultKit
import VaultTerminal

extension Pack {
  /// Records and secrets in the user's editor.
  package static let edit = Pack(commands: ["edit": { EditCommand.self }]) { $0.editing = Editing() }
}

/// The part of the pack in other commands.
private struct Editing: TextEditing {
  func write(_ global: GlobalOptions, until isDone: ([UInt8]) throws -> Bool) throws {
    let text = try EditableText([], of: nil, name: "field.txt", global)
    do {
      let editor = Editor.chosen(global.messages)
      repeat { try text.edit(with: editor) } while try !isDone(text.bytes())
      text.discard()
    } catch {
      throw text.given(up: error)
    }
  }

  func left(of vault: VaultID) -> [LeftText] {
    KeptText.left().filter { $0.source.map { $0.vault == vault.text } ?? true }
      .map { LeftText(folder: $0.folder.path, path: $0.path, command: $0.source?.command) }
  }
}
