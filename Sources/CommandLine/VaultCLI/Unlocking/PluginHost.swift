import VaultAge
import VaultCrypto
import VaultKit
import VaultTerminal

/// Runs age plugins for a command, and lets the person at the terminal answer them.
struct PluginHost: AgePluginHost {
  /// Whether questions are forbidden.
  let noInput: Bool
  let messages: Messages

  /// How long a plugin may be silent, for example while it waits for a touch.
  private static let defaultSeconds = 120

  func start(_ plugin: String, machine: String) throws(AgeError) -> any AgePluginProcess {
    let seconds = System.environment("CVAULT_PLUGIN_TIMEOUT").flatMap { Int32($0) } ?? Int32(Self.defaultSeconds)
    guard (1...3600).contains(seconds) else {
      throw AgeError(plugin: plugin, "was not run: CVAULT_PLUGIN_TIMEOUT must be between 1 and 3600 seconds")
    }
    messages.detail("running age-plugin-\(plugin)")
    let wait = PluginProcess.Wait(limit: seconds * 1000) { messages.note("waiting for age-plugin-\(plugin)") }
    return try PluginProcess(plugin, argument: "--age-plugin=\(machine)", wait: wait)
  }

  func show(_ message: String, from plugin: String) -> Bool {
    guard let terminal = Terminal(noInput: noInput) else {
      guard !messages.isQuiet, !messages.isJSON else { return false }
      messages.note("age-plugin-\(plugin): \(message)")
      return true
    }
    return (try? terminal.say(Self.line(message, plugin) + "\n")) != nil
  }

  func confirm(_ message: String, yes: String, no: String?, from plugin: String) -> Bool? {
    guard let terminal = Terminal(noInput: noInput) else { return nil }
    terminal.dropTyped()
    let line = Self.line(message, plugin)
    guard let no else {
      let answer = try? terminal.answer("\(line)\n[Enter: \(Printable.text(yes)), Ctrl-C: stop] ")
      return answer.map { _ in true }
    }
    let choice = "1: \(Printable.text(yes)), 2: \(Printable.text(no))"
    for _ in 0..<3 {
      guard let answer = try? terminal.answer("\(line)\n[\(choice)] ") else { return nil }
      if ["1", "2"].contains(answer) { return answer == "1" }
    }
    return nil
  }

  func request(_ message: String, isSecret: Bool, from plugin: String) -> SecretBytes? {
    guard let terminal = Terminal(noInput: noInput) else { return nil }
    let prompt = Self.line(message, plugin) + ": "
    if isSecret { return try? terminal.secret(prompt) }
    return (try? terminal.answer(prompt)).flatMap { try? SecretBytes(utf8: $0) }
  }

  private static func line(_ message: String, _ plugin: String) -> String {
    "age-plugin-\(plugin): \(Printable.text(message))"
  }
}

extension VaultKey {
  /// Whether only a plugin can open a slot of the vault with this key. A plugin may ask somebody for something.
  func needsPlugin(for header: VaultHeader) -> Bool {
    guard case .identities(let identities) = self, identities.contains(where: { $0.pluginName != nil }) else {
      return false
    }
    let own = identities.filter { $0.pluginName == nil }
    return !header.slots.contains { $0.mayOpen(with: own) }
  }
}
