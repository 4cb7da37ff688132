public import VaultSealing

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A key to an interface of a program.
public struct APIKey: DescribedRecord, Equatable {
  /// What lists call it; the issuer where there is none.
  public var title: String?
  /// Whose interface it opens.
  public var issuer: String
  /// The part of the key that is no secret, such as `AKIA…`.
  public var keyID: String?
  /// Secret.
  public var secret: EncryptedCodableString
  /// What it may be used for, in the issuer's words.
  public var scopes: [String]
  /// When the issuer stops taking it.
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
  public static var summary: String { "A key to an interface of a program." }
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
