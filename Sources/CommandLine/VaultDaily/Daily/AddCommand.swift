import ArgumentParser
import VaultCLI
import VaultDocument
import VaultKit
import VaultRecords
import VaultSystem
import VaultTerminal

struct AddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Store a new record and print its id.",
    discussion: """
      At a terminal, if you give only a name or nothing, the command asks for each field. Secrets are not shown while \
      they are typed, and Enter generates a password. Notes and keys come from a file or the editor. A required date \
      that is missing is set to the present time. Secrets are never arguments.

      One word of a kind's name is enough: card means payment-card. At a terminal you can omit KIND if the name does \
      not resemble a kind. The record is then a login. After `file` comes the path of the file to store, or - and \
      name=NAME for standard input.

      Example:
        vault add -g GitHub username=ada
        vault add login GitHub username=ada --generate password
        vault add login --words 5
        vault add customer name="Ada Example" --generate access_key=32
        vault add file passport.pdf tags=travel
      """,
    aliases: ["create", "insert"])

  @Argument(help: "The kind (see `vault kinds list`). At a terminal you can omit login.")
  var kind: String

  @Argument(help: ArgumentHelp("Values of readable fields; the first can be just the name.", valueName: "field=value"))
  var values: [String] = []

  @Option(help: ArgumentHelp("Read the record from a JSON file; - is standard input.", valueName: "file"))
  var from: String?

  @Option(help: ArgumentHelp("The same as FIELD=VALUE.", valueName: "field=value"))
  var set: [String] = []

  @Flag(help: "Seal unknown fields in `extra` instead of refusing them.")
  var keepUnknown = false

  @Option(
    help: ArgumentHelp(
      "Store the record under this id, which a matching record in another vault has.", valueName: "id"))
  var id: String?

  @OptionGroup(title: "Sealed values") var secrets: SecretOptions
  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    try checkOptions()
    var given = try set.map { text in try MemberPath.assignment(text, of: "--set") }
    var secrets = secrets
    let recipe = try secrets.checkedRecipe()
    let placement = try Packs.sets?.placing(vault)
    let near = try placement == nil ? Session(vault, global) : nil
    var (kind, values) = try kindAndValues(near?.locked.kinds ?? placement?.kinds(knowing: self.kind) ?? .builtIn)
    if from == nil, kind.isOfFiles {
      try secrets.takeFile(from: &values, naming: &given, unless: SecretOptions.mayHold)
    }
    let made = secrets.takeFields(from: &values) { word, isFirst in !isFirst || kind.seals(word) }
    let assignments = try kind.readable(given, and: values)
    let isNamedOnly = set.isEmpty && values.count == 1 && !values[0].contains("=") && global.canAsk
    let isAsking = from == nil && secrets.isEmpty && (assignments.isEmpty || isNamedOnly)
    guard !isAsking || global.canAsk else { throw CommandError.noField(of: kind) }
    if !isAsking { try secrets.checkUse() }
    let draft = try draft(kind, assignments)
    let session = try near ?? self.session(placement, kind: kind, draft: draft, isAsking: isAsking)
    let opened = try await session.unlock(unlocking, to: .writing)
    kind = try opened.kinds.argument(kind.name)
    var (record, notes) = try record(
      draft, kind: kind, assigned: assignments.map(\.path), secrets: secrets, made: made, recipe: recipe)
    if isAsking {
      record = try FieldPrompts(kind: kind, recipe: recipe, global: global).record(from: record)
    }
    try record.fillDates(of: kind)
    guard case .object(let members) = record else { preconditionFailure("a record is made from an object") }
    let stored = try await CommandError.naming(kind) { try await store(members, kind: kind, opened: opened) }
    if placement != nil, let name = session.location.member?.name {
      notes.insert("the record was stored in the vault \(name)", at: 0)
    }
    if kind.name != self.kind, self.kind != values.first { notes.append("the kind of the record is \(kind.name)") }
    try report(stored, kind)
    for note in notes { global.messages.note(note) }
    await noteNamesakes(of: stored, kind.title(of: members), session)
    for (path, text) in kind.warnings(about: members) { global.messages.note(Sentence.about(path, text)) }
  }

  private func checkOptions() throws {
    guard !keepUnknown || from != nil else { throw CommandError.usage("--keep-unknown", "needs --from") }
    guard from != "-" || secrets.secretStdin.isEmpty else {
      throw CommandError.usage("--secret-stdin", "cannot be combined with --from -")
    }
    _ = try chosenID()
  }

  private func chosenID() throws -> RecordID? {
    guard let id else { return nil }
    guard let chosen = RecordID(parsing: id) else { throw CommandError.usage("--id", "needs a full id") }
    return chosen
  }

  private func store(_ members: JSONObject, kind: RecordKind, opened: Vault) async throws -> RecordID {
    guard let id = try chosenID() else {
      return try await opened.add([members], kind: kind, keepingUnknown: keepUnknown)[0]
    }
    try await opened.add(RecordInput(kind, members, keepingUnknown: keepUnknown), id: id)
    return id
  }

  /// The kind and the words after it. The name may precede the kind, and at a terminal the kind of a login may be
  /// omitted.
  ///
  /// A part of a kind's name stands for the kind if no other kind has that part: `card` means payment-card. A misspelt
  /// kind is refused, and so is a field of a login as the kind.
  private func kindAndValues(_ kinds: KindCatalog) throws -> (kind: RecordKind, values: [String]) {
    guard kinds[kind] != nil || !SecretOptions.mayHold(kind) else {
      throw CommandError.usage(
        "kind", "a word after --secret may be the secret, so it is not read as the kind and not shown",
        "put the kind and the name before the option")
    }
    let withPart = Suggestion.names(withPart: kind, among: kinds.names)
    let namesKindNext = values.first.map { kinds[$0] != nil } == true
    if kinds[kind] == nil, withPart.count == 1, !namesKindNext, let found = kinds[withPart[0]] {
      return (found, values)
    }
    guard kinds.names.allSatisfy({ !$0.utf8.elementsEqual(kind.utf8) }), from == nil, !kind.isEmpty,
      !kind.contains("="), Suggestion.names(for: kind, among: kinds.names).isEmpty, !SecretOptions.mayHold(kind)
    else { return (try kinds.argument(kind), values) }
    if let word = values.first, let named = kinds[word] { return (named, [kind] + values.dropFirst()) }
    guard let login = kinds[Login.kindName], login.field(kind) == nil else { return (try kinds.argument(kind), values) }
    guard global.isAtTerminal else {
      do { return (try kinds.argument(kind), values) } catch let error as CommandError {
        throw error.hinting("write `vault add login \(Printable.argument(kind.shellQuoted))`")
      }
    }
    return (login, [kind] + values)
  }

  /// Tells the user which other records have the name, because the name alone is ambiguous now.
  ///
  /// This opens the index, or reads every record without one. So it runs only if a user reads the note.
  private func noteNamesakes(of id: RecordID, _ name: String, _ session: Session) async {
    guard global.notesAreRead, !name.isEmpty, let found = try? await session.locked.records(named: name) else { return }
    let others = found.map(\.id).filter { $0 != id }
    guard let first = others.first else { return }
    let more = others.count > 1 ? " and \(others.count - 1) more" : ""
    global.messages.note("another record has this name: \(first.text)\(more); use their ids from now on")
  }

  /// The vault whose rule matches the readable fields of the record. It is called only if no vault is named, so there
  /// is a placement.
  private func session(
    _ placement: (any VaultNames)?, kind: RecordKind, draft: JSONValue, isAsking: Bool
  ) throws -> Session {
    guard let placement, case .object(let fields) = draft else { preconditionFailure("a vault is named, or placed") }
    guard !isAsking || placement.isDecided(by: kind.name) else {
      throw CommandError.usage(
        "add", "which vault gets a \(kind.name) depends on its fields",
        "give the fields, or name the vault with --in NAME")
    }
    var options = vault
    options.names = [try placement.name(of: kind.name, kind, fields)]
    return try Session(options, global)
  }

  /// The record from `--from` and the arguments.
  private func draft(_ kind: RecordKind, _ assignments: [(path: MemberPath, value: String)]) throws -> JSONValue {
    var record = JSONValue.object(try from.map { kind.modernised(try Self.object(from: $0)) } ?? JSONObject())
    try record.put(assignments, of: kind)
    return record
  }

  /// Adds the sealed values to a draft: reads them, asks for them and makes them. The notes are for after storing.
  private func record(
    _ draft: JSONValue, kind: RecordKind, assigned: [MemberPath], secrets: SecretOptions, made: [String],
    recipe: PasswordRecipe?
  ) throws -> (JSONValue, notes: [String]) {
    var record = draft
    let sealed = try secrets.assignments(for: kind, making: made, recipe, global)
    try record.put(sealed, of: kind, besides: assigned)
    return (record, sealed.compactMap(\.note))
  }

  private static func object(from path: String) throws -> JSONObject {
    let bytes = try TextInput.file(path, limit: JSONLimits.record.byteCount)
    return try JSONObject.parsed(bytes, file: path == "-" ? "stdin" : path)
  }

  private func report(_ id: RecordID, _ kind: RecordKind) throws {
    try Output.afterwards("stored as \(id.text)") {
      guard global.json else { return try Output.line(id.text) }
      try Output.document(["id": id, "kind": kind.name])
    }
  }
}

extension CommandError {
  fileprivate static func noField(of kind: RecordKind) -> CommandError {
    usage(
      nil, "no field is given", "give the fields with --from, --set or --secret…",
      kind.isOfFiles ? "`vault add \(kind.name) FILE` takes a file" : "`vault kinds show \(kind.name)` shows them")
  }
}
