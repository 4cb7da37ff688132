package import VaultCrypto
import VaultDocument
package import VaultKit
import VaultRecords
import VaultSystem
package import VaultTerminal

/// One vault in one run of a command: how it was found, and what this machine knows about it.
package struct Session {
  package let location: VaultLocation
  package let locked: LockedVault
  package let global: GlobalOptions
  /// Whether the passphrase is kept, to make its slot again.
  package var keepsPassphrase = false
  /// The vault's state in the memory of this machine.
  package private(set) var pin: PinCheck
  /// Whether the user has named this vault, by its path or fingerprint, now or earlier on this machine.
  package var isNamed: Bool
  /// The records that the user has chosen by parts of their names.
  let chosen = ChosenRecords()
  /// The passphrase that was typed for the vault, if it is kept.
  package let typed = TypedPassphrase()
  /// Whether a part of a name may stand for the name.
  package var takesParts = true
  package var messages: Messages { global.messages }

  /// Finds the vault and reads its header. Refuses a vault with another fingerprint than the required one.
  ///
  /// - Parameter refusingOtherVaults: whether to refuse another vault, or another root key, than this machine knows. An
  ///   older state is refused later: after a key has shown that nothing is damaged, or if there is no key.
  package init(_ options: VaultOptions, _ global: GlobalOptions, refusingOtherVaults: Bool = true) throws {
    self.global = global
    location = try VaultLocation.find(options)
    global.messages.detail("vault \(location.path) (\(location.origin.rawValue))")
    let place = try location.place(global)
    if place.isOpenToOthers {
      global.messages.note(
        "others on the network could read the connection to the database: sslmode=verify-full prevents that")
    }
    do throws(VaultError) {
      locked = try LockedVault(at: place).using(IndexLocation.options(global))
    } catch {
      throw Self.explained(error, location)
    }
    try location.member?.check(locked)
    WrittenFiles.current?.note(locked, at: location.path, global.messages)
    pin = PinCheck(locked, StateLocation.state(global.messages), location.otherStates)
    let required = RequiredFingerprint(options)
    let isAnswered = try location.isNamed(pin)
    isNamed = required != nil || isAnswered
    try required?.check(locked, at: location.path)
    if refusingOtherVaults { try pin.requireIdentity() }
    location.member?.remember(pin.state, isAccepted: isNamed, slots: nil, global.messages)
  }

  /// A session on the vault, or a read-only one on its state in a commit. Nothing about a commit is remembered.
  package init(_ options: VaultOptions, at revision: RevisionOptions, _ global: GlobalOptions) throws {
    guard let revision = revision.at else {
      try self.init(options, global)
      return
    }
    let location = try VaultLocation.find(options)
    try self.init(
      try Packs.requiredHistory().earlier(
        location, at: revision, required: RequiredFingerprint(options), global: global),
      location: location, global: global
    )
  }

  /// A session that accepts later states beside the vault's files, because the command joins them.
  package func joining(_ states: @escaping OtherStates) throws -> Session {
    var session = self
    session.pin = PinCheck(locked, pin.state) { [branches = location.otherStates] in branches?($0) ?? states($0) }
    try session.pin.requireIdentity()
    return session
  }

  /// A session on an earlier state. The maker of `earlier` has compared it with the known vault, so only its name in a
  /// set is checked here.
  package init(_ earlier: EarlierVault, location: VaultLocation, global: GlobalOptions) throws {
    (self.global, self.location) = (global, location)
    global.messages.detail("vault \(location.path) (\(location.origin.rawValue)) at commit \(earlier.commit)")
    locked = earlier.vault
    pin = PinCheck(earlier)
    let isAnswered = try location.isNamed(pin)
    isNamed = earlier.isNamed || isAnswered
    try location.member?.check(locked)
  }

  /// The error of opening a vault. If there is no vault at the place, the error says so in words for how the place was
  /// found.
  package static func explained(_ error: VaultError, _ location: VaultLocation) -> CommandError {
    guard !location.isDatabase else { return location.explained(error) }
    let kind = System.kind(of: location.path)
    let isFile = kind == .regular || kind == .other
    guard error.code == .notAVault || isFile || (kind == nil && [.ioFailed, .damaged].contains(error.code)) else {
      return CommandError(error)
    }
    return location.holdsNoVault(kind)
  }

  /// Unlocks the vault: with a given key, the agent, the user's identity, or a passphrase that the user types.
  ///
  /// - Parameters:
  ///   - use: A command that writes to a vault of a set asks first if a key was added to the vault.
  ///   - words: The records of the command. A passphrase is asked for only if all of them exist.
  ///   - withRootKey: The command works on more than records. The agent does not give the root key out.
  package func unlock(
    _ options: UnlockOptions, to use: Use = .reading, for words: [String] = [], withRootKey: Bool = false
  ) async throws -> Vault {
    let session = try confirmingUse(use)
    let vault = try await session.openVault(options, for: words, withRootKey: withRootKey)
    guard use == .writing, let member = location.member else { return vault }
    let new = try member.noteReaders(of: vault, pin.state, messages)
    // With several vaults nobody looks at each.
    if Messages.vault != nil, !new.isEmpty { try global.confirm("Write to \(member.words)?") }
    if !new.isEmpty { member.remember(pin.state, isAccepted: session.isNamed, slots: vault.header.slots, messages) }
    return vault
  }

  private func openVault(_ options: UnlockOptions, for words: [String], withRootKey: Bool) async throws -> Vault {
    // A variable is set for every command, so it must not ask again if the agent holds the key.
    let sources = try KeySource.given(options)
    let holder = !withRootKey && !options.givesKey ? vaultByHolder : nil
    if let holder, sources.contains(where: \.isSlow), let vault = try holder() { return vault }
    let keys = try KeyReader(sources, options, global)
    if let vault = try await vaultByGivenKey(keys, before: holder) { return vault }
    if !withRootKey, let vault = try vaultByHolder() { return vault }
    if let identity = KeySource.standardIdentity(for: locked) { return try await vault(by: identity, options) }
    try pin.requireKnownState()
    if let vault = try await vaultBySealedStandardIdentity(options, for: words) { return vault }
    return try await vaultByPassphrase(options, for: words, withRootKey: withRootKey)
  }

  /// Unlocks the vault with a key that another process holds. Nil if no process does this for us.
  package func vaultByHolder() throws -> Vault? {
    for holder in Packs.all.compactMap(\.keyHolder) {
      if let vault = try holder.unlock(self) { return vault }
    }
    return nil
  }

  /// Opens the vault with a key that an option or a variable gives; nil without such a key. A key that fits no slot
  /// leads to the next one, and the error of the last key is thrown.
  private func vaultByGivenKey(_ keys: KeyReader, before plugin: BeforePlugin? = nil) async throws -> Vault? {
    while let source = keys.next() {
      do {
        return try await vault(by: source, keys, before: plugin)
      } catch let error as CommandError where error.vaultCode == .noMatchingSlot {
        // A wrong key proves nothing. So the remembered state is compared first, as without a key.
        if keys.isEmpty { try pin.requireKnownState() }
        if keys.isEmpty { throw error }
        messages.detail("\(source.explanation): \(error.reason)")
      }
    }
    return nil
  }

  /// Opens the vault with the user's own identity file, if that is sealed and a person types its passphrase. Nil if the
  /// person types nothing, or if the vault has no slot for it but one for a passphrase.
  private func vaultBySealedStandardIdentity(_ options: UnlockOptions, for words: [String]) async throws -> Vault? {
    guard global.canAsk, let identity = KeySource.sealedStandardIdentity(for: locked) else { return nil }
    for word in words { _ = try await resolve(word) }
    do {
      return try await vault(by: identity, options)
    } catch let error as CommandError where error.vaultCode == .noMatchingSlot || error.status == .declined {
      guard locked.header.slots.contains(where: { $0.kind == .scrypt }) else { throw error }
      messages.detail("\(identity.explanation): \(error.reason)")
      return nil
    }
  }

  /// The keys that a command uses if a key is optional.
  package enum UnaskedKeys {
    /// Keys that an option or a variable gives.
    case given
    /// These keys, and the user's own identity.
    case own
    /// The same keys. If the key of a variable opens nothing, that is an error, as it always is for an option.
    case ownStrict
  }

  /// Unlocks the vault for a command that works without a key as well. Nobody is asked for a passphrase.
  ///
  /// Nil without a key. The vault was compared with the remembered state then.
  package func unlockWithoutAsking(_ options: UnlockOptions, with keys: UnaskedKeys = .given) async throws -> Vault? {
    if let vault = try await vaultIfTrusted(options, isStrict: keys == .ownStrict) { return vault }
    if keys != .given, let identity = KeySource.standardIdentity(for: locked) {
      // As without a key, if a plugin would have to ask.
      do {
        return try await vault(by: identity, options, before: keys == .own ? Self.refusePlugin : nil)
      } catch let error as CommandError where error.code == Self.unaskedPlugin {
        messages.detail(error.reason)
      }
    }
    try pin.requireKnownState()
    return nil
  }

  /// Unlocks the vault for a command that verifies only on request.
  ///
  /// - Parameter key: nil if nobody asked to verify. The vault is compared with the remembered state then.
  package func vaultToVerify(_ key: UnlockOptions?) async throws -> Vault? {
    if let key { return try await unlock(key) }
    try pin.requireKnownState()
    return nil
  }

  /// The vault, if a key is given. A key in a variable is not used on a vault that another user may have placed.
  private func vaultIfTrusted(_ options: UnlockOptions, isStrict: Bool) async throws -> Vault? {
    if !options.givesKey, let doubt = doubt(about: .reading) {
      // A key that happens to be there is not worth a question.
      if try !KeySource.given(options).isEmpty {
        messages.note("the vault was not unlocked: \(location.path) \(doubt)")
      }
      return nil
    }
    do {
      let keys = try KeyReader(options, global, asks: options.givesKey)
      let before: BeforePlugin? = options.givesKey || isStrict ? nil : Self.refusePlugin
      return try await confirmingUse(.reading).vaultByGivenKey(keys, before: before)
    } catch let error as CommandError where error.status == .cannotUnlock && !options.givesKey && !isStrict {
      // With a sealed identity file in a variable the note would stand at every command.
      let text = "the vault was not unlocked: " + error.reason
      error.code == "passphrase_needed" ? messages.detail(text) : messages.note(text)
      return nil
    }
  }

  private func vault(
    by source: KeySource, _ options: UnlockOptions, before plugin: BeforePlugin? = nil
  ) async throws -> Vault {
    try await vault(by: source, KeyReader([source], options, global), before: plugin)
  }

  private func vault(
    by source: KeySource, _ keys: KeyReader, before plugin: BeforePlugin? = nil
  ) async throws -> Vault {
    messages.detail("key: \(source.explanation)")
    warnIfNotLocked()
    let key = try keys.key(of: source)
    if let plugin, key.needsPlugin(for: locked.header), let vault = try plugin() { return vault }
    return try await vault(with: key, subject: source.subject)
  }

  package func vaultOptions() throws -> Vault.Options {
    var options = try global.vaultOptions(pin.state)
    options.isNamed = isNamed
    options.known = pin.known
    options.otherStates = pin.otherStates
    return options
  }

  /// Unlocks the vault, and notes a passphrase slot of low cost.
  private func vault(with key: VaultKey, subject: String) async throws -> Vault {
    var options = try vaultOptions()
    options.keepsPassphrase = keepsPassphrase
    do throws(VaultError) {
      let vault = try await locked.unlock(with: key, options: options)
      // Only a passphrase slot can have a low cost, so the file of a recipient's slot is not read again.
      if vault.slot.kind == .scrypt, let weakness = try vault.locked.state(of: vault.slot).weakness {
        messages.note(weakness)
      }
      return vault
    } catch {
      throw error.subject == nil ? CommandError(error).about(subject) : CommandError(error)
    }
  }

  /// Asks up to three times, but only if every word names a record.
  private func vaultByPassphrase(
    _ options: UnlockOptions, for words: [String], withRootKey: Bool
  ) async throws -> Vault {
    guard locked.header.slots.contains(where: { $0.kind == .scrypt }) else {
      throw noKey("no key is given", ["give an identity with --identity FILE (CVAULT_IDENTITY_FILE)"], withRootKey)
    }
    guard let terminal = Terminal(noInput: global.noInput) else {
      var hints = [
        "give a key with --identity FILE (CVAULT_IDENTITY_FILE) or --passphrase-file FILE (CVAULT_PASSPHRASE_FILE)"
      ]
      // The agent never gives out the key itself.
      if !withRootKey, Packs.first(\.keyHolder) != nil { hints.append("or run `vault unlock` in a terminal first") }
      throw noKey("no key is given, and there is no terminal to ask for a passphrase", hints, withRootKey)
    }
    let maximum = try options.maximumWorkFactor()
    for word in words { _ = try await resolve(word) }
    warnIfNotLocked()
    for attempt in 1...3 {
      let passphrase = try terminal.secret("Passphrase of \(Printable.text(location.path)): ")
      do {
        let vault = try await vault(
          with: .passphrase(passphrase, maximumWorkFactor: maximum), subject: location.path)
        if keepsPassphrase { typed.secret = passphrase }
        return vault
      } catch let error as CommandError where error.status == .cannotUnlock && attempt < 3 {
        try terminal.sayWrong(passphrase, for: "the vault")
      }
    }
    preconditionFailure("the third attempt ends the loop")
  }

  private func noKey(_ reason: String, _ hints: [String], _ withRootKey: Bool) -> CommandError {
    let id = locked.header.vaultID
    let sealed = KeySource.sealedStandardIdentity(for: locked).map { identity in
      "\(identity.subject) is sealed: add --identity and --passphrase-file FILE, or type the passphrase at a terminal"
    }
    let isHeld = withRootKey && Packs.first { $0.keyHolder?.remainingTime(id) } != nil
    return CommandError(
      .cannotUnlock, "no_key", subject: location.path,
      isHeld ? "the agent holds the key, but this command needs the key itself" : reason,
      hints: (sealed.map { [$0] } ?? hints) + [
        "`vault status` shows the key that would be used, and the slots of the vault"
      ])
  }

  /// Sets up the secure heap, before the first secret is read.
  private func warnIfNotLocked() {
    guard SecureMemory.status == .notLocked else { return }
    messages.note("the memory for secrets could be swapped out: raise the limit of locked memory (`ulimit -l`)")
  }
}

/// A passphrase that the user typed, as the answer to a later question.
package final class TypedPassphrase {
  package fileprivate(set) var secret: SecretBytes?
}

extension Session {
  /// Runs before a plugin: gives the vault in another way, gives nil for the plugin, or refuses the plugin.
  typealias BeforePlugin = () throws -> Vault?

  static let unaskedPlugin = "unasked_plugin"

  /// For commands that work without a key as well: nobody expects a question of them.
  static var refusePlugin: BeforePlugin {
    {
      throw CommandError(
        .cannotUnlock, unaskedPlugin, subject: nil, "its key is behind a plugin, which runs only with --identity FILE")
    }
  }
}

extension Session {
  /// Refuses a kind that neither the vault nor any record has. A misspelt kind would silently find nothing.
  package func checkKind(_ name: String?) async throws {
    guard let name, locked.kinds[name] == nil else { return }
    var query = RecordQuery()
    query.kind = name
    query.limit = 1
    if try await locked.listed(query).records.isEmpty { _ = try locked.kinds.argument(name) }
  }
}

extension CommandError {
  /// Makes the given word the subject of a look-up error. Other errors keep their subject.
  package func aboutRecord(_ text: String) -> CommandError {
    guard subject == nil else { return self }
    guard text.isEmpty else { return about(Printable.withoutSecret(text)) }
    var error = about("RECORD")
    error.reason = "is empty, so it does not name a record"
    return error
  }
}
