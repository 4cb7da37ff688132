public import VaultSealing

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A key to an interface of a program.
public struct APIKey: VaultRecord, Equatable {
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
  public static var isDescribedByContent: Bool { true }
  public static var content: [MemberSchema] {
    [
      MemberSchema("title", .name, "Title"),
      MemberSchema("issuer", .name, "Issuer", required: true),
      MemberSchema("key_id", .text, "Key id"),
      MemberSchema("secret", .text.sealed(as: .token), "Secret", required: true),
      MemberSchema("scopes", .list(of: .name), "Scopes"),
      MemberSchema("expires_at", .moment, "Expires at"),
      .tags,
    ]
  }

  private enum CodingKeys: String, CodingKey {
    case title, issuer, secret, scopes, tags
    case keyID = "key_id"
    case expiresAt = "expires_at"
  }

  public init(from decoder: any Decoder) throws {
    let key = try decoder.container(keyedBy: CodingKeys.self)
    title = try key.decodeIfPresent(String.self, forKey: .title)
    issuer = try key.decode(String.self, forKey: .issuer)
    keyID = try key.decodeIfPresent(String.self, forKey: .keyID)
    secret = try key.decode(EncryptedCodableString.self, forKey: .secret)
    scopes = try key.decodeList(forKey: .scopes)
    expiresAt = try key.decodeIfPresent(Date.self, forKey: .expiresAt)
    tags = try key.decodeList(forKey: .tags)
  }

  public func encode(to encoder: any Encoder) throws {
    var key = encoder.container(keyedBy: CodingKeys.self)
    try key.encodeIfPresent(title, forKey: .title)
    try key.encode(issuer, forKey: .issuer)
    try key.encodeIfPresent(keyID, forKey: .keyID)
    try key.encode(secret, forKey: .secret)
    try key.encodeUnlessEmpty(scopes, forKey: .scopes)
    try key.encodeIfPresent(expiresAt, forKey: .expiresAt)
    try key.encodeUnlessEmpty(tags, forKey: .tags)
  }
}
