/// Buttercup writes groups as rows of their own, before the entries in them.
struct ButtercupImporter: Importer {
  let format = ImportFormat(
    "buttercup-csv", title: "Buttercup, CSV", versions: "1 and 2",
    keeps: "everything; groups as tags, custom columns as secrets")

  private struct Group {
    let name: String
    let parent: String?
  }

  private static let group = "group"

  private var table: CSVImporter {
    CSVImporter(
      format: format,
      required: [
        "!type": .buttercupType, "!group_id": .part("id", of: "tags"), "!group_name": .part("name", of: "tags"),
        "title": .title, "username": .username, "password": .password, "url": .url, "id": .identifier,
        "notes": .notes,
      ],
      optional: ["!group_parent": .part("parent", of: "tags")], others: .secret)
  }

  func detects(_ sample: ImportSample) -> Bool { table.detects(sample) }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    var groups: [String: Group] = [:]
    return try table.items(of: source, encoding: options.encoding) {
      (builder: inout RecordBuilder, kind: String) throws(ExchangeError) in
      let id = builder.parts["id"] ?? ""
      if builder.parts["type"] == Self.group {
        groups[id] = Group(name: builder.parts["name"] ?? id, parent: builder.parts["parent"])
        return .leaves(builder.lines(mappedTo: "tags"))
      }
      builder.add(Self.path(of: id, in: groups), .list("tags"), as: "group")
      return .record(try builder.record(kind: kind))
    }
  }

  /// The names of a group and its parents. A file may list a group as its own parent.
  private static func path(of id: String, in groups: [String: Group]) -> String {
    var names: [String] = []
    var next: String? = id
    while let id = next, let group = groups[id], names.count < groups.count {
      names.insert(group.name, at: 0)
      next = group.parent
    }
    // An id without a row of its own is kept, because it tells where the entry was.
    return names.isEmpty ? id : names.joined(separator: "/")
  }
}

extension LeafRule {
  fileprivate static let buttercupType = LeafRule { builder, text, place in
    builder.parts["type"] = text
    if text != "entry", text != "group" { return builder.put(text, .field("type"), from: place) }
    builder.note(place, .mapped(to: text == "group" ? "tags" : "kind"))
  }
}
