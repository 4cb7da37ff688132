public import VaultSealing

/// Whatever has no kind of its own: a title, and values by names that the user chooses, readable or secret.
public struct CustomRecord: VaultRecord, Equatable {
  public var title: String
  public var fields: [String: String]
  /// Secret.
  public var secrets: [String: EncryptedCodableString]
  public var tags: [String]

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
  public static var isDescribedByContent: Bool { true }
  public static var content: [MemberSchema] {
    [MemberSchema("title", .name, "Title", required: true), .fields, .secrets, .tags]
  }

  private enum CodingKeys: String, CodingKey {
    case title, fields, secrets, tags
  }

  public init(from decoder: any Decoder) throws {
    let record = try decoder.container(keyedBy: CodingKeys.self)
    title = try record.decode(String.self, forKey: .title)
    fields = try record.decodeMap(forKey: .fields)
    secrets = try record.decodeMap(forKey: .secrets)
    tags = try record.decodeList(forKey: .tags)
  }

  public func encode(to encoder: any Encoder) throws {
    var record = encoder.container(keyedBy: CodingKeys.self)
    try record.encode(title, forKey: .title)
    try record.encodeUnlessEmpty(fields, forKey: .fields)
    try record.encodeUnlessEmpty(secrets, forKey: .secrets)
    try record.encodeUnlessEmpty(tags, forKey: .tags)
  }
}
