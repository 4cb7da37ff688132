package import VaultDocument
package import VaultKit
import VaultRecords
package import VaultSealing
package import VaultTerminal

// Former values, as commands name them.

extension GlobalOptions {
  /// Says which sealed values a change has replaced or removed, and how to bring them back.
  package func report(_ effect: EditEffect, of record: OpenRecord) {
    let subject = record.shownName
    for (paths, action) in [(effect.replaced, "replaced"), (effect.removed, "removed")] where !paths.isEmpty {
      let fields = paths.map(\.description).joined(separator: ", ")
      guard effect.isKept else {
        messages.note("\(subject): \(fields) \(action); this vault keeps no former values")
        continue
      }
      let stays = paths.count == 1 ? "the former one stays" : "the former ones stay"
      let field = paths.count == 1 ? paths[0].description.shellQuoted : "FIELD"
      let way = "vault restore \(subject.shellQuoted) \(field) --former"
      messages.note("\(subject): \(fields) \(action); \(stays) (\(way))")
    }
  }
}

/// A former value in clear, in ordinary memory.
package struct FormerValue: Sendable {
  package let path: MemberPath
  /// As the record's members have it.
  package let value: JSONValue
  package let sealedAt: Timestamp
  /// When the present value of the field was sealed; nil if the field is gone.
  package let presentSealedAt: Timestamp?
}

extension OpenRecord {
  /// The former values of all fields, the newest of each field first.
  func formerValues(by _: Revealing) throws -> [FormerValue] {
    var values: [FormerValue] = []
    for path in pathsWithFormerSecrets {
      let present = (try? value(at: path))?.string.flatMap { try? SealedToken(parsing: $0) }?.sealedAt
      for secret in try formerSecrets(at: path) {
        let text = try secret.value.reveal()
        let isDocument = kind?.sealsJSON(at: path) == true
        let value = isDocument ? try? JSONParser.parse(Array(text.utf8)) : nil
        values.append(
          FormerValue(
            path: path, value: value ?? .string(text), sealedAt: secret.sealedAt, presentSealedAt: present))
      }
    }
    return values
  }
}

extension RecordView {
  /// The number and the age of the former values of each field.
  var formerLines: [(path: MemberPath, text: String)] {
    formerTokens.compactMap { path, tokens in
      guard let newest = tokens.first else { return nil }
      let present = (try? JSONValue.object(stored).value(at: path))?.string.flatMap { try? SealedToken(parsing: $0) }
      let count = counted(tokens.count, "former value")
      // A value that came back is older than the ones that it replaced; the time of that change is not known.
      guard let present, present.sealedAt >= newest.sealedAt else {
        return (path, "\(count), the last sealed \(newest.sealedAt.day)")
      }
      return (path, "\(count), the last replaced \(present.sealedAt.day)")
    }
  }

  /// The former values for `--json`: the sealing times by field, newest first.
  package var formerDocument: JSONValue {
    var members = JSONObject()
    for (path, tokens) in formerTokens {
      members[path.description] = .array(tokens.map { .members(["sealed_at": $0.sealedAt]) })
    }
    return .object(members)
  }

  /// The tokens of former values by field, the newest first.
  package var formerTokens: [(path: MemberPath, tokens: [SealedToken])] {
    envelope.former.fields { kind?.pathInCurrentSchema($0) ?? $0 }.map { path, values in
      (path, values.compactMap { try? SealedToken(parsing: $0.token) })
    }
  }
}
