public import VaultSealing

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A key for a programming interface.
public struct APIKey: DescribedRecord, Equatable {
  /// The title in lists; without it, the issuer.
  public var title: String?
  /// The provider of the interface.
  public var issuer: String
  /// The part of the key that is not secret, such as `AKIA…`.
  public var keyID: String?
  /// Secret.
  public var secret: EncryptedCodableString
  /// The permitted uses, in the issuer's words.
  public var scopes: [String]
  /// The time when the key expires.
  public var expiresAt: Date?
  /// Words to find it by.
  public var tags: [String]

  /// A key of an issuer.
  public init(
    title: String? = nil, issuer: String, keyID: String? = nil, secret: EncryptedCodableString, scopes: [String] = [],
    expiresAt: Date? = nil, tags: [String] = []
  ) {
    self.title = title
    self.issuer = issuer
    self.keyID = keyID
    self.secret = secret
    self.scopes = scopes
    self.expiresAt = expiresAt
    self.tags = tags
  }
}

extension APIKey {
  public static var kindName: String { "api-key" }
  public static var summary: String { "A key for the API of a program or service." }
  public static var titlePaths: [String] { ["title", "issuer"] }
  public static let blank = APIKey(issuer: "", secret: "")
  public static let members: [Member<APIKey>] = [
    Member("title", \.title, "Title", as: .name),
    Member("issuer", \.issuer, "Issuer", as: .name),
    Member("key_id", \.keyID, "Key id"),
    Member("secret", \.secret, "Secret", secret: .token),
    Member("scopes", \.scopes, "Scopes", of: .name),
    Member("expires_at", \.expiresAt, "Expires at"),
    .tags(\.tags),
  ]
}
