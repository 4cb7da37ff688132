internal import VaultDocument

extension FieldRules {
  /// The entries of a list, or the document as a single entry.
  func items(of document: JSONValue, _ format: ImportFormat, named name: String) throws(ExchangeError) -> ImportedItems
  {
    guard let entries = document.array else {
      guard document.object != nil else { throw ExchangeError(.malformed, "is neither a list nor an object") }
      return ImportedItems([try item(document, at: SourcePlace(), of: format, title: name)])
    }
    var rest = entries[...]
    return ImportedItems { () throws(ExchangeError) in
      guard let entry = rest.popFirst() else { return nil }
      return try item(entry, at: SourcePlace(path: "[\(rest.startIndex - 1)]"), of: format)
    }
  }

  /// An entry of a file without a known tool. A mapping, a member name or a common name decides where a value goes.
  /// Other values become secrets under their paths.
  func item(
    _ entry: JSONValue, at place: SourcePlace, of format: ImportFormat, title: String = ""
  ) throws(ExchangeError) -> ImportedItem {
    guard let members = entry.object else { return Self.refused(entry, at: place, "the entry is not an object") }
    guard entry.leafCount(limit: ValueLimit.count) <= ValueLimit.count else {
      let reason = "\(ValueLimit.tooMany)"
      return .refused(place, reason: reason, lines: [LedgerLine(place, .refused(reason))])
    }
    if let own = entry.object.flatMap(VaultExport.taking), let former = own.former {
      return try ownItem(entry, of: own.kind, former, at: place, format)
    }
    var builder = RecordBuilder(format: format.name, place: place)
    let isOurs = isOurs(members.names)
    for (path, value) in entry.leafPaths(at: .root) {
      let name = path.description
      let isOwn = path.components.count == 1
      let usual = isOwn && hasUsualNames ? LeafRule.usual(name) : nil
      let rule = rule(for: name) ?? rule(named: name, isOurs: isOurs) ?? usual ?? .secret(name)
      builder.take(value.leafText, from: place.below(path), by: rule)
    }
    if builder.text("title") == nil, !title.isEmpty { builder.add(title, .member("title"), as: "title") }
    let isLogin =
      builder.text("username") != nil || builder.text("password") != nil || builder.firstItem("urls") != nil
    return .record(try record(&builder, fallback: isLogin ? "login" : "custom"))
  }

  /// A record of our own export, which names its kind. Its paths are member paths.
  private func ownItem(
    _ entry: JSONValue, of name: String, _ former: [ImportedFormerValue], at place: SourcePlace, _ format: ImportFormat
  ) throws(ExchangeError) -> ImportedItem {
    let (found, refusal) = own.kind(named: name)
    guard let kind = found else { return Self.refused(entry, at: place, refusal) }
    let shape = KindShape(kind)
    var builder = RecordBuilder(format: format.name, place: place)
    for (path, value) in entry.leafPaths(at: .root) {
      let rule = VaultExport.isFormer(path) ? .known(as: "\(path)") : VaultKinds.rule(for: path.description, in: shape)
      builder.take(value.leafText, from: place.below(path), by: rule)
    }
    var record = try builder.record(of: kind)
    record.former = former
    return .record(record)
  }

  private static func refused(_ entry: JSONValue, at place: SourcePlace, _ reason: String) -> ImportedItem {
    let lines = entry.leafPaths(at: .root).map { leaf in
      LedgerLine(place.below(leaf.path), leaf.value.leafText.isEmpty ? .empty : .refused(reason))
    }
    return .refused(place, reason: reason, lines: lines)
  }
}
