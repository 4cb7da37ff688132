import VaultDocument
package import VaultKit
import VaultTerminal

/// The comparison of a vault with its remembered state, before any key is used.
package struct PinCheck {
  enum Outcome {
    /// There is no place to remember anything.
    case noState
    case compared(KnownVault)
    /// The remembered state cannot be read.
    case failed(VaultError)
    /// The vault is an earlier state, it was compared, and nothing about it is remembered.
    case earlier(isNamed: Bool)
  }

  package let state: KnownVaults?
  let outcome: Outcome
  private let vault: LockedVault
  /// Nil if only identity matters.
  let otherStates: OtherStates?
  private var header: VaultHeader { vault.header }

  /// Compares the vault at once. An error is kept in the outcome, and only the functions below throw it.
  ///
  /// - Parameter otherStates: tells whether another branch keeps a later state.
  package init(_ vault: LockedVault, _ state: KnownVaults?, _ otherStates: OtherStates? = nil) {
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

  /// Whether the user has named the vault, as far as this machine remembers.
  package var isNamed: Bool {
    if case .earlier(let isNamed) = outcome { return isNamed }
    return if case .pinned(let pin)? = known?.state { pin.isNamed } else { false }
  }

  package var known: KnownVault? { if case .compared(let known) = outcome { known } else { nil } }

  /// The place that keeps the last seen header if the folder has an earlier one; nil for none.
  private var elsewhere: String? {
    guard let known, known.isSetBack, let seen = known.pin?.header else { return nil }
    return otherStates?(MissedState(seen, found: header))
  }

  /// How the vault differs from the remembered one, or why that is unknown. Nil if all is well, or if the user checked
  /// out an earlier state and the later one is kept.
  package var refusal: VaultError? {
    if case .failed(let error) = outcome { return error }
    guard case .differs(let difference)? = known?.state, elsewhere == nil else { return nil }
    var error = (try? difference.error(of: header)) ?? difference.error
    error.remedies = vault.fitting(error.remedies)
    return error
  }

  /// Refuses another vault or another root key, before any damage is reported.
  package func requireIdentity() throws {
    if case .differs(let difference)? = known?.state, !difference.isIdentity { return }
    if let refusal { throw CommandError(refusal) }
  }

  /// Also refuses an older state. For commands that continue without a key, or that would have to ask for one.
  package func requireKnownState() throws {
    if let refusal { throw CommandError(refusal) }
  }

  /// The word in `status` and `pin show`.
  package var word: String {
    switch known?.state {
    case .new: "new"
    case .pinned: "pinned"
    case .differs: "differs"
    case nil: state == nil ? "none" : "unreadable"
    }
  }

  package var line: String {
    switch known?.state {
    case .new: "new: this machine does not know this vault yet"
    case .pinned(let pin): pin.header.map { "pinned, header revision \($0.revision)" } ?? "pinned by its fingerprint"
    case .differs:
      word + ": " + (refusal?.description ?? elsewhere.map { "the later header is kept in \($0)" } ?? "")
    case nil: word + ": " + (refusal?.description ?? "there is no home directory to remember it in")
    }
  }
}
