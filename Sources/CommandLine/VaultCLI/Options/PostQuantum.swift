package import VaultAge
import VaultCrypto
package import VaultKit
package import VaultTerminal

extension CommandError {
  /// The error for a post-quantum key that the loaded OpenSSL cannot use.
  ///
  /// - Parameter status: `cannotUnlock` for an identity that should open something.
  package static func needsNewerOpenSSL(_ subject: String, status: ExitStatus = .inputRefused) -> CommandError {
    CommandError(
      status, status == .inputRefused ? "input_refused" : "no_key", subject: subject,
      "post-quantum keys need OpenSSL (libcrypto) 3.5 or later",
      hints: ["the library here is \(CryptoLibrary.version); nothing was changed"])
  }
}

extension AgeRecipient {
  /// Refuses recipients to which one file cannot be sealed here, before anything is written.
  ///
  /// - Parameter option: the option, or the file, that names them.
  package static func check(_ recipients: [AgeRecipient], of option: String) throws {
    try checkLibrary(for: recipients, of: option)
    do throws(AgeError) {
      try requireUsable(recipients)
    } catch {
      throw CommandError.usage(
        option, error.reason, "name recipients of one type, and make another file for the others")
    }
  }

  /// Refuses post-quantum recipients to which OpenSSL cannot seal here, before anything is written.
  ///
  /// - Parameter place: the option, the file, or the vault that names them.
  package static func checkLibrary(for recipients: [AgeRecipient], of place: String) throws {
    do throws(AgeError) {
      try requireLibrary(for: recipients)
    } catch {
      throw CommandError.needsNewerOpenSSL(place)
    }
  }

  /// The recipient for eyes. A post-quantum one has nearly 2,000 characters.
  package var shown: String { isPostQuantum ? "\(text.prefix(24))…\(text.suffix(6))" : text }
}

extension AgeIdentity {
  /// Refuses `--post-quantum` without a new identity, and with an OpenSSL that cannot make one.
  package static func check(postQuantum: Bool, file: String?) throws {
    guard postQuantum else { return }
    guard HybridKEM.isAvailable else { throw CommandError.needsNewerOpenSSL("--post-quantum") }
    guard file != nil else {
      throw CommandError.usage(
        "--post-quantum", "needs --generate-identity FILE", "a passphrase is post-quantum without this option")
    }
  }
}

extension VaultHeader {
  /// Whether each way to unlock withstands quantum computers.
  package var isPostQuantum: Bool { slots.allSatisfy(\.isPostQuantum) }

  /// The note about slots that make the other, post-quantum keys of the vault useless; nil if it has no such key.
  package var postQuantumNote: String? {
    let weaker = slots.filter { !$0.isPostQuantum }
    guard let first = weaker.first, slots.contains(where: { $0.recipient?.isPostQuantum == true }) else { return nil }
    let which = weaker.count == 1 ? "slot \(first.words) is" : "\(weaker.count) slots are"
    return "\(which) not post-quantum, so the vault is not: `vault key list` shows the kinds"
  }
}
