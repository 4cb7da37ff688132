package import VaultDocument
package import VaultSealing
import VaultTerminal

/// One changed field as a line.
package enum ChangeLine {
  /// `+ path: after`, `- path: before` or `path: before → after`; nil for what is not there.
  package static func text(_ path: some CustomStringConvertible, before: String?, after: String?) -> String {
    switch (before, after) {
    case (nil, let after): Printable.text("  + \(path): \(after ?? "")")
    case (let before, nil): Printable.text("  - \(path): \(before ?? "")")
    case (let before?, let after?): Printable.text("  \(path): \(before) → \(after)")
    }
  }
}

extension AttachmentChange {
  /// `+ attachment scan.pdf: 2 MiB`
  package var line: String { ChangeLine.text(place, before: beforeText, after: afterText) }

  /// Where it stands: not a field, whatever fields are called.
  package var place: String { "attachment \(name)" }

  /// Its size.
  package var beforeText: String? { before.map { ByteSize.text($0.byteCount) } }

  /// Its size; of another writing under the name of one before that, too.
  package var afterText: String? { after.map { ByteSize.text($0.byteCount) + (before == nil ? "" : ", replaced") } }

  package var document: JSONValue {
    .members(["after": after?.document ?? .null, "before": before?.document ?? .null, "name": .string(name)])
  }
}
