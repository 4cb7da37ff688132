public import VaultAge
public import VaultCrypto

/// A key that unlocks a vault.
public enum VaultKey: Sendable {
  /// Identities, tried against the slots of their recipients.
  case identities([AgeIdentity])
  /// A passphrase, tried against every passphrase slot.
  ///
  /// `maximumWorkFactor` is the binary logarithm of the largest accepted scrypt cost, at most 22.
  case passphrase(SecretBytes, maximumWorkFactor: Int = SlotFile.defaultMaximumWorkFactor)

  /// A key of one identity.
  public static func identity(_ identity: AgeIdentity) -> VaultKey { .identities([identity]) }
}

/// A new way to unlock a vault.
public struct NewSlot: Sendable {
  /// The key that opens the slot.
  public enum Kind: Sendable {
    /// The identity of this recipient.
    case recipient(AgeRecipient)
    /// A passphrase, with the binary logarithm of the scrypt cost, 10…20.
    case passphrase(SecretBytes, workFactor: Int = SlotFile.defaultWorkFactor)
  }

  /// The key that opens it.
  public let kind: Kind
  /// The name for people; may be empty.
  public let label: String

  /// A slot for a new vault, or to add to an existing one.
  public init(_ kind: Kind, label: String = "") {
    self.kind = kind
    self.label = label
  }
}
