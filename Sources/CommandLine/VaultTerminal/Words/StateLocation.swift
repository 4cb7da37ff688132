import VaultDocument
package import VaultKit
package import VaultSystem

/// The folders where this machine remembers vaults and keeps files of a login.
package enum StateLocation {
  /// The folder of `CVAULT_STATE_DIR`, or the user's own; nil without a home directory.
  package static var path: String? { System.environment("CVAULT_STATE_DIR") ?? KnownVaults.userDirectory }

  /// The state of this machine. If there is no place for it, a note says so.
  package static func state(_ messages: Messages) -> KnownVaults? {
    guard let path else {
      messages.note("this vault is not remembered: there is no home directory; name a folder with CVAULT_STATE_DIR")
      return nil
    }
    return KnownVaults(directory: path)
  }

  /// The user's folder for files that last only as long as a login, otherwise a folder below the state. Nil without a
  /// home directory.
  package static var runtimeFolder: PrivateFolder? {
    if let runtime = System.environment("XDG_RUNTIME_DIR"), runtime.hasPrefix("/") {
      return PrivateFolder(runtime + "/cvault")
    }
    return path.map { PrivateFolder($0 + "/run") }
  }

  package static func requiredRuntimeFolder() throws -> PrivateFolder {
    guard let folder = runtimeFolder else {
      throw CommandError(
        .inputOutput, "io_failed", subject: "agent", "there is no folder for its socket",
        hints: ["name one with XDG_RUNTIME_DIR"])
    }
    return folder
  }
}

extension Messages {
  func note(_ news: StateNote) {
    switch news {
    case .firstUse(let fingerprint):
      note("this vault is new on this machine: its fingerprint \(fingerprint) is remembered from now on")
    case .copy(let original):
      note(
        "this is a copy of the vault at \(original): each is remembered on its own, and a change in one does not appear "
          + "in the other")
    case .behind(let id, let revision, let newest):
      note(
        "this copy is behind: it has revision \(revision) of \(id.text), and this machine has seen \(newest) elsewhere; "
          + "`git pull` brings a clone up to date")
    case .elsewhere(let place):
      note("this folder is older than what this machine has seen; the newer state is kept in \(place)")
    case .slotsChanged(let added, let removed):
      for slot in added { note("a slot was added since this machine last unlocked the vault: \(slot.line)") }
      for slot in removed { note("a slot was removed since this machine last unlocked the vault: \(slot.line)") }
    case .notRemembered(let error): note("this vault is not remembered: \(error.description)")
    }
  }
}

extension Pin.SlotName {
  fileprivate var line: String { label.isEmpty ? id.text : "\(id.text)  \(label)" }
}

extension CommandError {
  /// The error of a command that needs the state of this machine, without a place for it.
  package static var noStateFolder: CommandError {
    CommandError(
      .inputOutput, "io_failed", subject: "state", "there is no home directory for the state of this machine",
      hints: ["name a folder with CVAULT_STATE_DIR"])
  }
}
