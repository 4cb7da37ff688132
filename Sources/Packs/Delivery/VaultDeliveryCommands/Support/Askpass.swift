import VaultCrypto
import VaultSystem
import VaultTerminal

/// What ssh-add calls for the passphrase of a key: this program, which a variable tells where to read it.
enum Askpass {
  private static let variable = "CVAULT_ASKPASS_FD"

  /// The variables that make ssh-add ask this program, which then reads a descriptor.
  static func variables(reading descriptor: Int32) throws -> [String] {
    guard let program = ProcessEnvironment.realPath(System.ownProgram) else {
      throw CommandError(
        .failed, "no_program", subject: "ssh-add", "cannot ask this program for a passphrase: its file was replaced",
        hints: ["try again"])
    }
    // Without the second, ssh-add would ask at a terminal; an older one wants a display.
    return [
      "SSH_ASKPASS=\(program)", "SSH_ASKPASS_REQUIRE=force",
      "DISPLAY=\(System.environment("DISPLAY") ?? ":0")", "\(variable)=\(descriptor)",
    ]
  }

  /// Answers, if this process was started to do so: the first time with the passphrase, then with nothing, on which
  /// ssh-add gives up.
  static func answers() throws -> Bool {
    guard let descriptor = System.variable(variable).flatMap({ Int32($0) }) else { return false }
    let passphrase = try SecretInput.bytes(from: descriptor, named: variable)
    try passphrase.withBytes { try Output.write($0) }
    try Output.line("")
    return true
  }
}
