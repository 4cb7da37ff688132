internal import VaultDocument

/// A format whose entries are trees: how to detect it, where its entries are, and what their members mean.
struct TreeImporter: Importer {
  let format: ImportFormat
  let detected: @Sendable (ImportSample) -> Bool
  /// The members on the way to the entries, which are in a list or an object.
  var list: [String] = []
  /// Whether the document is one entry rather than a list of entries.
  var isOneEntry = false
  /// The kind of an entry if none of its members decides the kind.
  var kind = "login"
  let rules: TreeRules
  /// The members that refer to groups, and the names of the groups.
  var groups: Groups?
  /// Parses the bytes; JSON by default.
  var parsed: @Sendable (ImportSource, ImportOptions) throws(ExchangeError) -> JSONValue = json
  /// Opens sealed parts, or moves entries to the place that `list` names.
  var opened: @Sendable (JSONValue, ImportOptions) throws(ExchangeError) -> JSONValue = unchanged
  /// Why an entry makes no record; nil if it makes one.
  var refusal: @Sendable (JSONValue) -> StaticString? = { _ in nil }
  /// Assembles values from several leaves.
  var finish: @Sendable (inout RecordBuilder) -> Void = { _ in }

  struct Groups {
    /// The member of an entry that holds one group id, or a list of ids.
    let member: String
    let list: [String]
    let id: String
    let name: String
  }

  @Sendable static func json(_ source: ImportSource, _ options: ImportOptions) throws(ExchangeError) -> JSONValue {
    try JSONReading.value(of: source, options: options)
  }

  @Sendable static func unchanged(_ value: JSONValue, _: ImportOptions) throws(ExchangeError) -> JSONValue { value }

  func detects(_ sample: ImportSample) -> Bool { detected(sample) }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    let document = try opened(try parsed(source, options), options)
    if isOneEntry { return ImportedItems([try item(document, at: .root, names: [:], title: source.name)]) }
    guard let entries = document.value(below: list), entries.array != nil || entries.object != nil else {
      throw ExchangeError(.malformed, "has no list of entries")
    }
    let names = groupNames(in: document)
    let top = MemberPath(list.map { .member($0) })
    var rest = entries.children[...]
    var leaves: [LedgerLine]? = lines(outsideOf: top, in: document)
    return ImportedItems { () throws(ExchangeError) in
      if let lines = leaves {
        leaves = nil
        return .leaves(lines)
      }
      guard let (component, entry) = rest.popFirst() else { return nil }
      return try item(entry, at: MemberPath(top.components + [component]), names: names, title: "")
    }
  }

  private func item(
    _ entry: JSONValue, at path: MemberPath, names: [String: String], title: String
  ) throws(ExchangeError) -> ImportedItem {
    let place = SourcePlace(path: path.components.isEmpty ? "" : path.description)
    let isTooLarge = entry.leafCount(limit: ValueLimit.count) > ValueLimit.count
    guard !entry.isLeaf, !isTooLarge else {
      let reason = isTooLarge ? "\(ValueLimit.tooMany)" : "the entry is not an object"
      let lines = isTooLarge ? [LedgerLine(place, .refused(reason))] : entry.lines(at: path, .refused(reason))
      return .refused(place, reason: reason, lines: lines)
    }
    if let refusal = refusal(entry) {
      let lines = entry.lines(at: path, .refused("\(refusal)"))
      return .refused(place, reason: "\(refusal)", lines: lines)
    }
    var builder = RecordBuilder(format: format.idPrefix, place: place)
    if let groups, let member = entry[groups.member] {
      for id in (member.array ?? [member]).compactMap(\.string) {
        builder.add(names[id] ?? id, .list("tags"), as: "group")
      }
    }
    builder.take(entry, at: place, by: rules)
    finish(&builder)
    if builder.text("title") == nil { builder.add(title, .member("title"), as: "title") }
    return .record(try builder.record(kind: kind))
  }

  /// Whether a path leads into a list of objects, which may be entries of a later version.
  private static func isInList(_ path: MemberPath) -> Bool {
    let steps = path.components
    return steps.indices.dropLast().contains { if case .index = steps[$0] { true } else { false } }
  }

  private func groupNames(in document: JSONValue) -> [String: String] {
    guard let groups else { return [:] }
    var names: [String: String] = [:]
    for group in document.value(below: groups.list)?.array ?? [] {
      if let id = group[groups.id]?.string, let name = group[groups.name]?.string { names[id] = name }
    }
    return names
  }

  private func lines(outsideOf top: MemberPath, in document: JSONValue) -> [LedgerLine] {
    guard !top.components.isEmpty else { return document.isLeaf ? document.lines(at: .root, .empty) : [] }
    let entries = top.components
    let group = groups.map { $0.list.map { MemberPath.Component.member($0) } }
    return document.leafPaths(at: .root).compactMap { path, leaf in
      if path.components.starts(with: entries), path.components.count > entries.count { return nil }
      let isGroup = group.map { path.components.starts(with: $0) } ?? false
      // A text where a setting should be an object may have been an entry.
      let isEntry = Self.isInList(path) || leaf.leafText.begins(with: "{")
      let outcome: LedgerLine.Outcome = isGroup ? .mapped(to: "tags") : isEntry ? .unknown : .container
      return LedgerLine(SourcePlace(path: path.description), leaf.leafText.isEmpty ? .empty : outcome)
    }
  }
}

extension TreeRules {
  /// Takes a subtree that the tool only shows or computes.
  static let hidden: Subtree = { builder, value, place in
    for (path, leaf) in value.leafPaths(at: .root) {
      builder.take(leaf.leafText, from: place.below(path), by: .shown)
    }
  }

  /// Takes a map of names and values, each a secret.
  static let secrets: Subtree = { builder, value, place in
    for (path, leaf) in value.leafPaths(at: .root) {
      builder.take(leaf.leafText, from: place.below(path), by: .secret(path.components.isEmpty ? "value" : path.name))
    }
  }
}

extension MemberPath {
  /// The name of a top-level member, otherwise the path.
  var name: String {
    if components.count == 1, case .member(let name) = components[0] { name } else { description }
  }
}

extension JSONValue {
  /// The value below nested members; nil if one is missing.
  func value(below names: [String]) -> JSONValue? { names.reduce(self) { $0?[$1] } }
}
