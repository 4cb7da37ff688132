public import VaultSealing

/// What one signs in with.
public struct Login: VaultRecord, Equatable {
  public var title: String
  public var username: String?
  /// Secret.
  public var password: EncryptedCodableString?
  public var urls: [String]
  /// Secret: the key of one-time passwords, as base32 or an `otpauth:` address.
  public var totp: EncryptedCodableString?
  /// Secret.
  public var notes: EncryptedCodableString?
  public var fields: [String: String]
  /// Secret.
  public var secrets: [String: EncryptedCodableString]
  public var tags: [String]

  public init(
    title: String, username: String? = nil, password: EncryptedCodableString? = nil, urls: [String] = [],
    totp: EncryptedCodableString? = nil, notes: EncryptedCodableString? = nil, fields: [String: String] = [:],
    secrets: [String: EncryptedCodableString] = [:], tags: [String] = []
  ) {
    self.title = title
    self.username = username
    self.password = password
    self.urls = urls
    self.totp = totp
    self.notes = notes
    self.fields = fields
    self.secrets = secrets
    self.tags = tags
  }
}

extension Login {
  public static var kindName: String { "login" }
  public static var summary: String { "What one signs in with: a user name, a password, the addresses it is for." }
  public static var titlePaths: [String] { ["title"] }
  public static var isDescribedByContent: Bool { true }
  public static var content: [MemberSchema] {
    [
      MemberSchema("title", .name, "Title", required: true),
      MemberSchema("username", .text, "User name"),
      MemberSchema("password", .text.sealed(as: .password), "Password"),
      MemberSchema("urls", .list(of: .url), "Addresses"),
      MemberSchema("totp", .text.sealed(as: .otp), "Key of one-time passwords"),
      MemberSchema("notes", .text.sealed, "Notes"),
      .fields, .secrets, .tags,
    ]
  }

  private enum CodingKeys: String, CodingKey {
    case title, username, password, urls, totp, notes, fields, secrets, tags
  }

  public init(from decoder: any Decoder) throws {
    let login = try decoder.container(keyedBy: CodingKeys.self)
    title = try login.decode(String.self, forKey: .title)
    username = try login.decodeIfPresent(String.self, forKey: .username)
    password = try login.decodeIfPresent(EncryptedCodableString.self, forKey: .password)
    urls = try login.decodeList(forKey: .urls)
    totp = try login.decodeIfPresent(EncryptedCodableString.self, forKey: .totp)
    notes = try login.decodeIfPresent(EncryptedCodableString.self, forKey: .notes)
    fields = try login.decodeMap(forKey: .fields)
    secrets = try login.decodeMap(forKey: .secrets)
    tags = try login.decodeList(forKey: .tags)
  }

  public func encode(to encoder: any Encoder) throws {
    var login = encoder.container(keyedBy: CodingKeys.self)
    try login.encode(title, forKey: .title)
    try login.encodeIfPresent(username, forKey: .username)
    try login.encodeIfPresent(password, forKey: .password)
    try login.encodeUnlessEmpty(urls, forKey: .urls)
    try login.encodeIfPresent(totp, forKey: .totp)
    try login.encodeIfPresent(notes, forKey: .notes)
    try login.encodeUnlessEmpty(fields, forKey: .fields)
    try login.encodeUnlessEmpty(secrets, forKey: .secrets)
    try login.encodeUnlessEmpty(tags, forKey: .tags)
  }
}
