import VaultKit
import VaultSystem
import VaultTerminal

/// Checks who could have placed a vault that was only found by searching upwards.
package enum FoundVault {
  /// Why a found vault may belong to somebody else; nil if only this user and root could have placed it.
  ///
  /// The check covers `vault.json` or another file, its folder, and all parent folders. Anybody who can write to one of
  /// them can exchange its content. In a sticky folder, users can only remove their own files.
  package static func stranger(at folder: String, holding file: String = "vault.json") -> String? {
    let prefix = folder == "/" ? "" : folder
    for (place, isAbove) in [(prefix + "/" + file, false), (folder, false)] + parents(of: folder).map({ ($0, true) }) {
      guard let status = System.status(of: place, followingLink: false) else { return "\(place) cannot be checked" }
      if !owners.contains(status.owner) { return "\(place) belongs to somebody else (user \(status.owner))" }
      if status.isOpen, !(isAbove && status.mode & 0o1000 != 0) { return "\(place) can be changed by others" }
    }
    return nil
  }

  private static func parents(of folder: String) -> [String] {
    let parent = System.parent(of: folder)
    return parent.isEmpty ? [] : [parent] + parents(of: parent)
  }

  /// The trusted users: this user, root, and for root the user who called sudo.
  private static var owners: Set<UInt32> {
    let user = System.userID
    let caller = user == 0 ? System.environment("SUDO_UID").flatMap { UInt32($0) } : nil
    return Set([0, user, caller].compactMap { $0 })
  }
}

extension FileStatus {
  /// Whether others can write. By custom, a group with the user's own number has no other members.
  fileprivate var isOpen: Bool {
    mode & 0o002 != 0 || mode & 0o020 != 0 && !(group == System.groupID && group == System.userID)
  }
}

extension Session {
  package enum Use {
    /// The command uses a key, and writes nothing.
    case reading
    case writing
  }

  /// The session, after the user has confirmed this use if needed.
  ///
  /// A vault that was only found by searching, and that nobody has named, needs a confirmation before a write. If
  /// others could have placed it, it also needs one before a key is used. `--yes` does not confirm this, because it
  /// would accept any vault.
  package func confirmingUse(_ use: Use) throws -> Session {
    let session = try answered(about: use)
    if use == .writing { noteUnsharedLocks() }
    return session
  }

  /// This session, or a confirmed copy of it. A confirmed name in a set is remembered.
  private func answered(about use: Use) throws -> Session {
    guard let doubt = doubt(about: use) else { return self }
    let fingerprint = try locked.fingerprint()
    guard let terminal = Terminal(noInput: global.noInput) else {
      throw CommandError(
        .unexpectedVault, "unknown_vault", subject: location.path, doubt,
        hints: [
          "its fingerprint is \(fingerprint): compare it, then confirm it with --require-fingerprint HEX",
          location.member.map { "or accept the name once: `vault vaults accept \($0.name)`" }
            ?? "or name the vault once with --vault DIR or CVAULT_DIR",
        ])
    }
    let question = "\(location.path) \(doubt). Its fingerprint is \(fingerprint). Read and write it from now on?"
    guard try terminal.confirms(Printable.text(question)) else {
      throw CommandError(.declined, "declined", subject: nil, "you did not confirm, so nothing was changed")
    }
    var agreed = self
    agreed.isNamed = true
    location.member?.remember(pin.state, isAccepted: true, slots: nil, messages)
    return agreed
  }

  /// Why a use needs confirmation; nil if it does not.
  func doubt(about use: Use) -> String? {
    guard !isNamed else { return nil }
    if let member = location.member {
      let found = "is the vault \(member.words), a set that was found by searching and never accepted on this machine"
      if let stranger = member.stranger { return "\(found), and \(stranger)" }
      return use == .writing ? found : nil
    }
    let found = "was found by searching and never named on this machine"
    if let stranger = FoundVault.stranger(at: location.path) { return "\(found), and \(stranger)" }
    return use == .writing ? found : nil
  }
}

extension VaultLocation {
  /// Whether the user has named the vault, by its path or by a name in a set. A known vault alone does not mean that
  /// the name belongs to it.
  package func isNamed(_ pin: PinCheck) throws -> Bool {
    guard let member else { return origin != .parent || pin.isNamed }
    return try !member.isOfFoundSet || member.isAccepted(pin.state)
  }
}
