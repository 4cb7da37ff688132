/// What sort of secret a sealed member is: what audits, masks and one-time codes go by.
///
/// It changes nothing about how the value is sealed.
public enum SecretSort: String, Sendable, CaseIterable {
  /// What a person types to prove who they are; a passphrase, too.
  case password
  /// A few digits: of a card, a door, a telephone.
  case pin
  /// What a service gives out to programs, and can take back.
  case token
  /// A cryptographic key, or what opens as one does.
  case key
  /// The secret from which one-time codes are made, as base32 or an `otpauth:` address.
  case otp
  /// Any other; also what nobody described.
  case text
}
