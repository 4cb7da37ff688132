public import VaultSealing

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A key to an interface of a program.
public struct APIKey: DescribedRecord, Equatable {
  public var title: String?
  public var issuer: String
  public var keyID: String?
  /// Secret.
  public var secret: EncryptedCodableString
  public var scopes: [String]
  public var expiresAt: Date?
  public var tags: [String]

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
