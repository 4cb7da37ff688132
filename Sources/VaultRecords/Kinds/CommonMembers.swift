extension MemberSchema {
  /// Words to find a record by; every kind has them.
  static var tags: MemberSchema { MemberSchema("tags", .list(of: .name), "Tags") }

  /// Readable values by names that the user chooses.
  static var fields: MemberSchema { MemberSchema("fields", .map(of: .text), "Field") }

  /// Secret values by names that the user chooses.
  static var secrets: MemberSchema { MemberSchema("secrets", .map(of: .text.sealed), "Secret field") }
}
