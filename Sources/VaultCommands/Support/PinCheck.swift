import VaultDocument
import VaultKit

/// What this machine remembers of the vault that a command works on, compared before any key is asked for.
struct PinCheck {
  /// What came of the comparison.
  enum Outcome {
    /// There is no place to remember anything.
    case noState
    case compared(PinState)
    /// What is remembered cannot be read.
    case failed(VaultError)
  }

  let state: VaultState?
  let outcome: Outcome
  private let header: VaultHeader

  init(_ vault: LockedVault, _ state: VaultState?) {
    self.state = state
    header = vault.header
    guard let state else {
      outcome = .noState
      return
    }
    do throws(VaultError) {
      outcome = .compared(try state.pinState(of: vault))
    } catch {
      outcome = .failed(error)
    }
  }

  /// Whether it is known that somebody has named the vault.
  var isNamed: Bool { if case .compared(.pinned(let pin)) = outcome { pin.isNamed } else { false } }

  /// How the vault is not what is remembered, or why that cannot be told; nil when all is well.
  var refusal: VaultError? {
    switch outcome {
    case .compared(.differs(let difference)): (try? difference.error(of: header)) ?? difference.error
    case .failed(let error): error
    case .noState, .compared: nil
    }
  }

  /// Refuses another vault or another root key, which comes before any damage.
  func requireIdentity() throws {
    if case .compared(.differs(let difference)) = outcome, !difference.isIdentity { return }
    if let refusal { throw CommandError(refusal) }
  }

  /// Refuses an older state too: for whoever goes on without a key, or would have to ask for one.
  func requireKnownState() throws {
    if let refusal { throw CommandError(refusal) }
  }

  /// What `status` and `pin show` say.
  var word: String {
    switch outcome {
    case .noState: "none"
    case .compared(.new): "new"
    case .compared(.pinned): "pinned"
    case .compared(.differs): "differs"
    case .failed: "unreadable"
    }
  }

  /// The same in a line.
  var line: String {
    switch outcome {
    case .noState: "none: there is no home directory to remember anything in"
    case .compared(.new): "new: nothing is remembered of this vault"
    case .compared(.pinned(let pin)):
      pin.header.map { "pinned, header revision \($0.revision)" } ?? "pinned by its fingerprint"
    case .compared(.differs), .failed: word + ": " + (refusal.map { "\($0.description)" } ?? "")
    }
  }
}

/// Where the state lies.
enum StateLocation {
  /// `CVAULT_STATE_DIR`, else the user's own; nil without a home directory.
  static var path: String? {
    System.environment("CVAULT_STATE_DIR")
      ?? XDG.directory("XDG_STATE_HOME", under: ".local/state").map { $0 + "/cvault" }
  }

  /// The state there; that there is no place for it is said.
  static func state(_ messages: Messages) -> VaultState? {
    guard let path else {
      messages.note("nothing is remembered of this vault: there is no home directory; CVAULT_STATE_DIR names another")
      return nil
    }
    return VaultState(directory: path)
  }
}

extension Messages {
  /// Something about what this machine remembers.
  func note(_ news: StateNote) {
    switch news {
    case .firstUse(let fingerprint):
      note("this machine did not know this vault: its fingerprint \(fingerprint) is remembered from now on")
    case .slotsChanged(let added, let removed):
      for slot in added { note("since this machine unlocked it last, a slot was added: \(slot.line)") }
      for slot in removed { note("since this machine unlocked it last, a slot was removed: \(slot.line)") }
    case .notRemembered(let error): note("nothing is remembered of this vault: \(error.description)")
    }
  }
}

extension Pin.SlotName {
  fileprivate var line: String { label.isEmpty ? id.text : "\(id.text)  \(label)" }
}
