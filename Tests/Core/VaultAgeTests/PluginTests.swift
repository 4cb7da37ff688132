import Synchronization
import Testing
import VaultAge
import VaultCrypto

/// A plugin that says recorded lines, whatever it is told.
private final class RecordedPlugin: AgePluginHost, AgePluginProcess {
  private let lines: [UInt8]
  private let state = Mutex((offset: 0, heard: [UInt8](), ends: 0))

  /// The plugin says the commands and then `done`.
  init(_ commands: String...) { lines = bytes(commands.joined() + "-> done\n\n") }

  var heard: String { state.withLock { String(decoding: $0.heard, as: UTF8.self) } }
  var ends: Int { state.withLock { $0.ends } }

  func start(_ plugin: String, machine: String) -> any AgePluginProcess { self }
  func show(_ message: String, from plugin: String) -> Bool { true }
  func confirm(_ message: String, yes: String, no: String?, from plugin: String) -> Bool? { no == nil ? nil : false }
  func request(_ message: String, isSecret: Bool, from plugin: String) -> SecretBytes? {
    isSecret ? try? secret("0042") : nil
  }

  func write(_ bytes: RawSpan) {
    let copy = bytes.byteOffsets.map { bytes[octet: $0] }
    state.withLock { $0.heard += copy }
  }

  func read(into output: inout MutableRawSpan, at offset: Int) -> Int {
    let next = state.withLock { state -> UInt8? in
      guard state.offset < lines.count else { return nil }
      state.offset += 1
      return lines[state.offset - 1]
    }
    guard let next else { return 0 }
    // One byte at a time, as the slowest pipe.
    output.storeBytes(of: next, toByteOffset: offset, as: UInt8.self)
    return 1
  }

  func end() { state.withLock { $0.ends += 1 } }
}

@Suite("age plugins")
struct PluginTests {
  private static let recipientText = "age1sample1lhhyxr2qh4taa6kpsmxe0yqr85tz2wgn"
  private static let identityText = "AGE-PLUGIN-SAMPLE-1LHHYXR2QH4TAA6KPSMXE0YQR85VXZ347"
  /// A stanza of the type `sample` with a body of three bytes.
  private static let stanza = "-> recipient-stanza 0 sample word\nAQID\n"

  private func sealed(by plugin: RecordedPlugin) throws -> [UInt8] {
    try AgePlugins.$host.withValue(plugin) { try seal([1], to: [AgeRecipient(parsing: Self.recipientText)]) }
  }

  @Test("a plugin's recipient and identity keep their text, and each tells the plugin's name")
  func texts() throws {
    let recipient = try AgeRecipient(parsing: Self.recipientText)
    let identity = try identity(Self.identityText)
    #expect(recipient.text == Self.recipientText)
    #expect(recipient.pluginName == "sample")
    #expect(identity.pluginName == "sample")
    #expect(try contents(identity.text()) == bytes(Self.identityText))
    #expect(identity.mayOpen(recipient))
    #expect(try !AgeIdentity.generate().mayOpen(recipient))
    #expect(try !identity.mayOpen(AgeIdentity.generate().recipient))
    expect(.unsupportedIdentity) { _ = try identity.recipient }
    #expect(!"\(identity)".contains("LHHYXR"))
  }

  @Test("the plugin is told the recipient and the file key, and its stanza is the one of the file")
  func wraps() throws {
    let plugin = RecordedPlugin(Self.stanza)
    let file = try sealed(by: plugin)
    #expect(try header(file).stanzas == [AgeStanza(type: "sample", arguments: ["word"], body: [1, 2, 3])])
    let heard = plugin.heard.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(heard[0] == "-> add-recipient \(Self.recipientText)")
    #expect(heard[2] == "-> wrap-file-key")
    #expect(heard[3].utf8.count == 22)
    #expect(heard[4...] == ["-> extension-labels", "", "-> done", "", "-> ok", "", ""])
    #expect(plugin.ends == 1)
  }

  @Test("each question gets the answer that the protocol names")
  func answers() throws {
    let plugin = RecordedPlugin(
      "-> msg\nSGVsbG8\n", "-> confirm WWVz Tm8\nSGVsbG8\n", "-> request-secret\nUElO\n",
      "-> grease some words\nAAAA\n",
      Self.stanza)
    _ = try sealed(by: plugin)
    #expect(
      plugin.heard.hasSuffix("-> ok\n\n-> ok no\n\n-> ok\nMDA0Mg\n-> unsupported\n\n-> ok\n\n"), "\(plugin.heard)")
  }

  @Test("a body of whole lines ends with an empty line, in both directions")
  func wholeLines() throws {
    let digits = String(repeating: "A", count: 64)
    let plugin = RecordedPlugin("-> recipient-stanza 0 sample\n\(digits)\n\n")
    let file = try sealed(by: plugin)
    #expect(try header(file).stanzas[0].body == [UInt8](repeating: 0, count: 48))
    let opener = RecordedPlugin()
    expect(.noMatchingIdentity) {
      _ = try AgePlugins.$host.withValue(opener) { try open(file, [.identity(identity(Self.identityText))]) }
    }
    #expect(
      opener.heard == "-> add-identity \(Self.identityText)\n\n-> recipient-stanza 0 sample\n\(digits)\n\n-> done\n\n")
  }

  @Test("without a host no plugin is asked")
  func noHost() {
    expect(.pluginMissing) { _ = try seal([1], to: [AgeRecipient(parsing: Self.recipientText)]) }
  }

  @Test(
    "what breaks the protocol is refused, and the plugin is ended",
    arguments: [
      "", "-> recipient-stanza 1 sample\nAQID\n", "-> recipient-stanza 0\nAQID\n",
      "-> recipient-stanza 0 scrypt AAAA 10\nAQID\n", "-> recipient-stanza 0 sample\n!!\n", "no stanza\n\n", "\n\n",
      "-> \n\n", "->  x\n\n", "-> labels a\n\n-> labels a\n\n" + stanza, "-> labels a a\n\n" + stanza,
      "-> confirm\n\n" + stanza, "-> confirm !!\n\n" + stanza, "-> confirm WWVz WWVz WWVz\n\n" + stanza,
      "-> confirm WWVz\n\n", "-> error internal\nSGVsbG8\n" + stanza,
    ])
  func refused(_ commands: String) throws {
    let plugin = RecordedPlugin(commands)
    expect(.pluginFailed) { _ = try sealed(by: plugin) }
    #expect(plugin.ends == 1)
  }

  @Test("the message of a plugin's error is on one line and cut")
  func complaint() throws {
    let long = AgeStanza.text([UInt8](repeating: UInt8(ascii: "x"), count: 3000))
    var lines = ""
    for (offset, digit) in long.enumerated() { lines += (offset > 0 && offset % 64 == 0 ? "\n" : "") + String(digit) }
    let plugin = RecordedPlugin("-> error internal\n\(lines)\(long.utf8.count % 64 == 0 ? "\n" : "")\n")
    let error = #expect(throws: AgeError.self) { try sealed(by: plugin) }
    #expect(error?.reason == "age-plugin-sample says: " + String(repeating: "x", count: 400) + "…")
  }

  @Test(
    "a name with other characters than those of the specification is refused",
    arguments: ["age1a/b1lhhyxr2qh4taa6kpsmxe0yqr85tz2wgn", "age1sample1lhhyxr2qh4taa6kpsmxe0yqr85tz2wgx"])
  func names(_ text: String) {
    expect(.malformedRecipient) { _ = try AgeRecipient(parsing: text) }
  }
}
