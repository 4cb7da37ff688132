import VaultCrypto
import VaultDocument
import VaultKit
import VaultSystem
package import VaultTerminal

/// Which record a text is of that an editor has.
package struct TextSource: Equatable {
  /// The id of the vault.
  package let vault: String
  /// The id of the record.
  package let record: String
  /// The field; nil for the whole record.
  package let field: String?
  /// The revision of the record that the text was opened from.
  package let revision: Int

  package init(vault: String, record: String, field: String?, revision: Int) {
    (self.vault, self.record, self.field, self.revision) = (vault, record, field, revision)
  }

  /// Whether both are texts of the same field of the same record.
  package func isOfSamePlace(as other: TextSource) -> Bool {
    vault == other.vault && record == other.record && field == other.field
  }

  /// The command that goes on with the text.
  package var command: String {
    "vault edit \(record.prefix(8))\(field.map { " --field " + $0.shellQuoted } ?? "") --resume"
  }
}

/// A text that an editor had when its command was killed or given up, in memory beside a note of where it belongs.
package struct KeptText {
  static let beginning = "vault-edit-"

  /// Held, so that no other command takes the text up meanwhile.
  package let folder: MemoryFolder
  package let path: String
  /// Nil for a text that no record had.
  package let source: TextSource?
  /// Whether the text is as the editor was given it.
  package let isUntouched: Bool

  /// Notes where a text belongs.
  static func note(_ source: TextSource?, of text: [UInt8], in directory: String) throws {
    let note = JSONValue.members([
      "field": source?.field, "record": source?.record, "revision": source?.revision, "sha256": try hash(of: text),
      "vault": source?.vault,
    ])
    let bytes = try note.prettyBytes()
    // Unsafe only in that padding could be read: bytes have none.
    try unsafe OutputFile.create(directory + "/" + EditedText.noteName, bytes.span.bytes, isSynced: false)
  }

  /// The texts of this user that other commands have left, the latest last.
  package static func left() -> [KeptText] {
    var places: [String] = []
    for place in System.foldersForTexts where !places.contains(place) { places.append(place) }
    return places.flatMap { MemoryFolder.left(in: $0, named: beginning) }.compactMap(KeptText.init)
      .sorted { $0.modified < $1.modified }
  }

  /// Nil if the folder has no text and no note, as something else.
  private init?(_ folder: MemoryFolder) {
    let names = System.names(in: folder.path)
    guard names.contains(EditedText.noteName), let note = Self.bytes(folder.path + "/" + EditedText.noteName),
      let members = try? JSONParser.parse(note).object
    else { return nil }
    self.folder = folder
    path = folder.path + "/" + (names.first { Self.isText($0) } ?? "")
    source = TextSource(members)
    let text = Self.bytes(path)
    let isAlone = names.count == 2
    isUntouched = isAlone && text != nil && text.flatMap { try? Self.hash(of: $0) } == members["sha256"]?.string
  }

  private static func isText(_ name: String) -> Bool { ["record.json", "field.txt"].contains(name) }

  private static func bytes(_ path: String) -> [UInt8]? {
    guard let file = try? NamedFile.plain(path) else { return nil }
    return try? TextInput.bytes(of: file, limit: JSONLimits.record.byteCount)
  }

  private static func hash(of text: [UInt8]) throws -> String {
    // Unsafe only in that padding could be read: bytes have none.
    Hex.encode(try unsafe SHA256.hash(text.span.bytes))
  }

  private var modified: Int64 { System.status(of: path)?.modified ?? 0 }

  /// Takes the text away.
  package func discard() { System.removeDirectory(folder.path) }
}

extension TextSource {
  fileprivate init?(_ note: JSONObject) {
    guard let vault = note["vault"]?.string, let record = note["record"]?.string,
      let revision = note["revision"]?.int
    else { return nil }
    self.init(vault: vault, record: record, field: note["field"]?.string, revision: revision)
  }
}
