import ArgumentParser
import VaultCLI
import VaultCrypto
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultSystem
import VaultTerminal

struct EditCommand: AsyncParsableCommand, OneRecordNaming {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Change a record, or one field, in an editor.",
    discussion: """
      The editor is CVAULT_EDITOR, VISUAL, EDITOR or vi, in this order. It gets the opened text in memory-backed \
      storage ($XDG_RUNTIME_DIR or /dev/shm). Vim, Neovim, nano, Emacs and micro are told to keep no history, swap, \
      undo or backup files; a note warns of any other editor.

      A text that cannot be stored is kept in that storage, and --resume continues with it. `vault check` lists such \
      texts. The command needs a terminal. A sealed value that is replaced or removed stays as a former value, as with \
      `vault set`.

      Example:
        vault edit "Shai Mishali" --field address.street
      """)

  @Argument(help: "An id, the beginning of an id, or a name in upper or lower case.")
  var record: String

  @Option(help: ArgumentHelp("Only this field, as plain text.", valueName: "path"))
  var field: String?

  @Flag(help: "Continue with a text that could not be stored.")
  var resume = false

  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    let field = try field.map { text in try MemberPath.argument(text, of: "--field") }
    let argument = try FieldArgument(record, self.field)
    if field == nil { _ = try global.revealing("edit", of: RevealedPlace(record: record)) }
    guard global.canAsk else { throw EditableText.noTerminal }
    let session = try Session(vault, global)
    if field != nil { try await session.checkRevealing(argument, view: nil, "edit") }
    let opened = try await session.unlock(unlocking, to: .writing, for: [record])
    let found = try await session.record(record, in: opened)
    let place = field.map(found.place)
    let permission = try await CommandError.naming(membersOf: found) {
      try place.map { try found.revealing($0, "edit", global) } ?? global.revealing("edit")
    }
    let draft = try RecordDraft(found, field: place, by: permission)
    let source = TextSource(
      vault: session.locked.header.vaultID.text, record: found.id.text, field: place?.description,
      revision: found.envelope.revision)
    let text = try text(of: source, draft, found.name)
    do {
      let effect = try await edited(text) {
        let edits = try draft.edits(to: text.bytes())
        guard !edits.isEmpty else { return nil }
        return try await CommandError.naming(found.kind) { try await opened.editing(found.id, edits, expecting: found) }
      }
      text.discard()
      try global.report(hasChanged: effect?.hasChanged ?? false, found.id)
      if let effect { global.report(effect, of: found) }
    } catch {
      throw text.given(up: error)
    }
  }

  /// The text that an earlier edit of this field left. `--resume` waits two seconds for a command such as `check` that
  /// has just locked the text.
  private func kept(of source: TextSource) -> KeptText? {
    for attempt in 0..<(resume ? 40 : 1) {
      if attempt > 0 { _ = LocalSocket.wait(for: [], milliseconds: 50) }
      let all = KeptText.left()
      // Nothing was typed in them.
      for text in all where text.isUntouched { text.discard() }
      if let kept = all.last(where: { !$0.isUntouched && $0.source?.isOfSamePlace(as: source) == true }) { return kept }
    }
    return nil
  }

  /// The text to edit: from the record, or from an earlier edit.
  private func text(of source: TextSource, _ draft: RecordDraft, _ name: String) throws -> EditableText {
    let kept = kept(of: source)
    guard resume else {
      if let kept {
        global.messages.note("the text of an earlier edit is kept in \(kept.path): --resume continues with it")
      }
      return try EditableText(
        draft.text, of: source, name: field == nil ? "record.json" : "field.txt", global)
    }
    guard let kept else {
      throw CommandError(
        .notFound, "no_kept_text", subject: name, "no text of an earlier edit is kept",
        hints: ["`vault edit` opens the stored record"])
    }
    guard kept.source?.revision == source.revision else {
      throw CommandError(
        .changedUnderneath, "changed_underneath", subject: name,
        "was changed after the text in \(kept.path) was opened",
        hints: [
          "copy what is missing from that file by hand, with `vault edit`",
          "`rm -r \(kept.folder.path.shellQuoted)` deletes the text",
        ])
    }
    return EditableText(resuming: kept)
  }

  /// Edits until the text is accepted and stored, or the user gives up. Nil if the text is as it was.
  private func edited(_ text: EditableText, _ store: () async throws -> EditEffect?) async throws -> EditEffect? {
    let editor = Editor.chosen(global.messages)
    while true {
      try text.edit(with: editor)
      do {
        return try await store()
      } catch {
        let error = CommandError(any: error)
        guard error.status == .inputRefused, let terminal = Terminal(noInput: global.noInput) else { throw error }
        global.messages.report(error)
        guard try terminal.confirms("Edit again?", unlessDenied: true) else { throw error }
      }
    }
  }
}

struct RecordDraft {
  private let record: OpenRecord
  private let field: MemberPath?
  private let original: JSONValue
  let text: [UInt8]

  init(_ record: OpenRecord, field: MemberPath?, by _: Revealing) throws {
    self.record = record
    self.field = field
    guard let field else {
      original = .object(try record.revealed())
      text = try original.prettyBytes(limits: .exchange)
      return
    }
    if let bytes = try record.bytes(at: field) {
      (original, text) = (try record.revealed(at: field), bytes.withBytes { $0.copiedBytes() })
      guard String(validating: text, as: UTF8.self) != nil else {
        throw CommandError.usage(
          "--field", "\(field) has bytes that are not text", "run `vault set RECORD --secret-file \(field)=FILE`")
      }
      return
    }
    original = try record.revealed(at: field)
    guard case .string(let value) = original else {
      throw CommandError.usage("--field", "\(field) is not text", "edit the whole record, without --field")
    }
    text = Array((value + "\n").utf8)
  }

  func edits(to bytes: [UInt8]) throws -> [FieldEdit] {
    guard bytes != text else { return [] }
    guard let field else {
      return try edits(
        from: original, to: .object(JSONObject.parsed(bytes, file: "record.json", limits: .exchange)), at: .root)
    }
    if record.kind?.value(at: field)?.isBytes == true {
      return try edits(from: original, to: .string(Base64.encode(bytes)), at: field)
    }
    guard var value = String(validating: bytes, as: UTF8.self) else {
      throw refused(field, "is not UTF-8 text")
    }
    // Editors end the last line. A value that ends in a newline must be edited with the whole record.
    if value.hasSuffix("\n") { value.removeLast() }
    return try edits(from: original, to: .string(value), at: field)
  }

  private func edits(from old: JSONValue?, to new: JSONValue, at path: MemberPath) throws -> [FieldEdit] {
    if old == new { return [] }
    // A sealed field is one value, whatever its structure.
    if isSealed(path) { return [try edit(to: new, at: path)] }
    switch (old, new) {
    case (let old, .object(let members)) where old?.object != nil || (old == nil && !members.isEmpty):
      let before = old?.object ?? JSONObject()
      let gone = before.filter { members[$0.name] == nil }.map { FieldEdit.unset(path.appending($0.name)) }
      return try gone
        + members.flatMap { name, value in
          try edits(from: before[name], to: value, at: path.appending(name))
        }
    case (.array(let before)?, .array(let items)) where before.count == items.count:
      return try zip(before, items).enumerated().flatMap { index, pair in
        try edits(from: pair.0, to: pair.1, at: path.appending(index))
      }
    default: return [try edit(to: new, at: path)]
    }
  }

  private func edit(to value: JSONValue, at path: MemberPath) throws -> FieldEdit {
    guard isSealed(path) else {
      // The kind tells which new values are sealed. Without a kind this is unknown.
      guard record.kind != nil || !holdsTokens(path) else {
        throw refused(path, "has sealed values: change them one by one, or keep the length of the array")
      }
      return .set(path, to: value)
    }
    if record.kind?.value(at: path)?.isText == false { return .seal(path, try SecretBytes(utf8: value.compactText())) }
    guard case .string(let text) = value else { throw refused(path, "must be text") }
    return .seal(path, try SecretBytes(utf8: text))
  }

  /// Whether the kind seals the field. For an unknown kind, whether the record has a sealed value there.
  private func isSealed(_ path: MemberPath) -> Bool {
    if let kind = record.kind { return kind.value(at: path)?.isSealed ?? false }
    return (try? record.value(at: path))?.string.map(SealedToken.hasTokenShape) ?? false
  }

  private func holdsTokens(_ path: MemberPath) -> Bool {
    guard let value = try? record.value(at: path) else { return false }
    return value.leaves().contains { $0.1.string.map(SealedToken.hasTokenShape) ?? false }
  }

  private func refused(_ path: MemberPath, _ reason: String) -> CommandError {
    var error = CommandError(
      .inputRefused, "input_refused", subject: path.description, reason, hints: ["nothing was changed"])
    error.field = path.description
    return error
  }
}

extension EditCommand: PlaceCompleting {
  static func candidates(for argument: String, _ place: some CompletionPlace) async -> CompletionResult? {
    guard argument == "path" else { return nil }
    let fields = await place.fields(ofAnyKind: place.positions.isEmpty)
    return .words(place.fitting(fields.map(\.path.description)))
  }
}
