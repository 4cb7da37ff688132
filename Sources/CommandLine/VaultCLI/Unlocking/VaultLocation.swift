import VaultDocument
package import VaultKit
import VaultStorage
package import VaultSystem
package import VaultTerminal

/// The place of a vault and how it was found. The vault may not exist.
package struct VaultLocation {
  package enum Origin: String {
    case option = "--vault"
    case variable = "CVAULT_DIR"
    case parent = "nearest folder with a vault.json"
    case standard = "XDG_DATA_HOME"
    case set = "a set of vaults"
  }

  package let path: String
  package let origin: Origin
  /// The name in a set that led to the location.
  package var member: (any NamedVault)?

  package init(path: String, origin: Origin, member: (any NamedVault)? = nil) {
    (self.path, self.origin, self.member) = (path, origin, member)
  }

  /// Finds the branch or stash that keeps a state which the folder lacks; nil for a database.
  var otherStates: OtherStates? {
    isDatabase ? nil : Packs.history?.otherStates(ofVaultAt: path)
  }

  /// The vault that options name: `--in NAME` of a set, otherwise as ``find(_:)-(String?)``.
  package static func find(_ options: VaultOptions) throws -> VaultLocation {
    guard options.names.isEmpty, options.vaults == nil else { return try Packs.requiredSets().location(options) }
    return try find(options.vault)
  }

  /// The vault of `--vault`, of `CVAULT_DIR`, of the nearest parent of the working directory, or the user's own vault.
  static func find(_ option: String?) throws -> VaultLocation {
    if let named = try named(option) { return named }
    if let parent = nearestParent() { return VaultLocation(path: parent, origin: .parent) }
    return try standard()
  }

  package static func forNewVault(_ option: String?) throws -> VaultLocation { try named(option) ?? standard() }

  private static func named(_ option: String?) throws -> VaultLocation? {
    if let option {
      guard !option.isEmpty else { throw CommandError.usage("--vault", "the name of the folder is empty") }
      return try VaultLocation(path: option, origin: .option).checked()
    }
    return try System.environment("CVAULT_DIR").map { try VaultLocation(path: $0, origin: .variable).checked() }
  }

  /// Whether there is a vault. A database counts as a vault without a connection.
  package var hasVault: Bool { isDatabase || System.kind(of: path + "/vault.json") == .regular }

  /// Whether a new file would be in the vault's folder, after links and dots are resolved.
  func holds(_ file: String) throws -> Bool {
    guard !isDatabase else { return false }
    let trimmed = System.withoutLastSlashes(file)
    let folder = System.parent(of: trimmed)
    if try Vault.isFolder(folder, inVaultAt: path) { return true }
    // The folder of a new vault does not exist yet.
    guard System.kind(of: path) == nil, let vault = Self.realPath(ofNew: path),
      let folder = Self.realPath(ofNew: folder)
    else { return false }
    return folder == vault || folder.hasPrefix(vault + "/")
  }

  /// The real path of a folder that may not exist yet; nil if dots lead through a missing folder, such as a deleted
  /// working directory.
  private static func realPath(ofNew folder: String) -> String? {
    if let path = ProcessEnvironment.realPath(folder) { return path }
    let trimmed = System.withoutLastSlashes(folder)
    guard let name = trimmed.split(separator: "/").last, name != "..", trimmed != ".",
      let parent = realPath(ofNew: System.parent(of: trimmed))
    else { return nil }
    return name == "." ? parent : (parent == "/" ? "" : parent) + "/" + name
  }

  private static func nearestParent() -> String? { System.nearestFolder(with: "vault.json") }

  private static func standard() throws -> VaultLocation {
    guard let data = XDG.directory("XDG_DATA_HOME", under: ".local/share") else {
      throw CommandError(
        .noVault, "not_a_vault", subject: "vault", "no folder is named, and there is no home directory",
        hints: ["name a folder with --vault DIR or CVAULT_DIR"])
    }
    return VaultLocation(path: data + "/cvault", origin: .standard)
  }
}

extension VaultLocation {
  package var isDatabase: Bool { VaultPlace.isDatabase(path) }

  /// The locked vault.
  ///
  /// - Parameter global: the timeout for a database; nil to use none.
  package func open(_ global: GlobalOptions?) throws -> LockedVault { try LockedVault(at: place(global)) }

  /// The place, with the password of a database if a command provides it.
  ///
  /// - Parameter global: as for ``open(_:)``.
  package func place(_ global: GlobalOptions?) throws -> VaultPlace {
    let place = try placeWithPassword()
    guard isDatabase else { return place }
    return try place.waiting(global?.primaryTime() ?? .zero) { wait in global?.messages.note(wait.words) }
  }

  /// Each call runs the command for the password, if a variable names one.
  private func placeWithPassword() throws -> VaultPlace {
    // Check the address first, so that a faulty one asks for no password.
    let place = try bare()
    guard isDatabase, let command = System.environment("CVAULT_DATABASE_PASSWORD_COMMAND") else { return place }
    let name = "CVAULT_DATABASE_PASSWORD_COMMAND"
    let given = try SecretInput.command(command, named: name)
    // libpq reads a password only to the first zero byte.
    guard given.hidden.isDisjoint(with: [.noText, .utf16, .zero]), let password = given.passphrase().string else {
      throw CommandError(
        .inputRefused, "input_refused", subject: name, "the output of the command is not UTF-8 text",
        hints: ["run the command by itself to see what it prints"])
    }
    return try bare(password: password)
  }

  /// The place; a database is opened by the store of a pack.
  private func bare(password: String? = nil) throws(VaultError) -> VaultPlace {
    try VaultPlace(path, database: Packs.first(\.database)?(password))
  }

  /// The vault's name among the vaults of its database; nil for a folder.
  package var nameInDatabase: String? { (try? bare())?.nameInDatabase }

  /// Refuses an invalid address, above all an address with a password.
  package func checked() throws -> VaultLocation {
    guard isDatabase else { return self }
    do throws(VaultError) {
      _ = try bare()
    } catch {
      let refused = CommandError(error).about(origin == .option ? "--vault" : origin.rawValue)
      // A program without a store for it says so.
      guard refused.hints.isEmpty else { throw refused }
      throw refused.hinting(
        "the form of an address is postgresql://[USER@]HOST[:PORT]/DATABASE?vault=NAME",
        "the password comes from ~/.pgpass, PGPASSFILE or CVAULT_DATABASE_PASSWORD_COMMAND")
    }
    return self
  }

  /// The error of opening this place, with the next step for a database or a missing vault.
  package func explained(_ error: VaultError) -> CommandError {
    var explained = CommandError(error)
    if error.isOfNewerLayout { explained.status = .inputRefused }
    if error.code == .ioFailed, error.wordsOfDatabase != nil {
      explained.hints.append(
        "check the address; the password comes from ~/.pgpass, PGPASSFILE or CVAULT_DATABASE_PASSWORD_COMMAND")
      explained.hints += HiddenContent.hints
    }
    guard error.code == .notAVault else { return explained }
    explained.subject = path
    explained.hints = [
      error.lacksTables
        ? "`vault store sql` prints the statements that make the tables, and `vault init ADDRESS --create-tables` runs them"
        : "`vault init \(path.shellQuoted)` makes a vault"
    ]
    return explained
  }

  /// The error for a place without a vault, in words for how the place was found.
  ///
  /// - Parameter kind: the kind of file at the place.
  package func holdsNoVault(_ kind: FileStatus.Kind?) -> CommandError {
    // A user in such a folder means that vault, although it was not found by its header.
    let here = origin == .standard ? VaultLocation(path: ".", origin: .option).headless() : nil
    if var headless = here ?? headless() {
      (headless.status, headless.code) = (.noVault, "not_a_vault")
      return headless
    }
    let isFile = kind != nil && kind != .directory
    let reason = isFile ? "is a file, but a vault is a folder" : kind == nil ? "does not exist" : "has no vault.json"
    var error = CommandError(.noVault, "not_a_vault", subject: path, "is not a vault: it \(reason)")
    if origin == .standard, !isFile {
      error.subject = nil
      error.reason = "there is no vault in this folder, in a folder above it, or in \(path)"
    }
    error.file = path
    error.hints = [
      isFile
        ? "name the folder of a vault with --vault DIR or CVAULT_DIR"
        : "`vault init\(origin == .option ? " " + path.shellQuoted : "")` makes a vault"
    ]
    if !isFile { error.hints.append("or name a vault with --vault DIR or CVAULT_DIR") }
    if let member {
      error.subject = member.words
      error.hints = ["the file of the set names \(path): correct it, or move the vault there"]
    } else if origin == .standard, let set = try? Packs.sets?.find(nil) {
      error.hints.append("\(set.path) is a set of vaults: choose one with --in NAME")
    }
    return error
  }
}

extension VaultLocation {
  /// The error for a folder with files of a vault but without the header, with a way to restore the header; nil for any
  /// other folder.
  package func headless() -> CommandError? {
    guard !isDatabase, let remains = VaultPlace.remains(ofVaultAt: path) else { return nil }
    var error = CommandError(
      .inputRefused, "header_missing", subject: path,
      "has files of a vault in \(remains)/, but its vault.json is missing: only that file opens them")
    error.file = path + "/vault.json"
    if let hint = Packs.history?.wayBack(of: .header, inVaultAt: path) { error.hints.append(hint) }
    error.hints.append("`vault backup restore FILE --to NEW-FOLDER` restores the vault from a backup")
    return error
  }
}

extension RemoteWait {
  /// The message while a command waits for a database.
  fileprivate var words: String {
    switch self {
    case .answer: "the database has not answered for some seconds; still waiting"
    case .commit:
      "the database has not confirmed the change for some seconds; still waiting: its standby may be away"
    case .replica: "the server is a replica that has not caught up with what this machine has seen; waiting for it"
    case .connection: "the database cannot be reached; retrying until --wait-for-primary or --lock-timeout ends"
    }
  }
}

extension IdentityFile {
  /// Refuses a place for a new identity: an existing file, and the vault's folder, because a key must not travel with
  /// its vault.
  package static func check(newFile path: String, _ vault: VaultLocation) throws {
    guard System.kind(of: path) == nil else {
      throw CommandError(
        .alreadyExists, "already_exists", subject: path, "already exists",
        hints: ["name a new file, or use the identity in this file with --recipient age1…"])
    }
    guard try !vault.holds(path) else {
      throw CommandError(
        .inputRefused, "input_refused", subject: path,
        "is in the vault: anybody with its folder, its git or its backups would have the key",
        hints: ["name a file outside the vault, preferably on another disk; nothing was changed"])
    }
  }
}
