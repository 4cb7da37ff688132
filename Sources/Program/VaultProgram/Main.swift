import VaultCommands

/// The executable. `VaultCommands` does all the work.
@main
struct Main {
  static func main() { VaultProgram.run() }
}
