public import VaultSealing

/// A secret text.
public struct SecureNote: DescribedRecord, Equatable {
  /// The readable title in lists.
  public var title: String
  /// Secret.
  public var text: EncryptedCodableString
  /// Words to find it by.
  public var tags: [String]

  /// A note with its text.
  public init(title: String, text: EncryptedCodableString, tags: [String] = []) {
    self.title = title
    self.text = text
    self.tags = tags
  }
}

extension SecureNote {
  public static var kindName: String { "secure-note" }
  public static var summary: String { "A text that nobody else should read." }
  public static var titlePaths: [String] { ["title"] }
  public static let blank = SecureNote(title: "", text: "")
  public static let members: [Member<SecureNote>] = [
    Member("title", \.title, "Title", as: .name),
    Member("text", \.text, "Text", as: .lines),
    .tags(\.tags),
  ]
}
