import ArgumentParser
import VaultCLI
import VaultCrypto
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultTerminal

struct GetCommand: AsyncParsableCommand, OneRecordNaming {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Print one value of a record, and nothing else.",
    discussion: """
      The record is verified first, so the command always needs a key. A newline follows the value only at a \
      terminal. At a terminal, without a field, the command prints the main secret, as `vault copy` does. A reference \
      from `vault ref` can replace RECORD and FIELD. RECORD@REV is an earlier version, as with `vault show`. With \
      --former the command prints the value that the field had before, also if the field was removed.

      Bytes, such as the content of a `file`, are written unchanged. At a terminal, bytes that cannot be shown are \
      refused.

      Example:
        vault get "Shai Mishali" access_key --identity identity.txt
        vault get "Guest network" password --qr
        vault get GitHub password --former
        vault get passport.pdf content -o passport.pdf
        vault get "Shai Mishali" --attachment contract.pdf -o contract.pdf
      """)

  @Argument(help: "An id, the beginning of an id, or a name in upper or lower case.")
  var record: String

  @Argument(help: ArgumentHelp("A field, such as contact_info.email.", valueName: "field"))
  var path: String?

  @Flag(help: "Print the address of a database, with user and password.")
  var url = false

  @Flag(help: "Draw the value on the terminal as a QR code.")
  var qr = false

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write the exact value to a file, whole or not at all.", valueName: "file"))
  var output: String?

  @Option(help: ArgumentHelp("Write the attachment with this name or id.", valueName: "name"))
  var attachment: String?

  @OptionGroup var former: FormerOption
  @OptionGroup var revision: RevisionOptions
  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    if let attachment {
      return try await writeAttachment(
        attachment, by: global.revealing("get", "an attachment", way: "a person can write it with this command"))
    }
    let field = try FieldArgument(record, path)
    // A script with a missing word would get the wrong value.
    let takesMain =
      !url && path == nil && field.reference == nil && global.isAtTerminal && Output.isTerminal
    guard takesMain || (field.path == nil) == (url || field.view == .url) else {
      guard !url else { throw CommandError.usage("--url", "cannot be combined with a field", "give a field, or --url") }
      throw await withoutField()
    }
    let target = ExportTarget(output: output, recipients: [])
    try checkOutput()
    if qr { try Packs.codes().check(global, "leave out --qr to give the value to a program") }
    let session = try Session(vault, at: revision, global)
    try session.location.checkOutside(target.file)
    try target.checkGit(global)
    try target.checkReplacing(global)
    if former.number != nil {
      let permission = try global.revealing(
        "get", "a former value", of: RevealedPlace(record: field.word, path: field.path))
      let found = try await record(field, session)
      return try await writeFormer(of: found, at: field.path, to: target, by: permission)
    }
    let view = url ? .url : field.view
    try await session.checkRevealing(field, view: view, "get")
    let found = try await record(field, session)
    let path = try field.path.map(found.readingPlace) ?? (takesMain ? found.mainSecret() : nil)
    try await CommandError.naming(membersOf: found) {
      let permission = try found.revealing(path, view: view, "get", global)
      if target.file == nil, global.json { return try document(of: field, at: path, in: found, by: permission) }
      try await deliver(value(of: field, at: path, in: found), at: path, of: found, to: target, by: permission)
    }
  }

  /// Prints the value, or writes it to the file.
  private func deliver(
    _ value: SecretBytes, at path: MemberPath?, of found: OpenRecord, to target: ExportTarget, by permission: Revealing
  ) async throws {
    guard let file = target.file else { return try print(value, at: path, of: found, by: permission) }
    try await target.write(value, by: permission)
    guard global.json else { return }
    try Output.document(["file": file, "id": found.id, "path": path?.description])
  }

  /// Prints or writes a former value.
  private func writeFormer(
    of found: OpenRecord, at path: MemberPath?, to target: ExportTarget, by permission: Revealing
  ) async throws {
    let secret = try former.secret(of: found, at: path)
    let value = try found.secret(secret)
    if target.file == nil, global.json {
      let text = value.string.map { JSONValue.string($0) } ?? .string(value.withBytes { Base64.encode($0) })
      return try Output.document(
        ["id": found.id, "path": secret.path.description, "sealed_at": secret.sealedAt, "value": text], by: permission)
    }
    try await deliver(value, at: secret.path, of: found, to: target, by: permission)
  }

  private func checkOutput() throws {
    try former.check()
    guard former.number == nil || !url else { throw CommandError.usage("--former", "cannot be combined with --url") }
    guard output != nil else { return }
    if qr { throw CommandError.usage("--qr", "cannot be combined with --output") }
    guard !global.json || output != "-" else { throw CommandError.usage("--json", "needs --output FILE") }
  }

  /// The verified record, or its verified version for `RECORD@REV`.
  private func record(_ field: FieldArgument, _ session: Session) async throws -> OpenRecord {
    if field.reference == nil,
      let found = try await session.version(record, options: vault, unlocking: unlocking, unless: revision)
    {
      return found.record
    }
    do {
      return try await field.record(in: session, unlocking)
    } catch let error as CommandError where error.status == .notFound {
      guard let path, (try? await session.locked.resolve(path)) != nil else { throw error }
      throw error.hinting("write the record first: `vault get RECORD FIELD`")
    }
  }

  /// The value in locked memory, as a pipe receives it.
  private func value(of field: FieldArgument, at path: MemberPath?, in found: OpenRecord) throws -> SecretBytes {
    guard let path else { return try SecretBytes(utf8: url(of: found)) }
    if let reference = field.reference, reference.view == .otp { return try found.value(of: reference) }
    if let opened = try found.opened(at: path) { return opened }
    return try SecretBytes(utf8: text(of: found.revealed(at: path)))
  }

  /// Draws the value with `--qr`, shows it at a terminal, or writes its exact bytes to a pipe.
  private func print(
    _ value: SecretBytes, at path: MemberPath?, of found: OpenRecord, by permission: Revealing
  ) throws {
    if qr { return try value.withBytes { try Packs.codes().draw($0, by: permission) } }
    guard Output.isTerminal else { return try Output.write(value, by: permission) }
    let isBytes = path.map { found.kind?.value(at: $0)?.isBytes == true } ?? false
    guard let text = value.string, !isBytes || Printable.document(text) == text else {
      throw CommandError.usage(
        path?.description ?? "value", "has bytes that a terminal cannot show", "write them to a file: --output FILE")
    }
    try show(text, by: permission)
  }

  /// Prints the value as JSON: bytes in base64, other values with their type.
  private func document(
    of field: FieldArgument, at path: MemberPath?, in found: OpenRecord, by permission: Revealing
  ) throws {
    guard let path else {
      return try Output.document(["id": found.id, "url": url(of: found)], by: permission)
    }
    try Output.document(
      ["id": found.id, "path": path.description, "value": tree(of: field, at: path, in: found)], by: permission)
  }

  /// The value for `--json`: a code, bytes in base64, or the value itself.
  private func tree(of field: FieldArgument, at path: MemberPath, in found: OpenRecord) throws -> JSONValue {
    if let reference = field.reference, reference.view == .otp {
      return .string(try found.value(of: reference).string ?? "")
    }
    // Each value is opened once. A value that should be bytes but is not base64 is refused.
    if let bytes = try found.bytes(at: path) { return .string(bytes.withBytes { Base64.encode($0) }) }
    return try found.revealed(at: path)
  }

  /// Prints a value at a terminal, with control characters escaped.
  private func show(_ value: String, by permission: Revealing) throws {
    let shown = Printable.document(value)
    try Output.line(shown, by: permission)
    if shown != value { global.messages.note("control characters are shown as escapes; a pipe gets them unchanged") }
  }

  /// The error for a missing field, with the paths of the record's values in file order.
  private func withoutField() async -> CommandError {
    let error = CommandError.usage("<field>", "is missing", "add a field: `vault get RECORD FIELD`")
    guard let session = try? Session(vault, at: revision, global), let id = try? await session.resolve(record),
      let found = try? session.locked.record(id)
    else { return error }
    let paths = JSONValue.object(found.fields).valuePaths(at: .root).joined(separator: ", ")
    let hinted = found.envelope.kind == Database.kindName ? error.hinting("or add --url") : error
    return hinted.hinting("the fields of this record are \(paths)")
  }

  private func url(of record: OpenRecord) throws -> String {
    guard record.kind?.name == Database.kindName else {
      throw CommandError.usage("--url", "can only be used for records of the kind \(Database.kindName)")
    }
    return try record.decoded(as: Database.self).connectionURL()
  }

  /// A string itself; an object or array in our JSON layout.
  private func text(of value: JSONValue) throws -> String {
    switch value {
    case .object, .array: String(decoding: try value.prettyBytes(finalNewline: false, limits: .exchange), as: UTF8.self)
    default: try value.plainText()
    }
  }
}
