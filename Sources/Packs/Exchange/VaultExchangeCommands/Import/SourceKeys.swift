import ArgumentParser
import VaultAge
import VaultCLI
import VaultCrypto
import VaultSealing
import VaultTerminal

struct SourceKeys: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "An identity that opens the file, where it is sealed with age. Those of the vault are not tried.",
      valueName: "file"))
  var sourceIdentity: [String] = []

  @Option(
    help: ArgumentHelp(
      "Take the passphrase that the file is sealed with from a file; else it is asked for.", valueName: "file"))
  var sourcePassphraseFile: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Take that passphrase from a descriptor.", valueName: "n"))
  var sourcePassphraseFd: Int32?

  @Option(
    help: ArgumentHelp(
      "The key file of a KeePass database, beside its passphrase or instead; of json, the AES key of 16, 24 or 32 bytes "
        + "under which CryptoKit has sealed the fields.", valueName: "file"))
  var sourceKeyFile: String?

  /// Keeps child processes from inheriting the descriptor.
  func validate() throws { System.keepFromPrograms(sourcePassphraseFd) }

  /// Refuses two passphrases.
  func check() throws {
    guard sourcePassphraseFile == nil || sourcePassphraseFd == nil else {
      throw CommandError.usage("--source-passphrase-fd", "cannot be used together with --source-passphrase-file")
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
        .inputRefused, "input_refused", subject: sourceKeyFile, "is no key of AES: it has not 16, 24 or 32 bytes")
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
        .cannotUnlock, "passphrase_needed", subject: name, "is sealed with a passphrase, and nobody can be asked",
        hints: ["give it with --source-passphrase-file FILE"])
    }
    return try terminal.secret("Passphrase of \(Printable.text(name)): ")
  }
}
