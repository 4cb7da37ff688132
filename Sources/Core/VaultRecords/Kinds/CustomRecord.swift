public import VaultSealing

/// A record without a special kind: a title, and readable or secret values under names that the user chooses.
public struct CustomRecord: DescribedRecord, Equatable {
  /// The title in lists.
  public var title: String
  /// Readable values by names that the user chooses.
  public var fields: [String: String]
  /// Secret.
  public var secrets: [String: EncryptedCodableString]
  /// Words to find it by.
  public var tags: [String]

  /// A record with a title and optional values.
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
    "A title and values with names of your choice: `fields` are readable, `secrets` are sealed."
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
