import VaultCrypto
import VaultSystem
import VaultTerminal

/// A running ssh-agent, reached through ssh-add.
struct SSHAgent {
  /// The limits under which the agent keeps a key.
  struct Limits {
    /// Nil for as long as the agent runs.
    var lifetime: Duration?
    var isConfirmed = false
    /// The hosts on which the key can be used, as ssh-add(1) describes.
    var hosts: [String] = []
  }

  let socket: String

  private static let tool = "ssh-add"
  /// The exit code of ssh-add if no agent answers.
  private static let noAgent: Int32 = 2
  /// The limit of ssh-add, which also fits into a pipe without a reader.
  private static let longestPassphrase = 1024

  /// The agent of `SSH_AUTH_SOCK`.
  static func running() throws -> SSHAgent {
    guard let named = System.environment("SSH_AUTH_SOCK"), !named.isEmpty else {
      throw missing("SSH_AUTH_SOCK", "does not name an ssh-agent")
    }
    // The note is read in other folders as well, so the path must be absolute.
    let agent = SSHAgent(socket: ProcessEnvironment.realPath(named) ?? named)
    guard try agent.keys() != nil else { throw missing(named, "no ssh-agent answers there") }
    return agent
  }

  private static func missing(_ subject: String, _ reason: String) -> CommandError {
    CommandError(
      .inputOutput, "no_ssh_agent", subject: subject, reason,
      hints: ["`eval \"$(ssh-agent)\"` starts one for this shell"])
  }

  /// The keys of the agent, each as `TYPE BASE64`; nil if no agent answers.
  func keys() throws -> Set<String>? {
    let answer = try ask(["-L"], RawSpan())
    guard answer.code != Self.noAgent else { return nil }
    return Set(
      answer.text.split(whereSeparator: \.isNewline).map { line in
        line.split(separator: " ").prefix(2).joined(separator: " ")
      })
  }

  /// Gives the agent a private key. A key that the agent has already gets the new limits.
  ///
  /// - Parameter passphrase: the passphrase of the key, if it has one.
  func add(_ key: SecretBytes, passphrase: SecretBytes?, _ limits: Limits) throws {
    guard passphrase?.count ?? 0 <= Self.longestPassphrase else {
      throw CommandError(.inputRefused, "input_refused", subject: "passphrase", "is longer than ssh-add allows")
    }
    let ends = try System.makePipe()
    defer { System.closePipe(ends.reading) }
    let written = Result { () throws(SystemError) in
      try passphrase?.withBytes { bytes throws(SystemError) in try System.writeAll(bytes, to: ends.writing) }
    }
    System.closePipe(ends.writing)
    try written.get()
    var words = ["-q"]
    if let lifetime = limits.lifetime { words += ["-t", "\(lifetime.components.seconds)"] }
    if limits.isConfirmed { words.append("-c") }
    for host in limits.hosts { words += ["-h", host] }
    let variables = try Askpass.variables(reading: ends.reading)
    let answer = try key.withBytes { try ask(words + ["-"], $0, adding: variables, kept: [ends.reading]) }
    guard answer.code != 0 else { return }
    let said = answer.text.split(whereSeparator: \.isNewline).first.map { Printable.text(String($0.prefix(200))) }
    throw CommandError(
      .failed, "ssh_add_failed", subject: nil,
      said.map { "ssh-add says: \($0)" } ?? "the passphrase of the private key is wrong, or missing",
      hints: said == nil ? ["`vault set RECORD --secret passphrase` stores it"] : [])
  }

  enum Removal {
    case removed
    /// The agent does not show the key, because its time is over or because the agent is locked. The two look the same.
    case notShown
    case agentGone
  }

  func remove(_ publicKey: String) throws -> Removal {
    let line = Array("\(publicKey)\n".utf8)
    guard try unsafe ask(["-q", "-d", "-"], line.span.bytes).code != 0 else { return .removed }
    guard let keys = try keys() else { return .agentGone }
    guard keys.contains(publicKey) else { return .notShown }
    throw CommandError(
      .failed, "ssh_add_failed", subject: socket, "the ssh-agent does not remove the key",
      hints: ["`SSH_AUTH_SOCK=\(Printable.text(socket)) ssh-add -D` removes all of its keys"])
  }

  private func ask(
    _ words: [String], _ input: RawSpan, adding variables: [String] = [], kept: [Int32] = []
  ) throws -> (code: Int32, text: String) {
    let replaced = ["SSH_AUTH_SOCK=\(socket)"] + variables
    let names = replaced.map { $0.prefix { $0 != "=" } + "=" }
    let inherited = System.variablesForTools().filter { variable in !names.contains { variable.hasPrefix($0) } }
    let answer = try System.answerOfTool(
      Self.tool, arguments: words, value: input, variables: inherited + replaced, kept: kept)
    guard let answer else {
      throw CommandError(
        .inputOutput, "no_ssh_add", subject: Self.tool, "is not installed",
        hints: ["install openssh-client, or the package that has ssh-add here"])
    }
    return answer
  }
}
