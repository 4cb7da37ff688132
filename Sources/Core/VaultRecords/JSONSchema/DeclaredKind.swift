public import VaultDocument

extension RecordKind {
  /// A kind that a vault declares by a JSON Schema (2020-12).
  ///
  /// - Parameter name: the name in the vault.
  /// - Throws: ``RecordError`` `.invalidSchema` with the path of the unusable keyword.
  public convenience init(declared schema: JSONObject, name: String) throws(RecordError) {
    var parser = SchemaParser(schema)
    var content = try parser.content()
    let titlePaths = try Self.titlePaths(of: schema, content)
    // JSON gives members no order, so the title is asked for first.
    if case .member(let title)? = titlePaths.first?.components.first { content = content.putting(first: title) }
    let summary = schema["description"]?.string ?? schema["title"]?.string ?? ""
    let version = try Self.version(of: schema)
    self.init(
      name, schema: version, origin: .declared(schema), summary: summary, content: content,
      titlePaths: titlePaths,
      migrations: try MigrationParser.migrations(of: schema, upTo: version))
    try checkClearText()
  }

  private static func version(of schema: JSONObject) throws(RecordError) -> Int {
    guard let value = schema["x-schema"] else { return 1 }
    guard let version = value.int, version >= 1 else {
      throw RecordError(.invalidSchema, "must be a whole number, 1 or more", path: "x-schema")
    }
    return version
  }

  /// The member that `x-title` names, else `title` or `name` if these are readable text.
  private static func titlePaths(of schema: JSONObject, _ content: ObjectRule) throws(RecordError) -> [MemberPath] {
    let root = ValueSchema(.object(content))
    guard let named = schema["x-title"] else {
      return ["title", "name"].map { MemberPath([.member($0)]) }.filter { root.value(at: $0)?.isReadableText == true }
    }
    guard let text = named.string, let path = try? MemberPath(parsing: text),
      root.value(at: path)?.isReadableText == true
    else { throw RecordError(.invalidSchema, "must be the path of a readable text field", path: "x-title") }
    return [path]
  }
}

extension ValueSchema {
  fileprivate var isReadableText: Bool { isText && !isSealed }
}
