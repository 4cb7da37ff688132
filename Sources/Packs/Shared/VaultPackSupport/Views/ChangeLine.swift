package import VaultDocument
package import VaultSealing
import VaultTerminal

package enum ChangeLine {
  /// `+ path: after`, `- path: before` or `path: before → after`; a nil value is missing.
  package static func text(_ path: some CustomStringConvertible, before: String?, after: String?) -> String {
    switch (before, after) {
    case (nil, let after): Printable.text("  + \(path): \(after ?? "")")
    case (let before, nil): Printable.text("  - \(path): \(before ?? "")")
    case (let before?, let after?): Printable.text("  \(path): \(before) → \(after)")
    }
  }
}

extension AttachmentChange: DocumentValue {
  /// Such as `+ attachment scan.pdf: 2 MiB`
  package var line: String { ChangeLine.text(place, before: beforeText, after: afterText) }

  /// The name in a line, which no field can have.
  package var place: String { "attachment \(name)" }

  package var beforeText: String? { before.map { ByteSize.text($0.byteCount) } }

  /// The size after, and whether the file was replaced under the same name.
  package var afterText: String? { after.map { ByteSize.text($0.byteCount) + (before == nil ? "" : ", replaced") } }

  package var document: JSONValue {
    .members(["after": after, "before": before, "name": name])
  }
}
