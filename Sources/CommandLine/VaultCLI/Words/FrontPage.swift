import ArgumentParser

/// The page of `vault --help`: the commands of a first day. `vault help all` has all of them.
enum FrontPage {
  /// The commands as users type them, in the order of use.
  private static let names = [
    "init", "import", "add", "get", "copy", "otp", "list", "find", "set", "edit", "rm", "restore", "run", "key",
    "backup", "check",
  ]

  /// The page: 30 lines of at most 80 columns.
  static var text: String {
    let commands = names.compactMap { name -> String? in
      guard let summary = CommandNames.subcommand(name, of: VaultCommand.self)?.configuration.abstract else {
        return nil
      }
      return "  " + name + String(repeating: " ", count: 10 - name.count) + summary
    }
    return """
      vault keeps passwords, keys and other records in files and seals their secrets.

      USAGE: vault <command> …   (`vault` alone lets you pick a record at a terminal)

      \(commands.joined(separator: "\n"))

      Example:
        vault init my-vault --generate-identity identity.txt
        export CVAULT_DIR=my-vault CVAULT_IDENTITY_FILE=identity.txt
        vault add login GitHub username=ada --generate password=20
        vault copy GitHub

      `vault <command> --help` explains one command; `vault help all` lists them all.
      `vault help topics` lists the manual pages; `vault help TOPIC` shows one.
      """
  }

  /// The page for users without a vault.
  static let start = """
    There is no vault here. Make one, or read the help:
      vault init my-vault --generate-identity identity.txt
      vault --help
    """
}
