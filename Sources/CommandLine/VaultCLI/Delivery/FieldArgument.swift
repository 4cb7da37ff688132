package import VaultDocument
package import VaultKit
import VaultRecords
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

extension OpenRecord {
  /// The permission to reveal the value at a path. A value that was never sealed needs none.
  ///
  /// - Parameters:
  ///   - path: nil for a view of the whole record.
  ///   - use: the command, or its option.
  package func revealing(
    _ path: MemberPath?, view: SecretReference.View? = nil, _ use: String, _ global: GlobalOptions
  ) throws -> Revealing {
    if view == nil, let path, kind?.value(at: path)?.isSealed != true,
      let permission = Revealing(neverSealed: try value(at: path))
    {
      return permission
    }
    return try global.revealing(use, of: RevealedPlace(record: shownName, path: path, view: view))
  }
}

extension Session {
  /// Refuses to reveal a sealed value before a key is asked for. The record is not verified yet, so the command asks
  /// for the permission again when it has the verified record.
  package func checkRevealing(
    _ field: FieldArgument, view: SecretReference.View?, _ use: String
  ) async throws {
    guard global.revealBan != nil else { return }
    let found = try? await locked.record(resolve(field.word))
    let named = field.path.map { found?.kind?.inputPath($0) ?? $0 }
    let place = RevealedPlace(record: found?.name ?? field.word, path: named, view: view)
    guard view == nil, let path = field.path else {
      _ = try global.revealing(use, of: place)
      return
    }
    guard let found else { return }
    let fields = JSONValue.object(found.fields)
    let paths = [path, named ?? path]
    let isReadable = paths.allSatisfy { path in
      found.kind?.value(at: path)?.isSealed != true
        && (try? fields.value(at: path)).map { Revealing(neverSealed: $0) != nil } ?? true
    }
    if !isReadable { _ = try global.revealing(use, of: place) }
  }
}
