import ArgumentParser
import VaultAge
import VaultCLI
import VaultDeposit
import VaultDocument
import VaultKit
import VaultRecords
import VaultTerminal

struct DepositCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deposit",
    abstract: "Hand in a record or a new value without being able to read the vault.",
    discussion: """
      The command needs no key. It seals the record so that only people with a key of the vault can open it, puts it \
      into the inbox and prints its id. A person with a key sees it with `vault inbox`, and stores it with \
      `vault inbox accept`. Until then it is not a record.

      --to RECORD proposes a new value for one sealed field of an existing record. Secrets are never arguments.

      Without a key nobody can verify the vault. --recipient refuses every other recipient than the one that a person \
      with a key has told you (`vault inbox enable` prints it).

      Example:
        vault deposit login GitHub username=ada --secret-stdin password --from "Ada Example"
        vault deposit --to GitHub --secret-stdin password < new-password.txt
      """)

  @Argument(help: "The kind (see `vault kinds list`); not with --to.")
  var kind: String?

  @Argument(help: ArgumentHelp("Values of readable fields; the first can be just the name.", valueName: "field=value"))
  var values: [String] = []

  @Option(help: ArgumentHelp("The same as FIELD=VALUE.", valueName: "field=value"))
  var set: [String] = []

  @Option(help: ArgumentHelp("Propose a value for a field of this record: an id or a name.", valueName: "record"))
  var to: String?

  @Option(help: ArgumentHelp("Say who makes the deposit. Only a signature proves it.", valueName: "name"))
  var from: String?

  @Option(help: ArgumentHelp("Sign with this SSH key, by ssh-keygen.", valueName: "file"))
  var sign: String?

  @Option(help: ArgumentHelp("Refuse any other recipient of deposits.", valueName: "age1…"))
  var recipient: String?

  @OptionGroup(title: "Sealed values") var secrets: SecretOptions
  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    let recipe = try secrets.checkedRecipe()
    try secrets.checkUse()
    try checkSender()
    let session = try Session(vault, global)
    try session.pin.requireKnownState()
    try checkRecipient(session.locked)
    let writing = try session.confirmingUse(.writing)
    let content = try await to == nil ? record(writing, recipe) : value(writing, recipe)
    var deposit = Deposit(content, from: from)
    if let sign { try deposit.sign(withKeyAt: sign, for: session.locked.header.vaultID) }
    do throws(VaultError) {
      try session.locked.deposit(deposit, timeout: global.time())
    } catch {
      throw CommandError(error)
    }
    try report(deposit)
  }

  private func checkSender() throws {
    guard let from else { return }
    guard (1...Deposit.maximumSenderByteCount).contains(from.utf8.count), Printable.text(from) == from else {
      throw CommandError.usage(
        "--from", "must be a name of at most \(Deposit.maximumSenderByteCount) bytes, without control characters")
    }
  }

  private func checkRecipient(_ locked: LockedVault) throws {
    guard let recipient, let found = locked.header.deposit?.recipient.text, found != recipient else { return }
    throw CommandError(
      .unexpectedVault, "unexpected_recipient", subject: "--recipient", "is not the recipient of this vault's deposits",
      hints: ["find out why before you deposit anything: the vault's recipient is \(found)"])
  }

  /// A whole record, checked as `vault add` checks it.
  private func record(_ session: Session, _ recipe: PasswordRecipe?) throws -> Deposit.Content {
    guard let word = kind else {
      throw CommandError.usage(
        "kind", "is missing", "write `vault deposit KIND NAME`, or `vault deposit --to RECORD --secret-stdin FIELD`")
    }
    let kind = try session.locked.kinds.argument(word)
    var values = values
    let made = secrets.takeFields(from: &values) { word, isFirst in !isFirst || kind.seals(word) }
    let given = try set.map { text in try MemberPath.assignment(text, of: "--set") }
    let assignments = try kind.readable(given, and: values)
    var record = JSONValue.object(JSONObject())
    try record.put(assignments, of: kind)
    let sealed = try secrets.assignments(for: kind, making: made, recipe, global)
    try record.put(sealed, of: kind, besides: assignments.map(\.path))
    try record.fillDates(of: kind)
    guard case .object(let members) = record else { preconditionFailure("a record is made from an object") }
    return .record(kind: kind.name, members: members)
  }

  /// A new value for one field of a record. Without the right to see records, the name is not checked.
  private func value(_ session: Session, _ recipe: PasswordRecipe?) async throws -> Deposit.Content {
    guard let word = to else { preconditionFailure("the option is given") }
    guard kind == nil, values.isEmpty, set.isEmpty else {
      throw CommandError.usage("--to", "takes one sealed value, and no other fields", "use --secret-stdin FIELD")
    }
    let target = try await target(word, session)
    let kind = target.flatMap { id in (try? session.locked.record(id))?.kind }
    let sealed = try secrets.assignments(for: kind, making: [], recipe, global)
    guard let one = sealed.first, sealed.count == 1, let text = one.secret.string else {
      throw CommandError.usage("--to", "needs exactly one sealed value", "use --secret-stdin FIELD")
    }
    let replaces = target.flatMap { session.locked.sealingTime(of: one.path, in: $0) }
    return .value(record: target?.text ?? word, field: one.path, value: text, replaces: replaces)
  }

  private func target(_ word: String, _ session: Session) async throws -> RecordID? {
    do {
      return try await session.resolve(word)
    } catch let error as CommandError where error.vaultCode == .permissionDenied {
      return nil
    }
  }

  private func report(_ deposit: Deposit) throws {
    try Output.afterwards("the deposit \(deposit.id.text) waits in the inbox", hint: "`vault inbox` shows it") {
      guard global.json else { return try Output.line(deposit.id.text) }
      try Output.document(["id": deposit.id, "signed": deposit.signature != nil])
    }
    global.messages.note("the deposit waits until a person with a key accepts it (vault inbox accept)")
  }
}

extension DepositCommand {
  /// `--to RECORD FIELD --secret-stdin` as the parser reads it: `--to RECORD --secret-stdin FIELD`.
  static func inOrder(_ words: [String]) -> [String] {
    let option = "--secret-stdin"
    guard words.first == configuration.commandName, let place = words.firstIndex(of: option), place > 2,
      words.dropFirst(place + 1).first.map({ $0.hasPrefix("-") }) ?? true, !words[place - 1].hasPrefix("-"),
      !words[place - 2].hasPrefix("-") || words[place - 2].contains("=")
    else { return words }
    var words = words
    words.swapAt(place - 1, place)
    return words
  }
}

extension GlobalOptions {
  /// The lock's time, which was checked before.
  fileprivate func time() -> Duration { (try? lockTime()) ?? .seconds(10) }
}
