import VaultCLI
import VaultCrypto
import VaultDocument
import VaultSystem
import VaultTerminal

/// Clears a clipboard later, if it still holds the value, and restores the earlier text.
///
/// A background process does this. It knows a keyed hash of the value, not the value itself.
struct ClipboardClearing {
  private static let macKeyByteCount = 32
  private static let ticketByteCount = 16
  /// A longer text is not restored.
  private static let maximumByteCountBefore = 1 << 20

  let clipboard: Clipboard
  let seconds: Int

  /// The text in the clipboard before a value is put there; empty if it must not or cannot be restored.
  ///
  /// A value of an earlier copy that still waits for clearing is not restored.
  func contentBefore() -> [UInt8] {
    guard seconds > 0, Self.newestTicket == nil,
      let content = clipboard.content(limit: Self.maximumByteCountBefore), !content.contains(0),
      String(validating: content, as: UTF8.self) != nil
    else { return [] }
    return content
  }

  /// Starts the waiting process, unless the value stays forever. Any earlier process gives up.
  func begin(for value: RawSpan, before: [UInt8]) throws {
    let ticket = try SecureRandom.bytes(count: Self.ticketByteCount)
    Self.remember(ticket)
    if seconds > 0 { try startWaiting(for: value, ticket, before) }
  }

  private func startWaiting(for value: RawSpan, _ ticket: [UInt8], _ before: [UInt8]) throws {
    let secret = try SecureRandom.bytes(count: Self.macKeyByteCount)
    let mac = try unsafe HMACSHA256.authenticate(value, key: secret.span.bytes)
    var words = ["vault", "clear-clipboard", "--via", clipboard.way.rawValue, "--clear-after", "\(seconds)"]
    if clipboard.isPrimary { words.append("--primary") }
    let ends = try System.makePipe()
    let streams = ChildStreams(input: ends.reading, closesOthers: true, dropsOutput: true, isAlone: true)
    defer { System.closePipe(ends.writing) }
    defer { System.closePipe(ends.reading) }
    let variables = System.variablesForTools() + (StateLocation.path.map { ["CVAULT_STATE_DIR=\($0)"] } ?? [])
    _ = try System.spawn(System.ownProgram, words, variables: variables, streams: streams)
    try System.writeAll(secret + mac + ticket + before, to: ends.writing)
  }

  /// The work of the waiting process.
  func waitAndClear() async throws {
    let byteCount = Self.macKeyByteCount + HMACSHA256.byteCount + Self.ticketByteCount
    guard let given = System.bytes(from: System.standardInput, limit: byteCount + Self.maximumByteCountBefore),
      given.count >= byteCount
    else {
      throw CommandError.usage("clear-clipboard", "is started only by `vault copy`")
    }
    let secret = Array(given[..<Self.macKeyByteCount])
    let mac = Array(given[Self.macKeyByteCount..<(byteCount - Self.ticketByteCount)])
    let ticket = Array(given[(byteCount - Self.ticketByteCount)..<byteCount])
    let before = Array(given[byteCount...])
    // This clock continues while the machine sleeps.
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
      try await Task.sleep(for: min(.seconds(1), ContinuousClock.now.duration(to: end)))
      // Something was copied since then, perhaps the same value. The newer process clears it.
      if let newest = Self.newestTicket, newest != ticket { return }
    }
    // A value is at most as long as a secret.
    if let content = clipboard.content(limit: SecretInput.maximumByteCount),
      try unsafe HMACSHA256.isValid(mac.span.bytes, for: content.span.bytes, key: secret.span.bytes)
    {
      unsafe clipboard.giveBack(before.span.bytes)
    }
    if let path = Self.ticketPath { System.remove(path) }
  }

  private static var ticketPath: String? { StateLocation.path.map { $0 + "/clipboard" } }

  /// The ticket of the last copy; nil if it cannot be read.
  private static var newestTicket: [UInt8]? {
    guard let path = ticketPath, let file = try? NamedFile.plain(path) else { return nil }
    return try? TextInput.bytes(of: file, limit: ticketByteCount)
  }

  /// Remembers the last copy. If that fails, an earlier copy of the same value is cleared at its own time.
  private static func remember(_ ticket: [UInt8]) {
    guard let path = ticketPath else { return }
    try? System.makeDirectories(System.parent(of: path))
    guard let file = try? OutputFile.replacing(path) else { return }
    try? file.write(ticket)
    try? file.commit()
  }
}
