public import VaultSealing

/// A text that nobody else shall read.
public struct SecureNote: VaultRecord, Equatable {
  public var title: String
  /// Secret.
  public var text: EncryptedCodableString
  public var tags: [String]

  public init(title: String, text: EncryptedCodableString, tags: [String] = []) {
    self.title = title
    self.text = text
    self.tags = tags
  }
}

extension SecureNote {
  public static var kindName: String { "secure-note" }
  public static var summary: String { "A text that nobody else shall read." }
  public static var titlePaths: [String] { ["title"] }
  public static var isDescribedByContent: Bool { true }
  public static var content: [MemberSchema] {
    [
      MemberSchema("title", .name, "Title", required: true),
      MemberSchema("text", .text.sealed, "Text", required: true),
      .tags,
    ]
  }

  private enum CodingKeys: String, CodingKey {
    case title, text, tags
  }

  public init(from decoder: any Decoder) throws {
    let note = try decoder.container(keyedBy: CodingKeys.self)
    title = try note.decode(String.self, forKey: .title)
    text = try note.decode(EncryptedCodableString.self, forKey: .text)
    tags = try note.decodeList(forKey: .tags)
  }

  public func encode(to encoder: any Encoder) throws {
    var note = encoder.container(keyedBy: CodingKeys.self)
    try note.encode(title, forKey: .title)
    try note.encode(text, forKey: .text)
    try note.encodeUnlessEmpty(tags, forKey: .tags)
  }
}
