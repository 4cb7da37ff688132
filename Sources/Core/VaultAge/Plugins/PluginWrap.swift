import VaultCrypto

/// The two state machines of plugins: one wraps a file key, the other unwraps it.
///
/// Source: c2sp.org/age-plugin, "Wrapping with recipient-v1" and "Unwrapping with identity-v1".
enum PluginWrap {
  /// The stanzas of recipients of one plugin, and the labels that the plugin gives them.
  static func wrap(
    _ fileKey: SecretBytes, to recipients: [String], of plugin: String
  ) throws(AgeError) -> (stanzas: [AgeStanza], labels: Set<String>) {
    var exchange = try PluginExchange(with: plugin, machine: "recipient-v1")
    for recipient in recipients { try exchange.send("add-recipient", recipient) }
    try exchange.send("wrap-file-key", body: fileKey)
    try exchange.send("extension-labels")
    var stanzas: [AgeStanza] = []
    var labels: Set<String>?
    try exchange.answerCommands { (command) throws(AgeError) in
      switch command.type {
      case "recipient-stanza": stanzas.append(try stanza(command, plugin))
      case "labels":
        guard labels == nil, Set(command.arguments).count == command.arguments.count else {
          throw AgeError(plugin: plugin, "sends its labels twice")
        }
        labels = Set(command.arguments)
      default: return false
      }
      guard stanzas.count <= AgeHeader.maximumStanzaCount else {
        throw AgeError(plugin: plugin, "sends more stanzas than a header can have")
      }
      return true
    }
    try exchange.requireNoComplaint()
    guard stanzas.count >= recipients.count else { throw exchange.fault("is done, but has wrapped no key") }
    return (stanzas, labels ?? [])
  }

  private static func stanza(_ command: PluginStanza, _ plugin: String) throws(AgeError) -> AgeStanza {
    let words = command.arguments
    guard words.count >= 2, words[0] == "0" else {
      throw AgeError(plugin: plugin, "sends a stanza for another file")
    }
    // A reader would ask for a passphrase, and refuse every other stanza of the file.
    guard words[1] != AgeStanza.scryptType else { throw AgeError(plugin: plugin, "sends a stanza for a passphrase") }
    guard let body = try? command.body() else { throw AgeError(plugin: plugin, "sends a stanza that is malformed") }
    return AgeStanza(type: words[1], arguments: Array(words.dropFirst(2)), body: body)
  }

  /// The file key in one of the stanzas; nil if none is for an identity.
  static func unwrap(
    _ stanzas: [AgeStanza], with identity: SecretBytes, of plugin: String
  ) throws(AgeError) -> SecretBytes? {
    var exchange = try PluginExchange(with: plugin, machine: "identity-v1")
    try exchange.send("add-identity", word: identity)
    for stanza in stanzas { try exchange.send(stanza, as: "recipient-stanza", "0") }
    var fileKey: SecretBytes?
    try exchange.answerCommands { (command) throws(AgeError) in
      guard command.type == "file-key" else { return false }
      guard command.arguments == ["0"], fileKey == nil else {
        throw AgeError(plugin: plugin, "sends a key twice, or for another file")
      }
      guard let key = try command.secretBody(count: FileKey.byteCount) else {
        throw AgeError(plugin: plugin, "sends a key that is not 16 bytes long")
      }
      fileKey = key
      return true
    }
    if fileKey == nil { try exchange.requireNoComplaint() }
    return fileKey
  }
}
