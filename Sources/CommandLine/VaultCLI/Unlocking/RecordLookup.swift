package import VaultDocument
package import VaultKit
import VaultRecords
package import VaultTerminal

/// The records that the user has chosen in this run, by typed word. No question is asked twice.
final class ChosenRecords {
  fileprivate var records: [String: RecordSummary] = [:]
}

extension Session {
  /// The record that a word names, without a key.
  package func resolve(_ text: String) async throws -> RecordID { try await resolve(text, in: locked) }

  /// As `resolve`, for a record whose file may have been edited in place. An index does not notice such edits.
  package func resolveEdited(_ text: String) async throws -> RecordID { try await resolve(text, in: locked.using(nil)) }

  /// Resolves a word without verifying the record. A choice at the terminal counts for the rest of the run.
  private func resolve(_ text: String, in vault: LockedVault) async throws -> RecordID {
    if let record = chosen.records[text] { return record.id }
    do throws(VaultError) {
      return try await vault.resolve(text)
    } catch {
      return try await choice(text, after: error, in: vault).id
    }
  }

  /// The verified record that a word names, or that the user at the terminal chooses.
  package func record(_ text: String, in vault: Vault) async throws -> OpenRecord {
    try await record(text, in: vault, prefersLive: false)
  }

  /// As `record`, for a record that will be removed.
  package func recordToRemove(_ text: String, in vault: Vault) async throws -> OpenRecord {
    try await record(text, in: vault, prefersLive: true)
  }

  /// The record is verified even if the user chose it earlier in this run.
  private func record(_ text: String, in vault: Vault, prefersLive: Bool) async throws -> OpenRecord {
    var row = chosen.records[text]
    if row == nil {
      do throws(VaultError) {
        return noting(try await prefersLive ? vault.recordToRemove(named: text) : vault.record(named: text))
      } catch {
        row = try await choice(text, after: error, in: vault.locked)
      }
    }
    guard let row else { preconditionFailure("a choice is a record or an error") }
    do throws(VaultError) {
      return noting(try await vault.record(of: row, prefersLive: prefersLive))
    } catch {
      throw CommandError(error).aboutRecord(text)
    }
  }

  /// Prints the notes about a record for its user.
  package func noting(_ record: OpenRecord) -> OpenRecord {
    if record.hasOlderInTrash { messages.note("an older revision of \(record.id.text) is also in the trash") }
    return record
  }
}

extension Session {
  private static let maximumChoiceCount = 20

  private var canChoose: Bool { takesParts && global.isAtTerminal }

  /// The record that the user chooses, if the word is not the exact name of a single record. Without a choice, the
  /// error is thrown with hints.
  private func choice(
    _ text: String, after error: VaultError, in vault: LockedVault
  ) async throws -> RecordSummary {
    var failure = CommandError(error).aboutRecord(text)
    guard error.subject == nil, !text.isEmpty, RecordID(parsing: text) == nil else { throw failure }
    let candidates: [RecordSummary]
    var names: [String] = []
    switch error.code {
    case .noSuchRecord:
      let guesses = try await vault.guesses(text)
      (candidates, names) = (guesses.parts, guesses.names)
      if let hint = Self.hint(of: guesses.faults) { failure.hints.append(hint) }
    case .ambiguousRecord: candidates = try await vault.records(named: text)
    default: throw failure
    }
    let record = try choice(of: text, from: candidates, after: failure.near(names))
    chosen.records[text] = record
    return record
  }

  /// A hint about unreadable files. A look-up by name skips files without the name, and damaged ones too.
  private static func hint(of faults: [VaultError]) -> String? {
    guard let file = faults.first?.file else { return nil }
    let files = faults.count == 1 ? "\(file) cannot be read" : "\(faults.count) files cannot be read, such as \(file)"
    return "\(files), so not every record was searched; `vault lint` shows what is wrong"
  }

  /// As in a look-up, among some records: the record with this name, or with this part of its name.
  package func choice(
    of text: String, among records: [RecordSummary], after failure: CommandError
  ) throws -> RecordSummary {
    guard !text.isEmpty, RecordID(parsing: text) == nil else { throw failure }
    let guesses = NameGuesses(of: text, among: records)
    return try choice(of: text, from: guesses.named.isEmpty ? guesses.parts : guesses.named, after: failure)
  }

  /// Takes a single candidate without a question. Throws `failure` if nobody can be asked, or if there are no
  /// candidates or too many.
  private func choice(
    of text: String, from candidates: [RecordSummary], after failure: CommandError
  ) throws -> RecordSummary {
    guard canChoose, (1...Self.maximumChoiceCount).contains(candidates.count) else { throw failure }
    let record = candidates.count == 1 ? candidates[0] : try picked(locked.toldApart(candidates), text)
    messages.note("\(record.label) (\(record.kind))")
    return record
  }

  /// Asks for a number. Enter alone, or a third invalid answer, declines.
  private func picked(_ candidates: [RecordSummary], _ text: String) throws -> RecordSummary {
    let declined = CommandError(
      .declined, "declined", subject: text, "none of \(candidates.count) records was chosen, so nothing was changed")
    guard let terminal = Terminal(noInput: global.noInput) else { throw declined }
    let list = RecordTable(fields: [.name, .kind, .who, .age, .id], order: .name, isWide: false, style: .plain)
    let rows = candidates.enumerated().map { (number: $0 + 1, row: RecordRow(summary: $1)) }
    let columns =
      [TableColumn<(number: Int, row: RecordRow)>(title: "", rank: 0) { "\($0.number)" }]
      + list.columns.map { $0.of(\.row) }
    try Table(rows, columns, width: System.screen.columns).lines(.plain) { line in try terminal.say(line) }
    for _ in 0..<3 {
      let answer = try terminal.answer("Which one? [1-\(candidates.count)] ")
      if answer.isEmpty { break }
      if let number = Int(answer), candidates.indices.contains(number - 1) { return candidates[number - 1] }
    }
    throw declined
  }
}

extension CommandError {
  /// The error with similar names before its other hints.
  package func near(_ names: [String]) -> CommandError {
    guard !names.isEmpty else { return self }
    var error = self
    error.hints.insert("similar names: " + names.map { "\"\($0)\"" }.joined(separator: ", "), at: 0)
    return error
  }
}

extension Session {
  /// The removed records that words name, each once.
  ///
  /// - Parameter takingParts: whether a user at the terminal may give a part of a name.
  package func resolveTrashed(_ words: [String], takingParts: Bool = false) throws -> [RecordID] {
    var ids: [RecordID] = []
    for text in words {
      let id = try resolveTrashed(text, takingParts)
      if !ids.contains(id) { ids.append(id) }
    }
    return ids
  }

  private func resolveTrashed(_ text: String, _ takesParts: Bool) throws -> RecordID {
    do throws(VaultError) {
      return try locked.resolveTrashed(text)
    } catch {
      guard error.subject == nil else { throw CommandError(error) }
      let failure = CommandError(error).about(text)
      guard takesParts, [.noSuchRecord, .ambiguousRecord].contains(error.code) else { throw failure }
      return try choice(of: text, among: locked.listedTrash().records.map(\.summary), after: failure).id
    }
  }
}

extension CommandError {
  /// The error for conditions that no record meets.
  package static func noMatch(of query: RecordQuery, in session: Session) -> CommandError {
    CommandError(
      .notFound, "nothing_found", subject: nil, "no record matches --where",
      hints: query.conditions.compactMap { session.hint(for: $0.path, query.kind) }
        + ["`vault list` shows the records; sealed fields cannot be searched"])
  }
}

extension Session {
  /// Refuses a member that is sealed in every kind that has it. No search can find its value, and a secret must not
  /// be an argument.
  package func checkReadable(_ path: MemberPath, _ kind: String?) throws {
    let values = kinds(named: kind).compactMap { $0.value(at: path) }
    guard !values.isEmpty, values.allSatisfy(\.isSealed) else { return }
    var error = CommandError.usage(
      "\(path)", "is sealed: a search cannot use it, and its value must not be an argument")
    error.field = path.description
    throw error
  }

  /// Refuses a path that neither a kind nor a record has, because a misspelt one would silently give nothing. In a run
  /// over several vaults, another vault may have it.
  package func checkFields(_ paths: [MemberPath], _ kind: String?) throws {
    let kinds = kinds(named: kind)
    var unknown = paths.filter { path in kinds.allSatisfy { $0.value(at: path) == nil } }
    guard !unknown.isEmpty, Messages.vault == nil else { return }
    // A record of an unknown kind, or of a newer schema, may have any field.
    try locked.forEachRecord { result in
      guard let record = try? result.get() else { return true }
      unknown.removeAll { JSONValue.object(record.fields).hasValue(at: $0) }
      return !unknown.isEmpty
    }
    guard let path = unknown.first else { return }
    var error = CommandError(
      .inputRefused, "input_refused", subject: path.description,
      "is not a field of \(kind.map { "the kind \($0)" } ?? "any kind or record")",
      hints: [hint(for: path, kind), "`vault kinds show KIND` lists the fields of the kind"].compactMap { $0 })
    error.field = path.description
    throw error
  }

  /// The readable field that may have been meant by one which no kind has.
  package func hint(for path: MemberPath, _ kind: String?) -> String? {
    let kinds = kinds(named: kind)
    guard kinds.allSatisfy({ $0.value(at: path) == nil }) else { return nil }
    let readable = kinds.flatMap { $0.fields.filter { !$0.value.isSealed }.map(\.path.description) }
    return Suggestion.hint(for: path.description, among: Array(Set(readable)).sorted())
  }

  /// One kind, or all.
  private func kinds(named name: String?) -> [RecordKind] {
    let catalog = locked.kinds
    return catalog.names.filter { known in name.map { $0.utf8.elementsEqual(known.utf8) } ?? true }
      .compactMap { catalog[$0] }
  }
}
