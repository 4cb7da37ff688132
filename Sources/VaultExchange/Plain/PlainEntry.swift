internal import VaultDocument

extension FieldRules {
  /// An entry of a file that follows no tool: each value goes where a mapping, the name of a member or a usual name says,
  /// and is a secret under its path otherwise.
  ///
  /// - Throws: ``ExchangeError`` `.reading`.
  func item(
    _ entry: JSONValue, at place: SourcePlace, of format: ImportFormat, title: String = ""
  ) throws(ExchangeError) -> ImportedItem {
    guard entry.object != nil else {
      let reason = "the entry is no object"
      let lines = entry.leafPaths(at: .root).map { leaf in
        LedgerLine(place.below(leaf.path), leaf.value.leafText.isEmpty ? .empty : .refused(reason))
      }
      return .refused(place, reason: reason, lines: lines)
    }
    var builder = RecordBuilder(format: format.name, place: place)
    for (path, value) in entry.leafPaths(at: .root) {
      let name = path.description
      let isOwn = path.components.count == 1
      let usual = isOwn && hasUsualNames ? LeafRule.usual[name.lowercased()] : nil
      let rule = rule(for: name) ?? rule(named: name) ?? usual ?? .secret(name)
      builder.take(value.leafText, from: place.below(path), by: rule)
    }
    if builder.text("title") == nil, !title.isEmpty { builder.add(title, .member("title"), as: "title") }
    let isLogin =
      builder.text("username") != nil || builder.text("password") != nil || builder.firstItem("urls") != nil
    return .record(try record(&builder, fallback: isLogin ? "login" : "custom"))
  }
}
