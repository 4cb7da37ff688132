public import VaultAge
public import VaultCrypto

/// What somebody unlocks a vault with.
public enum VaultKey: Sendable {
  /// Identities, tried against the slots of their recipients.
  case identities([AgeIdentity])
  /// A passphrase, tried against every passphrase slot.
  ///
  /// `maximumWorkFactor` is the binary logarithm of the largest scrypt cost that is accepted, at most 22.
  case passphrase(SecretBytes, maximumWorkFactor: Int = SlotFile.defaultMaximumWorkFactor)

  /// One identity.
  public static func identity(_ identity: AgeIdentity) -> VaultKey { .identities([identity]) }
}

/// A way to unlock that is to be added to a vault.
public struct NewSlot: Sendable {
  /// Who can open the slot.
  public enum Kind: Sendable {
    /// Whoever has the identity of this recipient.
    case recipient(AgeRecipient)
    /// A passphrase, with the binary logarithm of the scrypt cost, 10…20.
    case passphrase(SecretBytes, workFactor: Int = SlotFile.defaultWorkFactor)
  }

  /// Who can open it.
  public let kind: Kind
  /// What people call it; may be empty.
  public let label: String

  /// A slot that is made when the vault is, or when it is added to one.
  public init(_ kind: Kind, label: String = "") {
    self.kind = kind
    self.label = label
  }
}
