package import VaultDocument
package import VaultKit
package import VaultTerminal

/// RECORD and FIELD of the command line: two words, or a reference instead of both.
package struct FieldArgument {
  /// The word to look up the record by.
  package let word: String
  package let path: MemberPath?
  package let reference: SecretReference?
  package var view: SecretReference.View? { reference?.view }

  /// Parses the words without a vault. A word that begins like a reference is never taken for a name.
  package init(_ record: String, _ path: String?) throws {
    guard SecretReference.isMeant(by: record) else {
      (word, reference) = (record, nil)
      self.path = try path.map { text in try MemberPath.argument(text, of: "FIELD") }
      return
    }
    let reference = try SecretReference.argument(record, of: "RECORD")
    guard path == nil else {
      throw CommandError.usage(
        "FIELD", "cannot follow a reference, which already names the field", "leave FIELD out")
    }
    (word, self.reference) = (reference.record, reference)
    self.path = reference.path
  }

  /// The verified record. A reference names a record by id or full name, never by a part of the name.
  package func record(in session: Session, _ unlocking: UnlockOptions) async throws -> OpenRecord {
    var word = word
    if let reference { word = try await session.field(of: reference).record.id.text }
    let found = try await session.record(word, in: session.unlock(unlocking, for: [word]))
    try reference?.requireName(of: found)
    return found
  }
}

extension SecretReference {
  package static func argument(_ text: String, of option: String) throws -> SecretReference {
    do throws(ReferenceFault) {
      return try SecretReference(parsing: text)
    } catch {
      throw CommandError.usage(option, error.reason, "`vault ref RECORD FIELD` prints a reference")
    }
  }
}

extension Session {
  /// Resolves a reference without a key. Tells the user if the record no longer has the name in the reference.
  package func field(of reference: SecretReference) async throws -> ReferencedField {
    do throws(VaultError) {
      let field = try await locked.field(of: reference)
      if field.isMislabelled { messages.note("\(reference): the record is called \"\(field.record.name)\" now") }
      return field
    } catch {
      throw CommandError(error).about("\(reference)")
    }
  }
}
