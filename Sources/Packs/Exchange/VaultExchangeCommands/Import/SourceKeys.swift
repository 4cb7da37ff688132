import ArgumentParser
import VaultAge
import VaultCLI
import VaultCrypto
import VaultSealing
import VaultTerminal

struct SourceKeys: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "An age identity that opens the file. Identities of the vault are not tried.",
      valueName: "file"))
  var sourceIdentity: [String] = []

  @Option(
    help: ArgumentHelp(
      "Read the passphrase of the imported file from this file; otherwise it is asked for.", valueName: "file"))
  var sourcePassphraseFile: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Read that passphrase from a file descriptor.", valueName: "n"))
  var sourcePassphraseFd: Int32?

  @Option(
    help: ArgumentHelp(
      "The key file of a KeePass database, with or without a passphrase. For json: the AES key (16, 24 or 32 bytes) "
        + "with which CryptoKit sealed the fields.", valueName: "file"))
  var sourceKeyFile: String?

  /// Keeps child processes from inheriting the descriptor.
  func validate() throws { System.keepFromPrograms(sourcePassphraseFd) }

  /// Refuses two passphrases.
  func check() throws {
    guard sourcePassphraseFile == nil || sourcePassphraseFd == nil else {
      throw CommandError.usage("--source-passphrase-fd", "cannot be combined with --source-passphrase-file")
    }
  }

  func identities() throws -> [AgeIdentity] {
    try sourceIdentity.flatMap { try IdentityFile.read($0, of: "--source-identity") }
  }

  func keyFile() throws -> [UInt8]? { try sourceKeyFile.map { try TextInput.file($0, limit: 16 << 20) } }

  /// The key for fields that CryptoKit has sealed; nil if no key is given.
  func cryptoKitContext() throws -> SealingContext? {
    guard let sourceKeyFile else { return nil }
    let key = try SecretInput.file(sourceKeyFile).bytes
    do throws(SealingError) {
      return try SealingContext(cryptoKitKey: key)
    } catch {
      throw CommandError(
        .inputRefused, "input_refused", subject: sourceKeyFile, "is not an AES key: it must have 16, 24 or 32 bytes")
    }
  }

  func passphrase(of name: String, _ global: GlobalOptions) throws -> SecretBytes {
    if let sourcePassphraseFile { return try SecretInput.file(sourcePassphraseFile).passphrase() }
    if let sourcePassphraseFd {
      defer { System.endInput(sourcePassphraseFd) }
      return try SecretInput.line(from: sourcePassphraseFd, named: "--source-passphrase-fd").passphrase()
    }
    guard let terminal = Terminal(noInput: global.noInput) else {
      throw CommandError(
        .cannotUnlock, "passphrase_needed", subject: name,
        "is encrypted with a passphrase, and there is no terminal to ask for it",
        hints: ["use --source-passphrase-file FILE"])
    }
    return try terminal.secret("Passphrase of \(Printable.text(name)): ")
  }
}
