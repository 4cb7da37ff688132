import ArgumentParser
import VaultCrypto
import VaultDelivery
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing

/// `vault get`: one value.
struct GetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Print one value of a record, and nothing else.",
    discussion: """
      The record is verified first, so this always needs a key. A newline follows on a terminal only. There, without a \
      field, it is the main secret, as with `vault copy`. A reference as `vault ref` prints it stands in the place of \
      both words. RECORD@REV is an earlier version, as with `vault show`.

      Example:
        vault get "Shai Mishali" access_key --identity identity.txt
        vault get "Guest network" password --qr
      """)

  @Argument(help: "An id, an exact name, or the beginning of an id.")
  var record: String

  @Argument(help: ArgumentHelp("A field, such as contact_info.email.", valueName: "field"))
  var path: String?

  @Flag(help: "Of a database, its address instead of a field, with user and password in it.")
  var url = false

  @Flag(help: "Draw the value on the terminal, for a camera.")
  var qr = false

  @OptionGroup var revision: RevisionOptions
  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    let field = try FieldArgument(record, path)
    // A script that has lost a word would get another value than it wants.
    let takesMain =
      !url && path == nil && field.reference == nil && global.isAtTerminal && Output.isTerminal
    guard takesMain || (field.path == nil) == (url || field.view == .url) else {
      var error = CommandError.usage(
        "arguments", url ? "--url takes no field" : "missing expected argument '<field>'", "give a field, or --url")
      if !url, let paths = try? await self.paths() {
        error.hints.append("of this record: \(paths.joined(separator: ", "))")
      }
      throw error
    }
    try global.requireReveal("get")
    if qr { try QRCode.check(global, "without --qr a program gets the value") }
    let session = try Session(vault, at: revision, global)
    let found = try await record(field, session)
    guard let path = try field.path ?? (takesMain ? found.mainSecret() : nil) else { return try printURL(of: found) }
    try await CommandError.naming(membersOf: found) {
      if let reference = field.reference, reference.view == .otp { return try print(reference, of: found) }
      try print(path, of: found)
    }
  }

  private func record(_ field: FieldArgument, _ session: Session) async throws -> OpenRecord {
    if field.reference == nil, let found = try await session.version(record, vault, unlocking, unless: revision) {
      return found.record
    }
    return try await field.record(in: session, unlocking)
  }

  private func print(_ path: MemberPath, of found: OpenRecord) throws {
    if qr {
      if try found.withSecret(at: path, { try QRCode.draw($0) }) != nil { return }
      return try draw(text(of: found.revealed(at: path)))
    }
    if global.json {
      let value = try found.revealed(at: path)
      return try Output.document([
        "id": .string(found.id.text), "path": .string(path.description), "value": value,
      ])
    }
    if Output.isTerminal { return try show(text(of: found.revealed(at: path))) }
    // A secret goes from locked memory to the descriptor, without a copy in between.
    if try found.withSecret(at: path, { try Output.write($0) }) == nil {
      try Output.write(Array(text(of: found.revealed(at: path)).utf8))
    }
  }

  /// Prints the code of a key.
  private func print(_ reference: SecretReference, of found: OpenRecord) throws {
    let code = try found.value(of: reference)
    if qr { return try code.withBytes { try QRCode.draw($0) } }
    guard global.json else {
      try code.withBytes { try Output.write($0) }
      return Output.isTerminal ? try Output.line("") : ()
    }
    try Output.document([
      "id": .string(found.id.text), "path": .optional(reference.path?.description),
      "value": .string(code.withBytes { String(decoding: $0.copiedBytes(), as: UTF8.self) }),
    ])
  }

  /// Prints a value for a person: a terminal would obey what stands in it.
  private func show(_ value: String) throws {
    let shown = Printable.document(value)
    try Output.line(shown)
    if shown != value { global.messages.note("control characters are shown as escapes; a pipe gets them as they are") }
  }

  /// The paths of the record's values, as they stand in its file.
  private func paths() async throws -> [String] {
    let session = try Session(vault, at: revision, global)
    return JSONValue.object(try session.locked.record(await session.resolve(record)).fields).valuePaths(at: .root)
  }

  private func printURL(of record: OpenRecord) throws {
    guard record.kind?.name == Database.kindName else {
      throw CommandError.usage("--url", "is for records of the kind \(Database.kindName)")
    }
    let url = try record.decoded(as: Database.self).connectionURL()
    if qr { return try draw(url) }
    guard !global.json else { return try Output.document(["id": .string(record.id.text), "url": .string(url)]) }
    if Output.isTerminal { return try show(url) }
    try Output.write(Array(url.utf8))
  }

  private func draw(_ text: String) throws {
    let bytes = Array(text.utf8)
    try unsafe QRCode.draw(bytes.span.bytes)
  }

  /// A string itself; an object or array as our writer lays it out.
  private func text(of value: JSONValue) throws -> String {
    switch value {
    case .object, .array: String(decoding: try value.prettyBytes(finalNewline: false, limits: .exchange), as: UTF8.self)
    default: try value.plainText()
    }
  }
}

extension JSONValue {
  /// The paths of all values that are no object and no list.
  func valuePaths(at path: MemberPath) -> [String] {
    switch self {
    case .object(let members): members.flatMap { $0.value.valuePaths(at: path.appending($0.name)) }
    case .array(let items): items.enumerated().flatMap { $0.element.valuePaths(at: path.appending($0.offset)) }
    default: [path.description]
    }
  }
}
