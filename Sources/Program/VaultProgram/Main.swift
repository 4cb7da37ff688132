import VaultCommands

/// The executable: everything it does is in `VaultCommands`.
@main
struct Main {
  static func main() { VaultProgram.run() }
}
