package import VaultCrypto

/// The part of a program that starts age plugins, and asks a person what a plugin wants to know.
///
/// This module has neither processes nor terminals. Source: c2sp.org/age-plugin.
package protocol AgePluginHost: Sendable {
  /// Starts `age-plugin-NAME --age-plugin=MACHINE`.
  func start(_ plugin: String, machine: String) throws(AgeError) -> any AgePluginProcess

  /// Shows a message; false if nobody can see it. The text may hold any characters.
  func show(_ message: String, from plugin: String) -> Bool

  /// Lets a person choose between two options, or confirm the only one; nil if nobody can be asked.
  func confirm(_ message: String, yes: String, no: String?, from plugin: String) -> Bool?

  /// A text that is typed visibly or invisibly; nil if nobody can be asked.
  func request(_ message: String, isSecret: Bool, from plugin: String) -> SecretBytes?
}

/// A running plugin, as two streams.
package protocol AgePluginProcess: AnyObject {
  /// Writes all of the bytes. A plugin that has ended or does not read is an error.
  func write(_ bytes: RawSpan) throws(AgeError)

  /// Reads some bytes to `offset` and later, and returns their number; 0 means that the plugin has closed its output.
  /// A plugin that writes nothing for too long is an error.
  func read(into bytes: inout MutableRawSpan, at offset: Int) throws(AgeError) -> Int

  /// Ends the plugin and everything that it has started. Called once.
  func end()
}

/// The plugins that the code of a task may use.
package enum AgePlugins {
  /// Nil means that every plugin is refused.
  @TaskLocal package static var host: (any AgePluginHost)?
}

extension AgeError {
  /// A failure of a plugin. The name has only harmless characters.
  package init(plugin name: String, _ reason: String, code: Code = .pluginFailed) {
    self.init(layer: code, "age-plugin-\(name) \(reason)")
  }
}
