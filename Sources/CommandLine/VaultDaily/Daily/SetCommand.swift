import ArgumentParser
import VaultCLI
import VaultCrypto
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultStorage
import VaultTerminal

struct SetCommand: AsyncParsableCommand, OneRecordNaming {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Change fields of a record and leave all others as they are.",
    discussion: """
      Setting a value that is already there changes nothing. Secrets are never arguments: use the options below. \
      With -g the record gets a new password. A sealed value that is replaced stays as a former value: \
      `vault get RECORD FIELD --former` prints it, and `vault restore RECORD FIELD --former` brings it back.

      Example:
        vault set -g GitHub
        vault set "Shai Mishali" address.city=Oslo --generate access_key=32
      """)

  @Argument(help: "An id, the beginning of an id, or a name in upper or lower case.")
  var record: String

  @Argument(help: ArgumentHelp("New values of readable fields.", valueName: "field=value"))
  var values: [String] = []

  @Option(help: ArgumentHelp("The same as FIELD=VALUE.", valueName: "field=value"))
  var set: [String] = []

  @OptionGroup(title: "Sealed values") var secrets: SecretOptions
  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    guard !values.isEmpty || !set.isEmpty || !secrets.isEmpty else {
      throw CommandError.usage(
        nil, "there is nothing to set",
        "give FIELD=VALUE, or use -g, --secret, --secret-file, --secret-stdin or --generate")
    }
    var values = values
    let made = secrets.takeFields(from: &values)
    guard !record.contains("=") || values.allSatisfy({ $0.contains("=") }) else {
      throw CommandError.usage(
        "record", "the record must come before FIELD=VALUE", "write `vault set RECORD FIELD=VALUE`")
    }
    let typed =
      try values.assignments(of: nil, mayBeSecret: true)
      + set.map { text in try MemberPath.assignment(text, of: "--set") }
    let recipe = try secrets.checkedRecipe()
    try secrets.checkUse()
    let session = try Session(vault, global)
    let opened = try await session.unlock(unlocking, to: .writing, for: [record])
    let found = try await session.record(record, in: opened)
    let kind = found.kind
    let assignments = typed.map { (path: found.place(of: $0.path), value: $0.value) }
    for (path, value) in assignments { try kind?.checkReadable(path, value, option: "field=value") }
    let sealed = try secrets.assignments(for: kind, making: made, recipe, global)
    try (assignments.map(\.path) + sealed.map(\.path)).checkDistinct()
    try LostValues(of: found, in: session, opened).confirm(replacing: sealed.filter(\.isMade).map(\.path))
    let edits =
      assignments.map { FieldEdit.set($0.path, to: found.argument($0.value, at: $0.path)) }
      + sealed.map { FieldEdit.seal($0.path, $0.secret) }
    let effect = try await CommandError.naming(kind) { try await opened.editing(found.id, edits) }
    try global.report(hasChanged: effect.hasChanged, found.id)
    global.report(effect, of: found)
    for note in sealed.compactMap(\.note) { global.messages.note(note) }
    try warn(kind, sealed)
  }

  /// Warns about unusual new values, not about earlier ones.
  private func warn(_ kind: RecordKind?, _ sealed: [SecretAssignment]) throws {
    guard let kind else { return }
    var given = JSONValue.object(JSONObject())
    for assignment in sealed where kind.warnsAbout(assignment.path) {
      try given.put(.string(assignment.secret.string ?? ""), at: assignment.path, option: assignment.option)
    }
    for (path, text) in kind.warnings(about: given.object ?? JSONObject()) {
      global.messages.note(Sentence.about(path, text))
    }
  }
}

extension OpenRecord {
  /// The value of an argument, with the type in the kind. Without a kind, the type of the present value counts.
  fileprivate func argument(_ text: String, at path: MemberPath) -> JSONValue {
    if let kind { return kind.argument(text, at: path) }
    switch try? value(at: path) {
    case .number, .bool, .object, .array: return (try? JSONParser.parse(Array(text.utf8))) ?? .string(text)
    default: return .string(text)
    }
  }
}

struct UnsetCommand: AsyncParsableCommand, OneRecordNaming {
  static let configuration = CommandConfiguration(
    commandName: "unset",
    abstract: "Remove fields of a record.",
    discussion: """
      A sealed value stays as a former value, as with `vault set`.

      Example:
        vault unset "Shai Mishali" website contact_info.home_phone
      """)

  @Argument(help: "An id, the beginning of an id, or a name in upper or lower case.")
  var record: String

  @Argument(help: ArgumentHelp("Fields, such as contact_info.email.", valueName: "field"))
  var paths: [String]

  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    let named = try paths.map { text in try MemberPath.argument(text, of: "FIELD") }
    try named.checkDistinct()
    let session = try Session(vault, global)
    let opened = try await session.unlock(unlocking, to: .writing, for: [record])
    let found = try await session.record(record, in: opened)
    let paths = named.map { found.place(of: $0) }
    try LostValues(of: found, in: session, opened).confirm(takingAway: paths)
    let effect = try await CommandError.naming(membersOf: found) {
      try await opened.editing(found.id, paths.map(FieldEdit.unset))
    }
    try global.report(hasChanged: effect.hasChanged, found.id)
    global.report(effect, of: found)
  }
}

/// Protects the sealed values that a command is about to replace in a vault that keeps no former values.
private struct LostValues {
  private let record: OpenRecord
  private let session: Session
  private let areKept: Bool

  init(of record: OpenRecord, in session: Session, _ vault: Vault) {
    (self.record, self.session, areKept) = (record, session, vault.header.formerCount > 0)
  }

  /// Asks before a generated value replaces one that may still be needed.
  func confirm(replacing paths: [MemberPath]) throws { try confirm(paths, "Replace it") }

  func confirm(takingAway paths: [MemberPath]) throws { try confirm(paths, "Remove it") }

  /// Asks only at a terminal without `--yes`, and only if the last commit lacks the present record.
  private func confirm(_ paths: [MemberPath], _ question: String) throws {
    guard !areKept, session.global.isAtTerminal, !session.global.yes else { return }
    let lost = paths.filter(isSealed)
    guard !lost.isEmpty, !isInGit else { return }
    let fields = lost.map(\.description).joined(separator: ", ")
    try session.global.confirm(
      "\(record.name): the value of \(fields) is kept nowhere else and will be lost. \(question)?")
  }

  private func isSealed(_ path: MemberPath) -> Bool {
    let path = record.kind?.pathInCurrentSchema(path) ?? path
    guard let value = try? record.value(at: path) else { return false }
    return value.leaves().contains { $0.1.string.map(SealedToken.hasTokenShape) ?? false }
  }

  /// Whether the last commit has the record in its present state.
  private var isInGit: Bool {
    guard !session.location.isDatabase else { return false }
    let folder = session.location.path
    let place = StoreLocation.record(record.id)
    guard let committed = Packs.history?.newest(place, ofVaultAt: folder),
      let file = try? NamedFile.plain("\(folder)/\(place.relativePath)"),
      let bytes = try? TextInput.bytes(of: file, limit: JSONLimits.record.byteCount)
    else { return false }
    return committed == bytes
  }
}
