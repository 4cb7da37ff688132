import VaultCrypto
internal import VaultDocument

/// One run of a plugin: a phase in which this program speaks, then one in which the plugin does.
///
/// Source: c2sp.org/age-plugin, "State machines".
struct PluginExchange: ~Copyable {
  private let name: String
  private let host: any AgePluginHost
  private let process: any AgePluginProcess
  /// The bytes after the last message.
  private var rest: SecretBytes
  /// The first failure that the plugin has told.
  private var complaint: String?
  /// Whether the plugin wanted an answer that nobody could give.
  private var isUnanswered = false

  /// More messages of one run mean that the plugin does not come to an end.
  private static let maximumMessageCount = 4096

  /// Starts the plugin. The exchange ends it.
  init(with plugin: String, machine: String) throws(AgeError) {
    guard let host = AgePlugins.host else {
      throw AgeError(plugin: plugin, "is needed, but this program runs no plugins", code: .pluginMissing)
    }
    let empty = try AgeError.mappingCrypto { () throws(CryptoError) in try SecretBytes(count: 0) { _ in } }
    let process = try host.start(plugin, machine: machine)
    (name, self.host, self.process, rest) = (plugin, host, process, empty)
  }

  deinit { process.end() }

  func fault(_ reason: String) -> AgeError { AgeError(plugin: name, reason) }

  /// Sends a command or an answer.
  func send(_ words: String..., word: SecretBytes? = nil, body: SecretBytes? = nil) throws(AgeError) {
    try PluginStanza.text(words, word: word, body: body).withBytes { (bytes) throws(AgeError) in
      try process.write(bytes)
    }
  }

  /// Sends a stanza of a header behind a command.
  func send(_ stanza: AgeStanza, as words: String...) throws(AgeError) {
    let body = try AgeError.mappingCrypto { () throws(CryptoError) in
      try SecretBytes(copying: RawSpan(_elements: stanza.body.span))
    }
    let text = try PluginStanza.text(words + [stanza.type] + stanza.arguments, body: body)
    try text.withBytes { (bytes) throws(AgeError) in try process.write(bytes) }
  }

  /// Ends the phase of this program and answers the commands of the plugin, until it is done.
  ///
  /// - Parameter take: handles a command of this state machine; false for any other command.
  mutating func answerCommands(_ take: (PluginStanza) throws(AgeError) -> Bool) throws(AgeError) {
    try send("done")
    for _ in 0..<Self.maximumMessageCount {
      let stanza = try receive()
      if stanza.type == "done" { return }
      if try take(stanza) { try send("ok") } else { try answer(stanza) }
    }
    throw fault("sends messages without end")
  }

  /// Throws the failure that the plugin has told, or that it got no answer.
  func requireNoComplaint() throws(AgeError) {
    if isUnanswered { throw fault("asks for something, and nobody can answer" + (complaint.map { ": \($0)" } ?? "")) }
    if let complaint { throw fault("says: \(complaint)") }
  }
}

extension PluginExchange {
  /// Answers a command that both state machines have.
  private mutating func answer(_ stanza: PluginStanza) throws(AgeError) {
    switch stanza.type {
    case "msg": try send(host.show(text(of: stanza), from: name) ? "ok" : "fail")
    case "confirm": try confirm(stanza)
    case "request-public", "request-secret":
      let isSecret = stanza.type == "request-secret"
      if let answer = host.request(try text(of: stanza), isSecret: isSecret, from: name) {
        try send("ok", body: answer)
      } else {
        try refuse()
      }
    case "error":
      if complaint == nil { complaint = try text(of: stanza) }
      try send("ok")
    default: try send("unsupported")
    }
  }

  private mutating func confirm(_ stanza: PluginStanza) throws(AgeError) {
    var options: [String] = []
    for argument in stanza.arguments {
      var bytes: [UInt8] = []
      guard Base64.append(decoding: argument.utf8Span.span, .unpadded, to: &bytes) else { throw garbled }
      options.append(Self.line(String(decoding: bytes, as: UTF8.self), limit: 100))
    }
    guard let yes = options.first, options.count <= 2 else { throw garbled }
    let no = options.count == 2 ? options[1] : nil
    guard let isYes = host.confirm(try text(of: stanza), yes: yes, no: no, from: name) else { return try refuse() }
    try send("ok", isYes ? "yes" : "no")
  }

  private mutating func refuse() throws(AgeError) {
    isUnanswered = true
    try send("fail")
  }

  private var garbled: AgeError { fault("writes something that is not a message of the protocol") }

  /// The message of a command, as one line.
  private func text(of stanza: PluginStanza) throws(AgeError) -> String {
    do throws(AgeError) {
      return Self.line(try stanza.message(), limit: 400)
    } catch {
      throw error.code == .malformedHeader ? garbled : error
    }
  }

  /// A text of a plugin without line feeds, cut to a length that a person can read.
  private static func line(_ text: String, limit: Int) -> String {
    let scalars = text.unicodeScalars.prefix(limit + 1)
    let line = scalars.prefix(limit).map { $0 == "\n" || $0 == "\r" ? " " : String($0) }.joined()
    return scalars.count > limit ? line + "…" : line
  }

  /// The next message of the plugin.
  private mutating func receive() throws(AgeError) -> PluginStanza {
    var held = rest
    while true {
      if let end = held.withBytes({ PluginStanza.end(in: $0) }) {
        let (text, more) = try AgeError.mappingCrypto { () throws(CryptoError) in
          (try held.slice(0..<end), try held.slice(end..<held.count))
        }
        rest = more
        do throws(AgeError) {
          return try PluginStanza(text)
        } catch {
          throw error.code == .malformedHeader ? garbled : error
        }
      }
      guard held.count < PluginStanza.maximumByteCount else { throw fault("sends a message of more than 64 KiB") }
      held = try filled(held)
    }
  }

  /// `held`, and the bytes of one more read.
  private func filled(_ held: SecretBytes) throws(AgeError) -> SecretBytes {
    var count = 0
    var failure: AgeError?
    let more = try AgeError.mappingCrypto { () throws(CryptoError) in
      try SecretBytes(count: held.count + max(1024, held.count)) { (output) throws(CryptoError) in
        held.withBytes { output.copy($0, at: 0) }
        do throws(AgeError) { count = try process.read(into: &output, at: held.count) } catch { failure = error }
      }
    }
    if let failure { throw failure }
    guard count > 0 else { throw fault("ended before it was done") }
    return try AgeError.mappingCrypto { () throws(CryptoError) in try more.slice(0..<held.count + count) }
  }
}
