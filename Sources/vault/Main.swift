import VaultCommands

/// The executable: everything it does is in `VaultCommands`.
@main
struct Main {
  static func main() async { await VaultProgram.run() }
}
