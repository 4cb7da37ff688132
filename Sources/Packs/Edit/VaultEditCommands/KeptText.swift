import VaultCrypto
import VaultDocument
import VaultKit
import VaultSystem
import VaultTerminal

/// The record of a text that an editor works on.
struct TextSource: Equatable {
  let vault: String
  let record: String
  /// The field; nil for the whole record.
  let field: String?
  /// The revision of the record when the text was opened.
  let revision: Int

  init(vault: String, record: String, field: String?, revision: Int) {
    (self.vault, self.record, self.field, self.revision) = (vault, record, field, revision)
  }

  /// Whether both texts belong to the same field of the same record.
  func isOfSamePlace(as other: TextSource) -> Bool {
    vault == other.vault && record == other.record && field == other.field
  }

  var command: String {
    "vault edit \(record.prefix(8))\(field.map { " --field " + $0.shellQuoted } ?? "") --resume"
  }
}

/// A text of a command that was killed or given up. It is in memory, with a note about its record.
struct KeptText {
  static let beginning = "vault-edit-"

  /// The folder is locked, so that no other command takes the text meanwhile.
  let folder: MemoryFolder
  let path: String
  /// Nil for a text without a record.
  let source: TextSource?
  let isUntouched: Bool

  static func note(_ source: TextSource?, of text: [UInt8], in directory: String) throws {
    let note = JSONValue.members([
      "field": source?.field, "record": source?.record, "revision": source?.revision, "sha256": try hash(of: text),
      "vault": source?.vault,
    ])
    let bytes = try note.prettyBytes()
    // Unsafe because padding could be read; bytes have no padding.
    try unsafe OutputFile.create(directory + "/" + EditedText.noteName, bytes.span.bytes, isSynced: false)
  }

  /// The texts that other commands of this user left, the latest last.
  static func left() -> [KeptText] {
    var places: [String] = []
    for place in System.foldersForTexts where !places.contains(place) { places.append(place) }
    return places.flatMap { MemoryFolder.left(in: $0, named: beginning) }.compactMap(KeptText.init)
      .sorted { $0.modified < $1.modified }
  }

  /// Nil if the folder has no text and note.
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
    // Unsafe because padding could be read; bytes have no padding.
    Hex.encode(try unsafe SHA256.hash(text.span.bytes))
  }

  private var modified: Int64 { System.status(of: path)?.modified ?? 0 }

  func discard() { System.removeDirectory(folder.path) }
}

extension TextSource {
  fileprivate init?(_ note: JSONObject) {
    guard let vault = note["vault"]?.string, let record = note["record"]?.string,
      let revision = note["revision"]?.int
    else { return nil }
    self.init(vault: vault, record: record, field: note["field"]?.string, revision: revision)
  }
}
