/// The sort of secret in a sealed member, for audits, masks and one-time codes. It does not change how the value is
/// sealed.
public enum SecretSort: String, Sendable, CaseIterable {
  /// A password or passphrase that a person types.
  case password
  /// A few digits: of a card, a door, a telephone.
  case pin
  /// A token that a service issues to programs and can revoke.
  case token
  /// A cryptographic key, or a secret that is used like one.
  case key
  /// The secret for one-time codes, as base32 or an `otpauth:` address.
  case otp
  /// Any other secret, including undescribed ones.
  case text
}
