import ArgumentParser
import VaultCrypto
import VaultDocument
import VaultRecords

/// A value for a sealed field.
struct SecretAssignment {
  let path: MemberPath
  /// The option that it came from.
  let option: String
  let secret: SecretBytes
}

/// Where the values of sealed fields come from; never from an argument.
struct SecretOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Ask twice for a sealed value, without showing it.", valueName: "path"))
  var secret: [String] = []

  @Option(help: ArgumentHelp("Take a sealed value from a file.", valueName: "field=file"))
  var secretFile: [String] = []

  @Option(help: ArgumentHelp("Take a sealed value from standard input.", valueName: "path"))
  var secretStdin: [String] = []

  @Option(help: ArgumentHelp("Make up a password of so many characters (24).", valueName: "field[=length]"))
  var generate: [String] = []

  var isEmpty: Bool { secret.isEmpty && secretFile.isEmpty && secretStdin.isEmpty && generate.isEmpty }

  /// Refuses what cannot be read as an option; to be called before anything is unlocked.
  func checkForm() throws { _ = try plan() }

  /// Reads, asks for and makes up the values; paths are checked first, so that nobody types in vain.
  ///
  /// - Parameter kind: nil for a record of a kind that this program does not know.
  func assignments(for kind: RecordKind?, _ global: GlobalOptions) throws -> [SecretAssignment] {
    let plan = try plan()
    for step in plan { try step.check(kind) }
    return try plan.map { step in
      SecretAssignment(path: step.path, option: step.option, secret: try step.read(kind, global))
    }
  }

  private func plan() throws -> [SecretStep] {
    var steps: [SecretStep] = []
    for text in secret { steps.append(SecretStep(try .argument(text, of: "--secret"), "--secret", .prompt)) }
    for text in secretFile {
      let (path, file) = try MemberPath.assignment(text, of: "--secret-file")
      guard file != "-" else {
        throw CommandError.usage("--secret-file", "takes a file", "use --secret-stdin PATH for standard input")
      }
      steps.append(SecretStep(path, "--secret-file", .file(file)))
    }
    guard secretStdin.count <= 1 else {
      throw CommandError.usage("--secret-stdin", "is given more than once", "standard input holds one value")
    }
    for text in secretStdin {
      steps.append(SecretStep(try .argument(text, of: "--secret-stdin"), "--secret-stdin", .standardInput))
    }
    for text in generate { steps.append(try Self.generating(text)) }
    return steps
  }

  private static func generating(_ text: String) throws -> SecretStep {
    guard text.contains("=") else {
      return SecretStep(try .argument(text, of: "--generate"), "--generate", .password(Password.defaultLength))
    }
    let (path, number) = try MemberPath.assignment(text, of: "--generate")
    guard let length = Int(number), Password.lengths.contains(length) else {
      throw CommandError.usage("--generate", "takes a length of 8 to 1024", "such as --generate access_key=32")
    }
    return SecretStep(path, "--generate", .password(length))
  }
}

/// One value that is to be got.
private struct SecretStep {
  enum Source {
    case prompt
    case file(String)
    case standardInput
    case password(Int)
  }

  let path: MemberPath
  let option: String
  let source: Source

  init(_ path: MemberPath, _ option: String, _ source: Source) {
    self.path = path
    self.option = option
    self.source = source
  }

  /// Refuses a readable member: its value would be stored in clear.
  func check(_ kind: RecordKind?) throws {
    guard let schema = kind?.value(at: path), !schema.isSealed else { return }
    throw CommandError.usage(
      option, "\(path) is a readable field", "give it as \(path)=VALUE (with `add`: --set \(path)=VALUE)")
  }

  /// The value. An empty one is refused: a command that failed in front of a pipe must not replace a secret by nothing.
  func read(_ kind: RecordKind?, _ global: GlobalOptions) throws -> SecretBytes {
    let secret = try value(global)
    if let fault = kind?.value(at: path)?.fault(ofSecret: secret.string ?? "", global) {
      var error = CommandError(.inputRefused, "input_refused", subject: "\(path)", fault)
      error.field = path.description
      throw error
    }
    guard secret.count > 0 else {
      var error = CommandError(
        .inputRefused, "input_refused", subject: "\(path)", "the value from \(option) is empty",
        hints: ["`vault unset RECORD \(path)` takes a field away; nothing was changed"])
      error.field = path.description
      throw error
    }
    return secret
  }

  private func value(_ global: GlobalOptions) throws -> SecretBytes {
    switch source {
    case .file(let file): return try SecretInput.file(file)
    case .standardInput: return try SecretInput.file("-")
    case .password(let length): return try Password.make(length: length)
    case .prompt:
      guard let terminal = Terminal(noInput: global.noInput) else {
        throw CommandError(
          .declined, "declined", subject: option, "there is no terminal to ask at",
          hints: ["use --secret-stdin PATH or --secret-file FIELD=FILE"])
      }
      return try terminal.newSecret(Printable.text("\(path), not shown"))
    }
  }
}

extension [MemberPath] {
  /// Refuses a member that is given twice.
  func checkDistinct() throws {
    var seen: Set<MemberPath> = []
    for path in self where !seen.insert(path).inserted {
      throw CommandError.usage("\(path)", "is given more than once")
    }
  }
}
