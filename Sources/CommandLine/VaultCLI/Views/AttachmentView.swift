package import VaultDocument
import VaultKit
package import VaultSealing
import VaultTerminal

extension RecordView {
  /// The attachments in the order of their names.
  package var attachments: [Attachment] {
    envelope.attachments.sorted { ($0.name, $0.id.text) < ($1.name, $1.id.text) }
  }
}

extension Attachment: DocumentValue {
  package var document: JSONValue {
    .members(["id": id, "name": name, "size": byteCount])
  }
}

extension [Attachment] {
  /// The attachment with this exact name, or with this id.
  package func named(_ word: String, of record: String) throws -> Attachment {
    let found = filter { $0.name.utf8.elementsEqual(word.utf8) }
    if found.count == 1 { return found[0] }
    if let attachment = first(where: { $0.id.text == word }) { return attachment }
    guard found.isEmpty else {
      throw CommandError(
        .notFound, "ambiguous_attachment", subject: word, "is the name of \(found.count) attachments of the record",
        hints: found.map { "\($0.id.text), \(ByteSize.text($0.byteCount))" })
    }
    throw CommandError(
      .notFound, "no_such_attachment", subject: word, "the record has no attachment of this name",
      hints: ["`vault attachments \(record.shellQuoted)` lists its attachments"])
  }
}
