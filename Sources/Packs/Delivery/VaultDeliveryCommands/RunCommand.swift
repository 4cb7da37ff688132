import ArgumentParser
import VaultCLI
import VaultCrypto
import VaultDelivery
import VaultDocument
import VaultKit
import VaultTerminal

/// `vault run`: a program with secrets.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a program with values from the vault in its environment.",
    discussion: """
      Example:
        vault run --env PGPASSWORD=cvault://Orders/password -- \\
          psql -h db.example.com

      The command finds, verifies and opens every reference first; if one fails, nothing runs. Then this process \
      becomes the program: same process, terminal and signals. No shell reads the words after --, so $NAME is not \
      expanded there: run sh -c '…' for that.

      Every program that runs as you can read the environment. --fd gives a file in memory instead: the variable is its \
      name, /proc/self/fd/N. --file gives a file in a folder in memory, for programs that close inherited files.

      In each stream that is not a terminal, sealed values in the output are replaced by «RECORD/FIELD», and the values \
      that these fields had before by «RECORD/FIELD (former)». This is a guard against accidents; --redact never turns \
      it off. Beside a coding agent the values are replaced at a terminal too (`vault help agents`). vault keeps running beside the program only to replace \
      values, or with --file or --wait. It then passes signals on.

      The command exits as the program does. If it fails before the program runs, it exits with 125. It exits with \
      126 if the program cannot be executed, and with 127 if the program does not exist.
      """,
    aliases: ["exec"])

  @Option(help: ArgumentHelp("Set a variable to the value; may be repeated.", valueName: "name=reference"))
  var env: [String] = []

  @Option(help: ArgumentHelp("Set a variable to a file in memory; may be repeated.", valueName: "name=reference"))
  var fd: [String] = []

  @Option(
    help: ArgumentHelp(
      "Set a variable to a file in a memory folder; may be repeated.", valueName: "name=reference"))
  var file: [String] = []

  @Option(help: ArgumentHelp("What the program reads from standard input.", valueName: "reference"))
  var stdin: String?

  @Option(help: ArgumentHelp("Read lines NAME=reference or NAME=text; may be repeated.", valueName: "file"))
  var envFile: [String] = []

  @Option(help: ArgumentHelp("Use only these variables from --env-file.", valueName: "name,…"))
  var only: String?

  @Option(
    help: ArgumentHelp(
      "Also let the files set these variables; by default only names of secrets and users.", valueName: "name,…"))
  var allow: String?

  @Flag(help: "Also resolve references in inherited variables.")
  var fromEnvironment = false

  @Flag(help: "Inherit only PATH, HOME, USER, LOGNAME, LANG, LC_*, TERM, TZ and TMPDIR.")
  var pristine = false

  @Option(help: ArgumentHelp("With --pristine, inherit these as well.", valueName: "name,…"))
  var inherit: String?

  @Flag(help: "Leave CVAULT_* in the program's environment.")
  var passVault = false

  @Option(help: ArgumentHelp("Replace sealed values in the output: auto, always, never.", valueName: "when"))
  var redact = RedactionMode.auto

  @Flag(help: "Stay beside the program until it ends.")
  var wait = false

  @Flag(help: "Run nothing; show what the program would get. Needs no key.")
  var dryRun = false

  @Argument(parsing: .postTerminator, help: ArgumentHelp("The program and its arguments.", valueName: "command"))
  var command: [String] = []

  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(title: "Key", visibility: .hidden) var unlocking: UnlockOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    guard !command.isEmpty || dryRun else {
      throw CommandError.usage(nil, "no program is named", "`vault run … -- PROGRAM ARGUMENT…`")
    }
    guard inherit == nil || pristine else { throw CommandError.usage("--inherit", "needs --pristine") }
    let ban = try checkedBan()
    let environment = try environment(ban)
    let plan = try plan(environment)
    let session = try Session(vault, global)
    if dryRun { return try await DeliveryPreview(plan, session).print() }
    // References are resolved before a key is asked for.
    var (given, found): ([DeliveryLog.Given], [SecretReference: ReferencedField]) = ([], [:])
    for delivery in plan.deliveries {
      guard let reference = delivery.reference else { continue }
      let field = try await session.field(of: reference)
      found[reference] = field
      given.append(.init(field, as: delivery.form.rawValue, to: System.path(ofTool: command[0]) ?? command[0]))
    }
    let opened = try await session.unlock(unlocking)
    let wanted = plan.deliveries.compactMap { delivery in delivery.reference.map { ($0, delivery.place) } }
    let values = try await session.values(of: wanted, in: opened, found: found)
    var program = try ProgramRun(
      wordCount: command.count, environment: environment,
      redaction: OutputRedaction(
        redact, of: values.values.sorted { "\($0.reference)" < "\($1.reference)" }, ban, global.messages), waits: wait)
    for delivery in plan.deliveries {
      if delivery.form == .variable, environment.inherits(delivery.name), !fromEnvironment {
        global.messages.note("\(delivery.name) of the environment is replaced")
      }
      try program.give(delivery.value(values), as: delivery)
    }
    let note = DeliveryLog.note(given, session)
    let number = try program.run(global.messages)
    note.takeBack()
    throw failure(of: number)
  }

  /// The reason to hide the values in every output. Then `--redact never` is refused.
  private func checkedBan() throws -> RevealBan? {
    guard let ban = global.revealBan else { return nil }
    if redact == .never {
      _ = try global.revealing("--redact never", "the values that the program prints", way: "leave out --redact never")
    }
    return ban
  }

  private func environment(_ ban: RevealBan?) throws -> ProgramEnvironment {
    let named = Self.names(inherit) ?? []
    var environment = ProgramEnvironment { name in
      // The option forbids more than the variable allows, also to this program when the other one runs it.
      if Revealing.variables.contains(name) { return name != Revealing.allowing || ban?.isOption != true }
      // Some variables of this program lead to keys.
      guard passVault || !Delivery.isOwn(name) else { return false }
      return !pristine || ProgramEnvironment.isNeeded(name) || named.contains(name)
    }
    if ban?.isOption == true { try environment.set(Revealing.forbidding, to: .text("1")) }
    return environment
  }

  private static func names(_ list: String?) -> [String]? { list?.split(separator: ",").map(String.init) }

  /// The values to deliver, each name once. Options come first, then files from the last to the first, then the
  /// environment.
  private func plan(_ environment: ProgramEnvironment) throws -> DeliveryPlan {
    var plan = DeliveryPlan()
    let only = Self.names(only)
    for file in envFile {
      try plan.add(Delivery.file(file, asked: Self.names(allow) ?? [], only: only), global.messages)
    }
    if let only { try plan.keep(only: only) }
    let given = Set(plan.deliveries.map(\.name))
    for (name, value) in environment.texts where SecretReference.isMeant(by: value) && !given.contains(name) {
      guard fromEnvironment else {
        global.messages.note(
          "\(name) of the environment is a reference: --from-environment gives the program its value")
        continue
      }
      let reference = try SecretReference.argument(value, of: name)
      try plan.add(
        [Delivery(name: name, form: .variable, content: .reference(reference), source: "environment")], global.messages)
    }
    var options = try env.map { try Delivery.option($0, form: .variable, option: "--env") }
    options += try fd.map { try Delivery.option($0, form: .descriptor, option: "--fd") }
    options += try file.map { try Delivery.option($0, form: .file, option: "--file") }
    if let stdin {
      let reference = try SecretReference.argument(stdin, of: "--stdin")
      options.append(Delivery(name: "", form: .input, content: .reference(reference), source: "--stdin"))
    }
    try plan.add(options, global.messages)
    return plan
  }

  private func failure(of number: Int32) -> CommandError {
    let error = SystemError(number: number, path: command[0], action: "run")
    var failure = CommandError(
      error.isMissing ? .commandNotFound : .cannotExecute, error.isMissing ? "command_not_found" : "cannot_execute",
      subject: command[0], error.isMissing ? "there is no such program" : CommandError(error).reason)
    failure.hints = [error.isMissing ? "check its name and PATH" : "check its mode, and that it is a program"]
    return failure
  }
}

extension Delivery {
  fileprivate func value(_ values: [SecretReference: DeliveredValue]) throws -> SecretBytes {
    switch content {
    case .text(let text): return try .text(text)
    case .reference(let reference):
      guard let value = values[reference] else { preconditionFailure("every reference was opened") }
      return value.secret
    }
  }
}

extension SecretBytes {
  static func text(_ text: String) throws -> SecretBytes {
    try unsafe SecretBytes(copying: Array(text.utf8).span.bytes)
  }
}

extension RunCommand: ProgramRunning, MistakeExplaining {
  static func hint(for mistake: CommandMistake) -> String? {
    mistake == .furtherArgument ? "put -- before the program: `vault run -- PROGRAM`" : nil
  }
}
