public import VaultSealing

/// The credentials of an account.
public struct Login: DescribedRecord, Equatable {
  /// The title in lists.
  public var title: String
  /// The user name.
  public var username: String?
  /// Secret.
  public var password: EncryptedCodableString?
  /// The addresses of the sign-in pages, with their schemes.
  public var urls: [String]
  /// Secret: the key of one-time passwords, as base32 or an `otpauth:` address.
  public var totp: EncryptedCodableString?
  /// Secret.
  public var notes: EncryptedCodableString?
  /// Readable values by names that the user chooses.
  public var fields: [String: String]
  /// Secret.
  public var secrets: [String: EncryptedCodableString]
  /// Words to find it by.
  public var tags: [String]

  /// A login; only the title is required.
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
  public static var summary: String { "A user name and a password, with the addresses where you sign in." }
  public static var titlePaths: [String] { ["title"] }
  public static let blank = Login(title: "")
  public static let members: [Member<Login>] = [
    Member("title", \.title, "Title", as: .name),
    Member("username", \.username, "User name"),
    Member("password", \.password, "Password", secret: .password),
    Member("urls", \.urls, "Addresses", of: .url),
    Member("totp", \.totp, "Key of one-time passwords", secret: .otp),
    Member("notes", \.notes, "Notes", as: .lines),
    .fields(\.fields),
    .secrets(\.secrets),
    .tags(\.tags),
  ]
}
