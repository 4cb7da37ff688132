internal import VaultDocument

struct EnpassJSONImporter: Importer {
  let format = ImportFormat(
    "enpass-json", title: "Enpass, JSON", versions: "6",
    keeps: "items with all fields and attachments as secrets, earlier values as former values, folders, favorites, "
      + "archived and deleted as tags, dates as fields; icons and the order of fields are left out")

  func detects(_ sample: ImportSample) -> Bool {
    sample.outline.has("items[].template_type", "items[].category")
  }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    let document = try JSONReading.value(of: source, options: options)
    guard let root = document.object, let entries = root["items"]?.array else {
      throw ExchangeError(.malformed, "has no list of items")
    }
    let folders = EnpassFolders(root["folders"])
    let used = Set(entries.flatMap { ($0["folders"]?.array ?? []).compactMap(\.string) }.flatMap(folders.lineage))
    var items: [ImportedItem] = [
      .leaves(root.lines(at: .root, without: ["items", "folders"]) { _ in .unknown }),
      .leaves(folders.lines(used: used)),
    ]
    for (index, entry) in entries.enumerated() {
      let place = SourcePlace(path: "items[\(index)]")
      var builder = RecordBuilder(format: format.name, place: place)
      let category = entry["category"]?.string ?? ""
      builder.kind = EnpassRules.kinds[category]
      for id in (entry["folders"]?.array ?? []).compactMap(\.string) {
        builder.add(folders.path(of: id), .list("tags"), as: "folder")
      }
      builder.take(entry, at: place, by: EnpassRules.item)
      items.append(.record(try builder.record(kind: EnpassRules.likeLogins.contains(category) ? "login" : "custom")))
    }
    return ImportedItems(items)
  }
}

private struct EnpassFolders {
  private var folders: [String: (title: String, parent: String)] = [:]
  private let tree: JSONValue?

  init(_ tree: JSONValue?) {
    self.tree = tree
    for folder in tree?.array ?? [] {
      guard let id = folder["uuid"]?.string, let title = folder["title"]?.string else { continue }
      folders[id] = (title, folder["parent_uuid"]?.string ?? "")
    }
  }

  /// A folder and its parents, the outermost first. A file may list a folder as its own parent.
  func lineage(of id: String) -> [String] {
    var ids: [String] = []
    var next = id
    while let folder = folders[next], ids.count < folders.count {
      ids.insert(next, at: 0)
      next = folder.parent
    }
    return ids
  }

  func path(of id: String) -> String {
    let titles = lineage(of: id).compactMap { folders[$0]?.title }
    return titles.isEmpty ? id : titles.joined(separator: "/")
  }

  /// Folders become tags of their items. An empty folder stores nothing.
  func lines(used: Set<String>) -> [LedgerLine] {
    guard let tree else { return [] }
    let path = MemberPath([.member("folders")])
    guard !tree.isLeaf else { return tree.lines(at: path, .unknown) }
    return tree.children.flatMap { child in
      let below = MemberPath(path.components + [child.component])
      let isUsed = child.value["uuid"]?.string.map(used.contains) ?? false
      return child.value.leafPaths(at: below).map { leaf in
        let place = SourcePlace(path: leaf.path.description)
        guard isUsed, !leaf.value.leafText.isEmpty else { return LedgerLine(place, .empty) }
        let isName = ["title", "uuid", "parent_uuid"].contains { leaf.path == below.appending($0) }
        return LedgerLine(place, isName ? .mapped(to: "tags") : LeafRule.appearance)
      }
    }
  }
}

private enum EnpassRules {
  static let kinds = [
    "login": "login", "password": "login", "creditcard": "payment-card", "note": "secure-note",
  ]
  /// Categories whose items are logins, unless they are notes.
  static let likeLogins: Set<String> = ["", "computer", "uncategorized", "misc"]

  static let item = TreeRules(
    leaves: [
      "uuid": .identifier, "title": .title, "note": .notes, "favorite": .flag("favorite"),
      "archived": .flag("archived"), "trashed": .flag("deleted"), "folders[]": .known(as: "tags"),
      "category": .category, "template_type": .field("template"), "createdAt": .seconds("created"),
      "updated_at": .seconds("modified"), "created_at": .seconds("created"), "subtitle": .shown,
      "auto_submit": .shown,
    ],
    subtrees: ["fields[]": field, "icon": hidden, "attachments[]": attachment])

  private static let members: [String: LeafRule] = [
    "username": .username, "password": .password, "url": .url, "totp": .totp, "ccName": .member("holder"),
    "ccNumber": .member("number"), "ccCvc": .member("security_code"), "ccPin": .member("pin"), "ccExpiry": .expiry,
  ]

  private static let field: TreeRules.Subtree = { builder, value, place in
    let label = value["label"]?.string ?? ""
    let type = value["type"]?.string ?? ""
    let name = label.isEmpty ? type : label
    // An unmarked text may be a PIN, except in these types.
    let isReadable = ["email", "phone", "ccType", "ccBankname", "date"].contains(type) && value["sensitive"]?.int != 1
    let other = isReadable ? LeafRule.field(type == "email" ? "email" : name) : .secret(name)
    let isSpecial = value["deleted"]?.int ?? 0 == 0
    let rule = isSpecial ? members[type] ?? other : .secret("\(name) deleted")
    var present = value.object ?? JSONObject()
    present["history"] = nil
    FieldReading(name: name, rule: rule, understood: ["label", "type", "sensitive", "uid", "deleted"])
      .take(value.object == nil ? value : .object(present), at: place, into: &builder) { $0 == "value" }
    if let history = value["history"] {
      TreeRules.earlierValues("value", "updated_at", by: rule)(&builder, history, place.below("history"))
    }
  }

  private static let hidden: TreeRules.Subtree = { builder, value, place in
    for (path, leaf) in value.leafPaths(at: .root) {
      builder.take(leaf.leafText, from: place.below(path), by: .shown)
    }
  }

  private static let attachment: TreeRules.Subtree = { builder, value, place in
    let name = "attachment \(value["name"]?.string ?? "")"
    FieldReading(name: name, rule: .secret(name), understood: ["name", "kind", "uuid"])
      .take(value, at: place, into: &builder) { $0 == "data" }
  }
}

extension LeafRule {
  /// Keeps a category that is not a kind.
  fileprivate static let category = LeafRule { builder, text, place in
    if builder.kind != nil { return builder.note(place, .mapped(to: "kind")) }
    builder.put(text, .field("category"), from: place)
  }
}
