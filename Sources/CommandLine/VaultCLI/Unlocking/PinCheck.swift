import VaultDocument
package import VaultKit
import VaultTerminal

/// What this machine remembers of the vault that a command works on, compared before any key is asked for.
package struct PinCheck {
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

  package let state: KnownVaults?
  let outcome: Outcome
  private let vault: LockedVault
  /// Nil where only identity matters.
  let otherStates: OtherStates?
  private var header: VaultHeader { vault.header }

  /// - Parameter otherStates: asked whether a later state is kept on another branch.
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

  /// Whether it is known that somebody has named the vault.
  package var isNamed: Bool {
    if case .earlier(let isNamed) = outcome { return isNamed }
    return if case .pinned(let pin)? = known?.state { pin.isNamed } else { false }
  }

  /// What is remembered, where it can be read.
  package var known: KnownVault? { if case .compared(let known) = outcome { known } else { nil } }

  /// What keeps the header that this machine has seen last, where the vault's folder has an earlier one; nil for
  /// nothing.
  private var elsewhere: String? {
    guard let known, known.isSetBack, let seen = known.pin?.header else { return nil }
    return otherStates?(MissedState(seen, found: header))
  }

  /// How the vault is not what is remembered, or why that cannot be told; nil when all is well, or when an earlier
  /// state was put there and the later one is kept.
  package var refusal: VaultError? {
    if case .failed(let error) = outcome { return error }
    guard case .differs(let difference)? = known?.state, elsewhere == nil else { return nil }
    var error = (try? difference.error(of: header)) ?? difference.error
    error.remedies = vault.fitting(error.remedies)
    return error
  }

  /// Refuses another vault or another root key, which comes before any damage.
  package func requireIdentity() throws {
    if case .differs(let difference)? = known?.state, !difference.isIdentity { return }
    if let refusal { throw CommandError(refusal) }
  }

  /// Refuses an older state too: for whoever goes on without a key, or would have to ask for one.
  package func requireKnownState() throws {
    if let refusal { throw CommandError(refusal) }
  }

  /// What `status` and `pin show` say.
  package var word: String {
    switch known?.state {
    case .new: "new"
    case .pinned: "pinned"
    case .differs: "differs"
    case nil: state == nil ? "none" : "unreadable"
    }
  }

  /// The same in a line.
  package var line: String {
    switch known?.state {
    case .new: "new: nothing is remembered of this vault"
    case .pinned(let pin): pin.header.map { "pinned, header revision \($0.revision)" } ?? "pinned by its fingerprint"
    case .differs:
      word + ": " + (refusal?.description ?? elsewhere.map { "the later header is kept in \($0)" } ?? "")
    case nil: word + ": " + (refusal?.description ?? "there is no home directory to remember anything in")
    }
  }
}
