package import ArgumentParser
package import VaultCrypto
package import VaultDocument
package import VaultRecords
package import VaultTerminal

/// A value for a sealed field, from one of the options.
package struct SecretAssignment {
  package let path: MemberPath
  package let option: String
  package let secret: SecretBytes
  /// Whether the program generated the value, so that nobody has seen it yet.
  package let isMade: Bool
  /// A note for after storing, because the user did not name the field; nil for none.
  package let note: String?
}

/// The sources of values for sealed fields. An argument is never a source.
package struct SecretOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Ask for a sealed value and hide the typing.", valueName: "path"))
  var secret: [String] = []

  @Option(help: ArgumentHelp("Read a sealed value from a file.", valueName: "field=file"))
  var secretFile: [String] = []

  @Option(help: ArgumentHelp("Read a sealed value from standard input.", valueName: "path"))
  package var secretStdin: [String] = []

  @Option(
    help: ArgumentHelp("Generate a password of this length, or as set below.", valueName: "field[=length]"))
  var generate: [String] = []

  @Flag(
    name: .customShort("g"),
    help: "Generate the password, or each FIELD that is given without =VALUE.")
  var makesUp = false

  @OptionGroup var password: PasswordOptions

  package init() {}

  /// Whether a word follows an option that asks for a secret. The user may have typed the secret there.
  package static func mayHold(_ word: String) -> Bool {
    let options = ["--secret", "--secret-stdin"]
    guard let place = ProgramArguments.all.firstIndex(of: word) else { return false }
    return ProgramArguments.all[..<place].contains { argument in
      options.contains { argument == $0 || argument.hasPrefix($0 + "=") }
    }
  }

  package var isEmpty: Bool {
    secret.isEmpty && secretFile.isEmpty && secretStdin.isEmpty && generate.isEmpty && !makesUp
  }

  /// Checks the options, and returns the recipe for passwords; nil if none was given.
  ///
  /// Call it once, before anything is unlocked.
  package func checkedRecipe() throws -> PasswordRecipe? {
    _ = try plan()
    guard password.wordsFrom != "-" else {
      throw CommandError.usage("--words-from", "takes a file, not standard input")
    }
    return try password.askedRecipe()
  }

  /// Refuses a recipe if no password is generated. For commands that do not ask for fields.
  package func checkUse() throws {
    guard let option = password.given, generate.isEmpty, secret.isEmpty, !makesUp else { return }
    throw CommandError.usage(option, "has no use here, because no password is generated", "add --generate FIELD")
  }

  /// Takes the words that name fields for `-g`.
  ///
  /// - Parameter isField: whether a word without `=` is such a field.
  package func takeFields(
    from words: inout [String], where isField: (_ word: String, _ isFirst: Bool) -> Bool = { _, _ in true }
  ) -> [String] {
    guard makesUp else { return [] }
    let isTaken = words.enumerated().map { !$1.contains("=") && isField($1, $0 == 0) }
    defer { words = zip(words, isTaken).filter { !$1 }.map(\.0) }
    return zip(words, isTaken).filter(\.1).map(\.0)
  }

  /// Reads, asks for and generates the values. Paths are checked first, so that nobody types in vain.
  ///
  /// - Parameters:
  ///   - kind: nil for a record of an unknown kind.
  ///   - fields: the fields that `-g` generates; empty for the password of the kind.
  package func assignments(
    for kind: RecordKind?, making fields: [String], _ recipe: PasswordRecipe?, _ global: GlobalOptions
  ) throws -> [SecretAssignment] {
    let plan = try plan() + (makesUp ? making(fields, kind: kind, recipe: recipe, global: global) : [])
    for step in plan { try step.check(kind) }
    return try plan.map { step in
      let step = step.at(kind?.inputPath(step.path) ?? step.path)
      var isMade = false
      let secret = try step.read(kind, recipe: recipe, isMade: &isMade, global: global)
      return SecretAssignment(path: step.path, option: step.option, secret: secret, isMade: isMade, note: step.note)
    }
  }

  /// The steps have no `-g`, which needs the kind. No value is read, so `checkedRecipe()` can call this function
  /// before the vault is unlocked.
  private func plan() throws -> [SecretStep] {
    var steps: [SecretStep] = []
    for text in secret {
      steps.append(SecretStep(try .argument(text, of: "--secret"), option: "--secret", source: .prompt))
    }
    for text in secretFile {
      let (path, file) = try MemberPath.assignment(text, of: "--secret-file", form: "FIELD=FILE")
      guard file != "-" else {
        throw CommandError.usage("--secret-file", "takes FIELD=FILE", "use --secret-stdin FIELD for standard input")
      }
      steps.append(SecretStep(path, option: "--secret-file", source: .file(file)))
    }
    guard secretStdin.count <= 1 else {
      throw CommandError.usage("--secret-stdin", "is given more than once", "standard input holds one value")
    }
    for text in secretStdin {
      steps.append(
        SecretStep(try .argument(text, of: "--secret-stdin"), option: "--secret-stdin", source: .standardInput))
    }
    for text in generate { steps.append(try generating(text)) }
    return steps
  }

  /// The steps of `-g`: the named fields, or the only password of the kind. A kind without a password, or with
  /// several, is refused.
  private func making(
    _ fields: [String], kind: RecordKind?, recipe: PasswordRecipe?, global: GlobalOptions
  ) throws -> [SecretStep] {
    guard fields.isEmpty else {
      return try fields.map { SecretStep(try .argument($0, of: "-g"), option: "-g", source: .password(nil)) }
    }
    let made = (kind?.fields ?? []).filter { $0.suffix.isEmpty && $0.value.isMadeUp }.map(\.path)
    guard made.count == 1 else {
      let kind = kind.map { "the kind \($0.name)" } ?? "the record"
      throw CommandError.usage(
        "-g", made.isEmpty ? "\(kind) has no password" : "\(kind) has several passwords",
        "name the field after the record: RECORD FIELD -g")
    }
    let recipe = PasswordRecipe.making(kind?.value(at: made[0]), recipe)
    return [SecretStep(made[0], option: "-g", source: .password(nil), note: "\(made[0]): generated, \(recipe.size)")]
  }

  /// The step of one `--generate`. If it has a length, only `--symbols` can accompany it.
  private func generating(_ text: String) throws -> SecretStep {
    guard text.contains("=") else {
      return SecretStep(try .argument(text, of: "--generate"), option: "--generate", source: .password(nil))
    }
    let (path, number) = try MemberPath.assignment(text, of: "--generate")
    guard let length = Int(number), PasswordRecipe.lengths.contains(length) else {
      throw CommandError.usage("--generate", "takes a length of 8 to 1024", "write it like --generate access_key=32")
    }
    guard [nil, "--symbols"].contains(password.given) else {
      throw CommandError.usage(
        "--generate", "\(path)=\(length) cannot be combined with --length, --words, --words-from or --rules")
    }
    return SecretStep(path, option: "--generate", source: .password(.characters(length, symbols: password.symbols)))
  }
}

/// A sealed value that a command needs, and its source.
private struct SecretStep {
  enum Source {
    case prompt
    case file(String)
    case standardInput
    /// A recipe of its own; nil for the usual one.
    case password(PasswordRecipe?)
  }

  let path: MemberPath
  let option: String
  let source: Source
  let note: String?

  func at(_ path: MemberPath) -> SecretStep { SecretStep(path, option: option, source: source, note: note) }

  init(_ path: MemberPath, option: String, source: Source, note: String? = nil) {
    self.note = note
    self.path = path
    self.option = option
    self.source = source
  }

  /// Refuses a readable member, because its value would be stored in clear.
  func check(_ kind: RecordKind?) throws {
    let places = kind?.inputPaths(kind?.inputPath(path) ?? path) ?? []
    guard let readable = places.first(where: { kind?.value(at: $0)?.isSealed == false }) else { return }
    throw CommandError.usage(
      option, "\(readable) is a readable field", "give it as \(readable)=VALUE (with `add`: --set \(readable)=VALUE)")
  }

  /// Gets the value. Refuses an empty value, because a failed command in front of a pipe must not erase a secret.
  ///
  /// - Parameter recipe: the recipe at a prompt, and the default.
  func read(
    _ kind: RecordKind?, recipe: PasswordRecipe?, isMade: inout Bool, global: GlobalOptions
  ) throws -> SecretBytes {
    let secret: SecretBytes
    let isBytes = kind?.value(at: path)?.isBytes == true
    switch source {
    case .file(let file): secret = try given(file, isBytes: isBytes, global: global)
    case .standardInput: secret = try given("-", isBytes: isBytes, global: global)
    case .password(let own):
      secret = try PasswordRecipe.making(kind?.value(at: path), own ?? recipe).make()
      isMade = true
    case .prompt: secret = try asked(kind, recipe: recipe, isMade: &isMade, global: global)
    }
    // An empty file is allowed and was read as one.
    if isBytes, case .file = source { return secret }
    guard secret.count > 0 else {
      throw refused("the value from \(option) is empty")
        .hinting("nothing was changed; `vault unset RECORD \(path)` removes the field")
    }
    // The prompt has checked it already.
    if case .prompt = source { return secret }
    if let fault = kind?.value(at: path)?.fault(ofSecret: secret.string ?? "", global) { throw refused(fault) }
    return secret
  }

  private func given(_ file: String, isBytes: Bool, global: GlobalOptions) throws -> SecretBytes {
    try isBytes ? SecretInput.base64(ofFile: file) : SecretInput.file(file).value(at: path, global.messages)
  }

  private func refused(_ reason: String) -> CommandError {
    var error = CommandError(.inputRefused, "input_refused", subject: "\(path)", reason)
    error.field = path.description
    return error
  }

  /// Asks until the kind accepts the value. Without a terminal, the step is declined.
  private func asked(
    _ kind: RecordKind?, recipe: PasswordRecipe?, isMade: inout Bool, global: GlobalOptions
  ) throws -> SecretBytes {
    guard let terminal = Terminal(noInput: global.noInput) else {
      throw CommandError(
        .declined, "declined", subject: option, "there is no terminal to ask for the secret",
        hints: ["use --secret-stdin FIELD or --secret-file FIELD=FILE"])
    }
    let value = kind?.value(at: path)
    let prompt = SecretPrompt(
      Printable.text("\(path)"), value: value, mayBeEmpty: false, recipe: recipe, global: global)
    return try prompt.answer(at: terminal, isMade: &isMade) { text in
      do throws(RecordError) {
        _ = try kind?.plaintext(of: kind?.argument(text, at: path) ?? .string(text), at: path)
        return value?.fault(ofSecret: text, global)
      } catch {
        return error.reason
      }
    } ?? SecretBytes(count: 0) { _ in }
  }
}

extension [MemberPath] {
  /// Refuses a member that is given twice.
  package func checkDistinct() throws {
    var seen: Set<MemberPath> = []
    for path in self where !seen.insert(path).inserted {
      throw CommandError.usage("\(path)", "is given more than once")
    }
  }
}
