import ArgumentParser

struct CommonOptions: ParsableArguments {
  @Option(help: "The vault's folder.") var vault: String?
  @Option(help: "Refuse any vault but the one with this fingerprint.") var requireFingerprint: String?
  @Option(help: "How many seconds to wait for another process.") var lockTimeout = 10
  @Flag(name: .shortAndLong, help: "Print no notes.") var quiet = false
  @Flag(name: .shortAndLong, help: "Print more about what is done and what failed.") var verbose = false
  @Flag(name: .shortAndLong, help: "Do not ask for confirmation.") var yes = false
  @Flag(help: "Print JSON.") var json = false
  @Flag(help: "Print no colors.") var noColor = false
  @Flag(help: "Never prompt.") var noInput = false
}

struct UnlockingOptions: ParsableArguments {
  @Option(help: "A file with age identities; repeatable.") var identity: [String] = []
  @Option(help: "Read the passphrase from a file.") var passphraseFile: String?
  @Option(help: "Read the passphrase from an open file descriptor.") var passphraseFd: Int?
  @Option(help: "Read the passphrase from a command's output.") var passphraseCommand: String?
  @Option(help: "The highest cost of a passphrase slot that is accepted.") var maxWorkFactor = 20
}

struct ValueOptions: ParsableArguments {
  @Option(name: .customLong("secret"), help: "Ask for a sealed value without echo.") var secrets: [String] = []
  @Option(name: .customLong("secret-file"), help: "Read a sealed value from a file.") var secretFiles: [String] = []
  @Option(help: "Read a sealed value from standard input.") var secretStdin: String?
  @Option(name: .customLong("generate"), help: "Make a new password.") var generated: [String] = []
}
