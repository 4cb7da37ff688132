public import VaultRecords

/// A record that says what an example needs and no more: which member names it, and which are sealed.
public protocol ExampleRecord: VaultRecord, Equatable {
  /// The member that names a record in lists.
  static var title: String { get }
  /// The sealed members at the top; the vault refuses to read one that holds clear text.
  static var secrets: [String] { get }
}

extension ExampleRecord {
  public static var titlePaths: [String] { [title] }
  public static var content: [MemberSchema] {
    [MemberSchema(title, .text, required: true)] + secrets.map { MemberSchema($0, .text.sealed) }
  }
}
