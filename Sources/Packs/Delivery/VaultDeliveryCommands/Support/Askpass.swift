import VaultCrypto
import VaultSystem
import VaultTerminal

/// The program that ssh-add calls for the passphrase of a key. It is this program, and a variable tells where the
/// passphrase is.
enum Askpass {
  private static let variable = "CVAULT_ASKPASS_FD"

  /// Whether an ssh-agent that was started like this process has a program to ask with: the one of the variable, or
  /// one at a place that OpenSSH uses.
  static var isInstalled: Bool {
    if let named = System.environment("SSH_ASKPASS") { return System.mayRun(named) }
    return ["/usr/bin/ssh-askpass", "/usr/lib/ssh/ssh-askpass", "/usr/libexec/openssh/ssh-askpass"].contains(
      where: System.mayRun)
  }

  /// The variables that make ssh-add ask this program, which then reads a descriptor.
  static func variables(reading descriptor: Int32) throws -> [String] {
    guard let program = ProcessEnvironment.realPath(System.ownProgram) else {
      throw CommandError(
        .failed, "no_program", subject: "ssh-add", "cannot ask this program for a passphrase: its file was replaced",
        hints: ["try again"])
    }
    // Without the second variable ssh-add asks at a terminal. Older versions need a display.
    return [
      "SSH_ASKPASS=\(program)", "SSH_ASKPASS_REQUIRE=force",
      "DISPLAY=\(System.environment("DISPLAY") ?? ":0")", "\(variable)=\(descriptor)",
    ]
  }

  /// Answers if ssh-add started this process. The first answer is the passphrase. The second answer is empty, so
  /// ssh-add gives up.
  static func answers() throws -> Bool {
    guard let descriptor = System.variable(variable).flatMap({ Int32($0) }) else { return false }
    let passphrase = try SecretInput.bytes(from: descriptor, named: variable)
    try passphrase.withBytes { try Output.write($0) }
    try Output.line("")
    return true
  }
}
