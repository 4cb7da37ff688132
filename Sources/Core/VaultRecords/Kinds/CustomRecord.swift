public import VaultSealing

/// Whatever has no kind of its own: a title, and values by names that the user chooses, readable or secret.
public struct CustomRecord: DescribedRecord, Equatable {
  /// What lists call it.
  public var title: String
  /// Readable values by names that the user chooses.
  public var fields: [String: String]
  /// Secret.
  public var secrets: [String: EncryptedCodableString]
  /// Words to find it by.
  public var tags: [String]

  /// A record with a title, and whatever else there is.
  public init(
    title: String, fields: [String: String] = [:], secrets: [String: EncryptedCodableString] = [:], tags: [String] = []
  ) {
    self.title = title
    self.fields = fields
    self.secrets = secrets
    self.tags = tags
  }
}

extension CustomRecord {
  public static var kindName: String { "custom" }
  public static var summary: String {
    "A title, and values by names that you choose, in `fields` readable, in `secrets` sealed."
  }
  public static var titlePaths: [String] { ["title"] }
  public static let blank = CustomRecord(title: "")
  public static let members: [Member<CustomRecord>] = [
    Member("title", \.title, "Title", as: .name),
    .fields(\.fields),
    .secrets(\.secrets),
    .tags(\.tags),
  ]
}
