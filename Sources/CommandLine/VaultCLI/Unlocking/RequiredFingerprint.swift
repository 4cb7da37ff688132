import VaultDocument
package import VaultKit
package import VaultTerminal

/// The fingerprint that somebody says a vault has.
package struct RequiredFingerprint {
  private let wanted: String
  /// The option or the variable that says so.
  private let name: String

  package init(_ text: String, option name: String) {
    wanted = text.lowercased().filter { $0 != " " && $0 != ":" }
    self.name = name
  }

  /// What an option says, else the variable; nil where neither does.
  package init?(_ options: VaultOptions) {
    if let option = options.requireFingerprint {
      self.init(option, option: "--require-fingerprint")
    } else if let variable = System.variable("CVAULT_FINGERPRINT") {
      self.init(variable, option: "CVAULT_FINGERPRINT")
    } else {
      return nil
    }
  }

  /// Whether a vault has it.
  package func isOf(_ vault: LockedVault) throws -> Bool {
    guard wanted.utf8.count == 40, (try? Hex.decode(wanted)) != nil else {
      throw CommandError.usage(name, "is no fingerprint: 40 hex digits", "`vault fingerprint` prints it")
    }
    return try vault.fingerprint() == wanted
  }

  /// Refuses a vault that has another one.
  ///
  /// - Parameter subject: where it is, for the error.
  package func check(_ vault: LockedVault, at subject: String) throws {
    guard try !isOf(vault) else { return }
    throw CommandError(
      .unexpectedVault, "unexpected_vault", subject: subject, "is another vault than the required one",
      hints: [
        "its fingerprint is \(try vault.fingerprint()), \(name) wants \(wanted)", "find out why before you unlock it",
      ])
  }
}
