import VaultKit
import VaultSystem
import VaultTerminal

/// A vault that was only found by searching upwards: who could have put it there.
enum FoundVault {
  /// What keeps a found vault from being this user's own; nil when only this user and root could have made or moved it.
  ///
  /// Looked at are `vault.json`, or another file, the folder, and all that are above it: who may write to one of those
  /// can exchange what is in it, unless it is sticky: then each may remove only what is theirs.
  static func stranger(at folder: String, holding file: String = "vault.json") -> String? {
    let prefix = folder == "/" ? "" : folder
    for (place, isAbove) in [(prefix + "/" + file, false), (folder, false)] + parents(of: folder).map({ ($0, true) }) {
      guard let status = System.status(of: place, followingLink: false) else { return "\(place) cannot be looked at" }
      if !owners.contains(status.owner) { return "\(place) belongs to somebody else (user \(status.owner))" }
      if status.isOpen, !(isAbove && status.mode & 0o1000 != 0) { return "\(place) can be written by others" }
    }
    return nil
  }

  private static func parents(of folder: String) -> [String] {
    let parent = System.parent(of: folder)
    return parent.isEmpty ? [] : [parent] + parents(of: parent)
  }

  /// Who is trusted: this user, root, and for root the user who called sudo.
  private static var owners: Set<UInt32> {
    let user = System.userID
    let caller = user == 0 ? System.environment("SUDO_UID").flatMap { UInt32($0) } : nil
    return Set([0, user, caller].compactMap { $0 })
  }
}

extension FileStatus {
  /// Whether others may write: a group that bears the user's own number has no other members by custom.
  fileprivate var isOpen: Bool {
    mode & 0o002 != 0 || mode & 0o020 != 0 && !(group == System.groupID && group == System.userID)
  }
}

extension Session {
  /// What is done with a vault.
  package enum Use {
    /// A key is used, and nothing written.
    case reading
    case writing
  }

  /// The session in which the vault may be used so: one that was only found by searching, and that nobody ever named,
  /// is asked about before anything is written to it, and before a key is used where others could have put it there.
  ///
  /// `--yes` does not answer: what it says yes to would be anybody's.
  package func confirmingUse(_ use: Use) throws -> Session {
    let session = try answered(about: use)
    if use == .writing { noteUnsharedLocks() }
    return session
  }

  private func answered(about use: Use) throws -> Session {
    guard let doubt = doubt(about: use) else { return self }
    let fingerprint = try locked.fingerprint()
    guard let terminal = Terminal(noInput: global.noInput) else {
      throw CommandError(
        .unexpectedVault, "unknown_vault", subject: location.path, doubt,
        hints: [
          "its fingerprint is \(fingerprint): compare it, and say so with --require-fingerprint HEX",
          location.member.map { "or accept the name once: `vault vaults accept \($0.name)`" }
            ?? "or name the vault once with --vault DIR or CVAULT_DIR",
        ])
    }
    let question = "\(location.path) \(doubt). Its fingerprint is \(fingerprint). Read and write it from now on?"
    guard try terminal.confirms(Printable.text(question)) else {
      throw CommandError(.declined, "declined", subject: "terminal", "declined", hints: ["nothing was changed"])
    }
    var agreed = self
    agreed.isNamed = true
    location.member?.remember(pin.state, isAccepted: true, messages)
    return agreed
  }

  /// Why a use is asked about first; nil when it is not.
  func doubt(about use: Use) -> String? {
    guard !isNamed else { return nil }
    if let member = location.member {
      let found = "is what \(member.words) means, a set that was found by searching and that nobody has accepted here"
      if let stranger = member.stranger { return "\(found), and \(stranger)" }
      return use == .writing ? found : nil
    }
    let found = "was found by searching and never named on this machine"
    if let stranger = FoundVault.stranger(at: location.path) { return "\(found), and \(stranger)" }
    return use == .writing ? found : nil
  }
}

extension SetMember {
  /// Who else could have written what the name means.
  fileprivate var stranger: String? {
    FoundVault.stranger(at: set.folder, holding: VaultSet.fileName)
      ?? (vault.isAddress ? nil : FoundVault.stranger(at: path))
  }
}

extension VaultLocation {
  /// Whether somebody has said that it is the vault: by its path, or what a name in a set stands for. That the vault is
  /// known does not say that the name is its own.
  package func isNamed(_ pin: PinCheck) throws -> Bool {
    guard let member else { return origin != .parent || pin.isNamed }
    return try member.set.origin != .parent || member.mark(pin.state)?.isAccepted == true
  }
}
