import Synchronization
package import VaultAge
import VaultCrypto
package import VaultKit
import VaultSystem
package import VaultTerminal

/// A way to unlock that the user has given, or that is tried by default.
package struct KeySource {
  package enum Kind {
    case identities([String])
    case identityCommand(String)
    case passphraseFile(String)
    case passphraseDescriptor(Int32)
    case passphraseCommand(String)
    case prompt
  }

  package let kind: Kind
  /// The option or variable, or why the way is tried.
  package let origin: String

  package init(kind: Kind, origin: String) { (self.kind, self.origin) = (kind, origin) }

  /// The ways from options, otherwise from variables. In each group identities precede the passphrase.
  package static func given(_ options: UnlockOptions) throws -> [KeySource] {
    let flags = try fromOptions(options)
    return flags.isEmpty ? try fromVariables() : flags
  }

  private static func fromOptions(_ options: UnlockOptions) throws -> [KeySource] {
    var sources: [KeySource] = []
    if !options.identity.isEmpty {
      sources.append(try identities(options.identity, from: "--identity"))
    }
    if let command = options.identityCommand {
      sources.append(try identities(byCommand: command, from: "--identity-command"))
    }
    let passphrases = PassphraseSource(
      file: options.passphraseFile, descriptor: options.passphraseFd, command: options.passphraseCommand,
      names: ("--passphrase-file", "--passphrase-fd", "--passphrase-command"))
    if let passphrase = try passphrases.source() { sources.append(passphrase) }
    return sources
  }

  private static func fromVariables() throws -> [KeySource] {
    var sources: [KeySource] = []
    if let file = System.environment("CVAULT_IDENTITY_FILE") {
      sources.append(try identities([file], from: "CVAULT_IDENTITY_FILE"))
    }
    if let command = System.environment("CVAULT_IDENTITY_COMMAND") {
      sources.append(try identities(byCommand: command, from: "CVAULT_IDENTITY_COMMAND"))
    }
    var descriptor: Int32?
    if let text = System.environment("CVAULT_PASSPHRASE_FD") {
      guard let number = Int32(text) else {
        throw CommandError.usage("CVAULT_PASSPHRASE_FD", "is not the number of a descriptor")
      }
      descriptor = number
    }
    let passphrases = PassphraseSource(
      file: System.environment("CVAULT_PASSPHRASE_FILE"), descriptor: descriptor,
      command: System.environment("CVAULT_PASSPHRASE_COMMAND"),
      names: ("CVAULT_PASSPHRASE_FILE", "CVAULT_PASSPHRASE_FD", "CVAULT_PASSPHRASE_COMMAND"))
    if let passphrase = try passphrases.source() { sources.append(passphrase) }
    return sources
  }

  private static func identities(_ files: [String], from origin: String) throws -> KeySource {
    for file in files { try IdentityFile.check(name: file, of: origin) }
    return KeySource(kind: .identities(files), origin: origin)
  }

  private static func identities(byCommand command: String, from origin: String) throws -> KeySource {
    guard !IdentityFile.isIdentity(command) else {
      throw CommandError.usage(
        origin, "has an identity in it, but must be a command that prints one",
        "write the identity to a file that only you can read; a log may already have it")
    }
    return KeySource(kind: .identityCommand(command), origin: origin)
  }

  /// The user's own identity file, if it exists and the vault has a slot for it.
  static func standardIdentity(for vault: LockedVault) -> KeySource? {
    guard let path = standardIdentityPath, let identities = try? IdentityFile.read(path),
      vault.header.slots.contains(where: { $0.mayOpen(with: identities) })
    else { return nil }
    return KeySource(kind: .identities([path]), origin: "default identity")
  }

  /// The user's own identity file, if it is sealed and the vault has a slot that it could open.
  static func sealedStandardIdentity(for vault: LockedVault) -> KeySource? {
    guard let path = standardIdentityPath, IdentityFile.isSealed(at: path),
      vault.header.slots.contains(where: { $0.kind != .scrypt })
    else { return nil }
    return KeySource(kind: .identities([path]), origin: "default identity")
  }

  package static var hasSealedStandardIdentity: Bool { standardIdentityPath.map(IdentityFile.isSealed) ?? false }

  /// The path of the user's own identity file; nil if there is no such file.
  private static var standardIdentityPath: String? {
    IdentityFile.usualPath.flatMap { System.kind(of: $0) == .regular ? $0 : nil }
  }

  /// The user's own identities; nil if the file does not exist or cannot be read.
  package static var standardIdentities: [AgeIdentity]? { standardIdentityPath.flatMap { try? IdentityFile.read($0) } }

  /// The ways to unlock in the order of trial; empty if there is no key and nobody to ask.
  package static func chosen(
    for vault: LockedVault, _ options: UnlockOptions, _ global: GlobalOptions
  ) throws -> [KeySource] {
    let given = try given(options)
    if !given.isEmpty { return given }
    if let identity = standardIdentity(for: vault) { return [identity] }
    guard global.canAsk else { return [] }
    if let identity = sealedStandardIdentity(for: vault) { return [identity] }
    guard vault.header.slots.contains(where: { $0.kind == .scrypt }) else { return [] }
    return [KeySource(kind: .prompt, origin: "terminal")]
  }

  package var files: [String] {
    switch kind {
    case .identities(let files): files
    case .passphraseFile(let file): [file]
    case .identityCommand, .passphraseDescriptor, .passphraseCommand, .prompt: []
    }
  }

  package var subject: String {
    if case .identities(let files) = kind { files.joined(separator: ", ") } else { origin }
  }

  /// The explanation in `status` and `--verbose`.
  package var explanation: String {
    switch kind {
    case .identities(let files): "identity \(files.map(words).joined(separator: ", ")) (\(origin))"
    case .identityCommand: "identity from a command (\(origin))"
    case .passphraseFile(let file): "passphrase from \(file) (\(origin))"
    case .passphraseDescriptor(let number): "passphrase from descriptor \(number) (\(origin))"
    case .passphraseCommand: "passphrase from a command (\(origin))"
    case .prompt: "passphrase, asked for on the terminal"
    }
  }

  private func words(ofFile path: String) -> String {
    IdentityFile.isSealed(at: path) ? "\(path), sealed with a passphrase" : path
  }

  var isPassphrase: Bool {
    switch kind {
    case .passphraseFile, .passphraseDescriptor, .passphraseCommand, .prompt: true
    case .identities, .identityCommand: false
    }
  }

  /// Whether reading the identities may ask a person, run a program, or take a second. If the agent holds the key, a
  /// source in a variable is not read for this reason.
  var isSlow: Bool {
    switch kind {
    case .identities(let files): files.contains(where: IdentityFile.isSealed)
    case .identityCommand: true
    case .passphraseFile, .passphraseDescriptor, .passphraseCommand, .prompt: false
    }
  }
}

/// The three ways to pass a passphrase without typing. Only one of them may be used.
struct PassphraseSource {
  let file: String?
  let descriptor: Int32?
  let command: String?
  let names: (file: String, descriptor: String, command: String)

  /// The source that was given; nil for none.
  func source() throws -> KeySource? {
    var sources: [KeySource] = []
    if let file { sources.append(KeySource(kind: .passphraseFile(file), origin: names.file)) }
    if let descriptor { sources.append(KeySource(kind: .passphraseDescriptor(descriptor), origin: names.descriptor)) }
    if let command { sources.append(KeySource(kind: .passphraseCommand(command), origin: names.command)) }
    guard sources.count <= 1 else {
      throw CommandError.usage(sources[1].origin, "cannot be combined with \(sources[0].origin)")
    }
    return sources.first
  }
}

extension KeySource {
  /// The passphrase; only for passphrase sources.
  func passphrase() throws -> SecretBytes { try line().passphrase() }

  /// The passphrase and its invisible characters; only for passphrase sources.
  func line() throws -> SecretLine {
    switch kind {
    case .passphraseFile(let file): return try SecretInput.file(file)
    case .passphraseDescriptor(let number): return try Self.passphrase(from: number, named: origin)
    case .passphraseCommand(let command): return try SecretInput.command(command, named: origin)
    case .identities, .identityCommand, .prompt:
      preconditionFailure("an identity is no passphrase, and a prompt needs its terminal")
    }
  }
}

extension KeySource {
  /// Keys that were read, for a command with several vaults. A descriptor can be read only once, and a person is asked
  /// once for a sealed identity file.
  @TaskLocal package static var readPassphrases: ReadPassphrases?

  private static func passphrase(from descriptor: Int32, named name: String) throws -> SecretLine {
    if let known = readPassphrases?.known.withLock({ $0[descriptor] }) { return known }
    let passphrase = try SecretInput.line(from: descriptor, named: name)
    System.endInput(descriptor)
    readPassphrases?.known.withLock { $0[descriptor] = passphrase }
    return passphrase
  }
}

/// The passphrases that were read from descriptors in this run, by descriptor, and the identities of sealed files and
/// of commands.
package final class ReadPassphrases: Sendable {
  fileprivate let known = Mutex<[Int32: SecretLine]>([:])
  let identities = Mutex<[String: [AgeIdentity]]>([:])

  package init() {}
}

package enum IdentityFile {
  /// The identities of a file that is not sealed. A path that is itself an identity is refused without being shown.
  ///
  /// - Parameter origin: the option or variable that names the file.
  package static func read(_ path: String, of origin: String = "--identity") throws -> [AgeIdentity] {
    try identities(bytes(of: path, origin), path)
  }

  static func bytes(of path: String, _ origin: String) throws -> SecretBytes {
    try check(name: path, of: origin)
    let file = try NamedFile.reading(path)
    return try SecretInput.bytes(from: file.descriptor, named: path, as: "an identity file")
  }

  static func identities(_ bytes: SecretBytes, _ name: String) throws -> [AgeIdentity] {
    do throws(AgeError) {
      return try bytes.withBytes { bytes throws(AgeError) in try AgeIdentityFile.parse(bytes) }
    } catch {
      throw refused(error, name)
    }
  }

  /// The error for the content of an identity file, or of the output of a command.
  static func refused(_ error: AgeError, _ name: String) -> CommandError {
    if error.isOfOlderLibrary { return CommandError.needsNewerOpenSSL(name, status: .cannotUnlock) }
    var refused = CommandError(error, subject: name)
    if error.code == .malformedIdentity, let line = error.line {
      refused.reason = "is not an identity file: in line \(line), \(error.reason)"
    }
    let isCommand = ["--identity-command", "CVAULT_IDENTITY_COMMAND"].contains(name)
    if !isCommand { refused.file = name }
    return refused.hinting(
      isCommand
        ? "the command must print an identity file, as `age-keygen` writes one"
        : "name a file that `age-keygen` wrote")
  }

  /// Whether a regular file is an identity file that is sealed. Its first bytes tell.
  package static func isSealed(at path: String) -> Bool {
    guard !isIdentity(path), System.kind(of: path) == .regular, let file = try? NamedFile.reading(path),
      let begin = try? SecretInput.beginning(of: file.descriptor, named: path)
    else { return false }
    return begin.withBytes { AgeIdentityFile.isSealed($0) }
  }

  /// Whether a text is an identity, where a file or a recipient is expected.
  package static func isIdentity(_ text: String) -> Bool {
    ["AGE-SECRET-KEY-1", "AGE-SECRET-KEY-PQ-1"].contains(where: text.contains) || text.hasPrefix("AGE-PLUGIN-")
  }

  /// Refuses an identity instead of a file name, as in a variable of a CI system. The error does not show it.
  static func check(name: String, of origin: String) throws {
    guard isIdentity(name) else { return }
    throw CommandError.usage(
      origin, "is an identity, but must be the name of a file with an identity",
      "write the identity to a file that only you can read and name the file; a log may already have it")
  }

  /// The usual place of the user's identity; nil without a home.
  package static var usualPath: String? {
    XDG.directory("XDG_CONFIG_HOME", under: ".config").map { $0 + "/cvault/identity.txt" }
  }

  /// Writes a new identity durably to a file that must not exist. The folder of the usual place is created.
  package static func create(_ identity: AgeIdentity, at path: String, created: String) throws {
    if path == usualPath { try System.makeDirectories(System.parent(of: path)) }
    let text = try AgeIdentityFile.text(identity, created: created)
    try text.withBytes { bytes throws(SystemError) in try OutputFile.create(path, bytes, isSynced: true) }
  }
}
