import VaultDocument
import VaultKit

/// What this machine remembers of the vault that a command works on, compared before any key is asked for.
struct PinCheck {
  /// What came of the comparison.
  enum Outcome {
    /// There is no place to remember anything.
    case noState
    case compared(KnownVault)
    /// What is remembered cannot be read.
    case failed(VaultError)
    /// It is an earlier state of the vault, was found to be that, and nothing is remembered of it.
    case earlier(isNamed: Bool)
  }

  let state: KnownVaults?
  let outcome: Outcome
  private let vault: LockedVault
  /// Nil where only identity matters.
  let otherStates: OtherStates?
  private var header: VaultHeader { vault.header }

  /// - Parameter otherStates: asked whether a later state is kept on another branch.
  init(_ vault: LockedVault, _ state: KnownVaults?, _ otherStates: OtherStates? = nil) {
    (self.state, self.vault, self.otherStates) = (state, vault, otherStates)
    guard let state else {
      outcome = .noState
      return
    }
    do throws(VaultError) {
      outcome = .compared(try state.known(vault))
    } catch {
      outcome = .failed(error)
    }
  }

  init(_ earlier: EarlierVault) {
    (state, vault, otherStates) = (nil, earlier.vault, nil)
    outcome = .earlier(isNamed: earlier.isNamed)
  }

  /// Whether it is known that somebody has named the vault.
  var isNamed: Bool {
    if case .earlier(let isNamed) = outcome { return isNamed }
    return if case .pinned(let pin)? = known?.state { pin.isNamed } else { false }
  }

  /// What is remembered, where it can be read.
  var known: KnownVault? { if case .compared(let known) = outcome { known } else { nil } }

  /// What keeps the header that this machine has seen last, where the vault's folder has an earlier one; nil for
  /// nothing.
  private var elsewhere: String? {
    guard let known, known.isSetBack, let seen = known.pin?.header else { return nil }
    return otherStates?(MissedState(seen, found: header))
  }

  /// How the vault is not what is remembered, or why that cannot be told; nil when all is well, or when an earlier
  /// state was put there and the later one is kept.
  var refusal: VaultError? {
    if case .failed(let error) = outcome { return error }
    guard case .differs(let difference)? = known?.state, elsewhere == nil else { return nil }
    var error = (try? difference.error(of: header)) ?? difference.error
    error.remedies = vault.fitting(error.remedies)
    return error
  }

  /// Refuses another vault or another root key, which comes before any damage.
  func requireIdentity() throws {
    if case .differs(let difference)? = known?.state, !difference.isIdentity { return }
    if let refusal { throw CommandError(refusal) }
  }

  /// Refuses an older state too: for whoever goes on without a key, or would have to ask for one.
  func requireKnownState() throws {
    if let refusal { throw CommandError(refusal) }
  }

  /// What `status` and `pin show` say.
  var word: String {
    switch known?.state {
    case .new: "new"
    case .pinned: "pinned"
    case .differs: "differs"
    case nil: state == nil ? "none" : "unreadable"
    }
  }

  /// The same in a line.
  var line: String {
    switch known?.state {
    case .new: "new: nothing is remembered of this vault"
    case .pinned(let pin): pin.header.map { "pinned, header revision \($0.revision)" } ?? "pinned by its fingerprint"
    case .differs:
      word + ": " + (refusal?.description ?? elsewhere.map { "the later header is kept in \($0)" } ?? "")
    case nil: word + ": " + (refusal?.description ?? "there is no home directory to remember anything in")
    }
  }
}

/// Where the state lies.
enum StateLocation {
  /// `CVAULT_STATE_DIR`, else the user's own; nil without a home directory.
  static var path: String? { System.environment("CVAULT_STATE_DIR") ?? KnownVaults.userDirectory }

  /// The state there; that there is no place for it is said.
  static func state(_ messages: Messages) -> KnownVaults? {
    guard let path else {
      messages.note("nothing is remembered of this vault: there is no home directory; CVAULT_STATE_DIR names another")
      return nil
    }
    return KnownVaults(directory: path)
  }
}

extension Messages {
  /// Something about what this machine remembers.
  func note(_ news: StateNote) {
    switch news {
    case .firstUse(let fingerprint):
      note("this machine did not know this vault: its fingerprint \(fingerprint) is remembered from now on")
    case .copy(let original):
      note(
        "this is a copy of the vault at \(original): this machine remembers each on its own, and a change in one is not "
          + "in the other")
    case .behind(let id, let revision, let newest):
      note(
        "this copy is behind: it has revision \(revision) of \(id.text), and this machine has seen \(newest) elsewhere; "
          + "`git pull` brings a clone up to date")
    case .elsewhere(let place):
      note("this folder has an earlier state than this machine has seen; the later one is kept in \(place)")
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
