import VaultDocument
package import VaultKit
package import VaultTerminal

/// The fingerprint that the vault must have. Its form is checked only when it is compared.
package struct RequiredFingerprint {
  private let wanted: String
  /// The option or the variable with the fingerprint.
  private let name: String

  package init(_ text: String, option name: String) {
    wanted = text.lowercased().filter { $0 != " " && $0 != ":" }
    self.name = name
  }

  /// The value of the option, or of the variable; nil without both.
  package init?(_ options: VaultOptions) {
    if let option = options.requireFingerprint {
      self.init(option, option: "--require-fingerprint")
    } else if let variable = System.variable("CVAULT_FINGERPRINT") {
      self.init(variable, option: "CVAULT_FINGERPRINT")
    } else {
      return nil
    }
  }

  package func isOf(_ vault: LockedVault) throws -> Bool {
    guard wanted.utf8.count == 40, (try? Hex.decode(wanted)) != nil else {
      throw CommandError.usage(
        name, "must be a fingerprint of 40 hex digits", "`vault fingerprint` prints the fingerprint")
    }
    return try vault.fingerprint() == wanted
  }

  /// Refuses a vault with another fingerprint.
  ///
  /// - Parameter subject: the place of the vault, for the error.
  package func check(_ vault: LockedVault, at subject: String) throws {
    guard try !isOf(vault) else { return }
    throw CommandError(
      .unexpectedVault, "unexpected_vault", subject: subject, "is not the required vault",
      hints: [
        "its fingerprint is \(try vault.fingerprint()), but \(name) requires \(wanted)",
        "find out why before you unlock it",
      ])
  }
}
