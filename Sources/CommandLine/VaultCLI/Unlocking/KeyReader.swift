import Synchronization
package import VaultAge
import VaultCrypto
package import VaultKit
package import VaultTerminal

/// Reads the keys of one command, each source at most once, because a descriptor returns its passphrase only once.
///
/// If an identity file is sealed, a given passphrase opens that file, and is not a key of its own then.
package final class KeyReader {
  private var sources: ArraySlice<KeySource>
  package let opening: IdentityOpening

  /// The keys that options give, otherwise variables.
  ///
  /// - Parameter asks: whether a person may be asked for the passphrase of a sealed identity file.
  package convenience init(_ options: UnlockOptions, _ global: GlobalOptions, asks: Bool = true) throws {
    try self.init(KeySource.given(options), options, global, asks: asks)
  }

  package init(
    _ sources: [KeySource], _ options: UnlockOptions, _ global: GlobalOptions, asks: Bool = true
  ) throws {
    self.sources = sources[...]
    opening = IdentityOpening(
      passphrase: sources.first(where: \.isPassphrase), maximumWorkFactor: try options.maximumWorkFactor(),
      noInput: global.noInput || !asks)
  }

  /// The next source; nil after the last one.
  package func next() -> KeySource? {
    if opening.hasUsedPassphrase { sources.removeAll(where: \.isPassphrase) }
    return sources.popFirst()
  }

  var isEmpty: Bool { sources.allSatisfy { $0.isPassphrase && opening.hasUsedPassphrase } }

  package func key(of source: KeySource) throws -> VaultKey {
    guard let identities = try identities(of: source) else {
      return .passphrase(try source.passphrase(), maximumWorkFactor: opening.maximumWorkFactor)
    }
    return .identities(identities)
  }

  /// The identities of a source; nil for a passphrase.
  package func identities(of source: KeySource) throws -> [AgeIdentity]? {
    switch source.kind {
    case .identities(let files): try files.flatMap { try IdentityFile.read($0, of: source.origin, opening) }
    case .identityCommand(let command): try IdentityFile.read(command: command, of: source.origin, opening)
    case .passphraseFile, .passphraseDescriptor, .passphraseCommand, .prompt: nil
    }
  }
}

/// The passphrase of an identity file that is itself sealed: a given one, or one that a person types at a terminal.
package final class IdentityOpening {
  private let given: KeySource?
  let maximumWorkFactor: Int
  private let noInput: Bool
  private var read: SecretBytes?

  fileprivate init(passphrase: KeySource?, maximumWorkFactor: Int, noInput: Bool) {
    (given, self.maximumWorkFactor, self.noInput) = (passphrase, maximumWorkFactor, noInput)
  }

  /// For files that no passphrase of the command is for.
  package init(_ options: UnlockOptions, _ global: GlobalOptions) throws {
    (given, maximumWorkFactor, noInput) = (nil, try options.maximumWorkFactor(), global.noInput)
  }

  /// Whether the given passphrase was used for an identity file.
  fileprivate var hasUsedPassphrase: Bool { read != nil }

  /// The identities in sealed bytes.
  ///
  /// - Parameter name: the file, or the option or variable with the command.
  func open(_ file: SecretBytes, of name: String) throws -> [AgeIdentity] {
    try checkCost(of: file, name)
    guard let given else { return try ask(for: file, of: name) }
    let passphrase = try read ?? given.passphrase()
    read = passphrase
    if let identities = try identities(in: file, passphrase, name) { return identities }
    throw CommandError(
      .cannotUnlock, "wrong_passphrase", subject: name,
      "is sealed, and the passphrase of \(given.origin) does not open it",
      hints: ["without \(given.origin) the passphrase is asked for at a terminal"])
  }

  /// Refuses a file that no passphrase opens, or one that costs too much, before anybody is asked.
  private func checkCost(of file: SecretBytes, _ name: String) throws {
    let workFactor: Int
    do throws(AgeError) {
      workFactor = try file.withBytes { bytes throws(AgeError) in try AgeIdentityFile.workFactor(ofSealed: bytes) }
    } catch {
      let hint = "`--identity-command 'age -d -i KEY FILE'` opens a file that is sealed to a recipient"
      guard error.code == .noMatchingIdentity else { throw IdentityFile.refused(error, name) }
      throw CommandError(error, subject: name).hinting(hint)
    }
    guard workFactor > maximumWorkFactor else { return }
    throw CommandError(
      .cannotUnlock, "no_key", subject: name,
      "needs the work factor \(workFactor), but at most \(maximumWorkFactor) is allowed",
      hints: SlotFile.workFactors.contains(workFactor) ? Remedy.allowWorkFactor(workFactor).sentences : [])
  }

  private func ask(for file: SecretBytes, of name: String) throws -> [AgeIdentity] {
    guard let terminal = Terminal(noInput: noInput) else {
      throw CommandError(
        .cannotUnlock, "passphrase_needed", subject: name,
        "is sealed with a passphrase, and there is no terminal to ask for it",
        hints: ["give the passphrase with --passphrase-file FILE (CVAULT_PASSPHRASE_FILE)"])
    }
    for attempt in 1...3 {
      let passphrase = try terminal.secret("Passphrase of \(Printable.text(name)): ")
      guard passphrase.count > 0 else {
        throw CommandError(.declined, "declined", subject: "terminal", "nothing was entered")
      }
      if let identities = try identities(in: file, passphrase, name) { return identities }
      guard attempt < 3 else { break }
      try terminal.sayWrong(passphrase, for: "the identity file")
    }
    throw CommandError(
      .cannotUnlock, "wrong_passphrase", subject: name, "no passphrase that you typed opens this identity file")
  }

  /// Nil if the passphrase is wrong.
  private func identities(in file: SecretBytes, _ passphrase: SecretBytes, _ name: String) throws -> [AgeIdentity]? {
    do throws(AgeError) {
      return try file.withBytes { bytes throws(AgeError) in
        try AgeIdentityFile.parse(bytes, passphrase: passphrase, maximumWorkFactor: maximumWorkFactor)
      }
    } catch {
      guard error.code == .wrongPassphrase else { throw IdentityFile.refused(error, name) }
      return nil
    }
  }
}

extension IdentityFile {
  /// The identities of a file that may be sealed.
  ///
  /// - Parameter origin: the option or variable that names the file.
  package static func read(_ path: String, of origin: String, _ opening: IdentityOpening) throws -> [AgeIdentity] {
    let bytes = try bytes(of: path, origin)
    guard bytes.withBytes({ AgeIdentityFile.isSealed($0) }) else { return try identities(bytes, path) }
    return try remembered("file \(path)") { try opening.open(bytes, of: path) }
  }

  /// The identities that a command prints, in the form of a file.
  static func read(command: String, of origin: String, _ opening: IdentityOpening) throws -> [AgeIdentity] {
    try remembered("command \(command)") {
      let bytes = try SecretInput.output(of: command, named: origin, as: "an identity file")
      guard bytes.count > 0 else {
        throw CommandError(
          .cannotUnlock, "no_key", subject: origin, "the command printed nothing, but must print an identity file",
          hints: ["run the command by itself to see why"])
      }
      guard bytes.withBytes({ AgeIdentityFile.isSealed($0) }) else { return try identities(bytes, origin) }
      return try opening.open(bytes, of: origin)
    }
  }

  /// The identities that were read before in this run; otherwise those of `read`, which are kept if the run has several
  /// vaults.
  private static func remembered(_ name: String, _ read: () throws -> [AgeIdentity]) throws -> [AgeIdentity] {
    if let known = KeySource.readPassphrases?.identities.withLock({ $0[name] }) { return known }
    let identities = try read()
    KeySource.readPassphrases?.identities.withLock { $0[name] = identities }
    return identities
  }
}
