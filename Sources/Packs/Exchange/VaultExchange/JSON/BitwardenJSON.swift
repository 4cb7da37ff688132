internal import VaultDocument

/// Bitwarden's own JSON, of a person or an organization.
struct BitwardenImporter: Importer {
  let format = ImportFormat(
    "bitwarden-json", title: "Bitwarden, JSON",
    versions: "2018 to 2026, individual and organization vaults, `bw list items`",
    keeps: "everything; folders, collections, favorites and deleted as tags, custom fields and passkeys as secrets, "
      + "old passwords as former values, dates as fields")

  func detects(_ sample: ImportSample) -> Bool {
    let outline = sample.outline
    if outline.has("passwordProtected") || outline.has("items[].template_type") { return false }
    return isList(outline) || outline.has("folders", "items") || outline.has("collections", "items")
      || outline.has("encrypted", "items[].login")
      || outline.has("encKeyValidation_DO_NOT_EDIT")
  }

  /// Whether the file is the output of the tool's own command: a bare list of items.
  private func isList(_ outline: JSONOutline) -> Bool {
    outline.has("[].object", "[].type", "[].id") && (outline.has("[].login") || outline.has("[].reprompt"))
  }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    try Self.items(of: try JSONReading.value(of: source, options: options))
  }

  /// The items of an unencrypted export.
  static func items(of document: JSONValue, files: ArchiveFiles? = nil) throws(ExchangeError) -> ImportedItems {
    if document["encrypted"]?.bool == true {
      throw ExchangeError(
        .unsupported, "is encrypted with an account key, which is not in the file",
        advice: [
          "Bitwarden: Export vault, File format .json (Encrypted), Export type Password protected",
          "or choose .json, which is not encrypted",
        ])
    }
    let root = document.object ?? JSONObject()
    guard let entries = document.array.flatMap({ $0.isEmpty ? nil : $0 }) ?? root["items"]?.array else {
      throw ExchangeError(.malformed, "has no list of items")
    }
    let top = document.array == nil ? "items" : ""
    let folders = Folders(root)
    let used = Set(entries.flatMap(folders.ids))
    var rest = entries[...]
    var leaves: [LedgerLine]? = lines(outsideItems: root, used: used)
    var (files, hasEnded) = (files, false)
    return ImportedItems { () throws(ExchangeError) in
      if let lines = leaves {
        leaves = nil
        return .leaves(lines)
      }
      guard let entry = rest.popFirst() else {
        defer { hasEnded = true }
        return hasEnded ? nil : files.map { .leaves($0.lines) }
      }
      return .record(try record(of: entry, at: "\(top)[\(rest.startIndex - 1)]", folders, &files))
    }
  }

  private static func record(
    of entry: JSONValue, at path: String, _ folders: Folders, _ files: inout ArchiveFiles?
  ) throws(ExchangeError) -> ImportedRecord {
    let place = SourcePlace(path: path)
    var builder = RecordBuilder(format: "bitwarden-json", place: place)
    for id in folders.ids(of: entry) { builder.add(folders.names[id] ?? id, .list("tags"), as: "folder") }
    builder.take(entry, at: place, by: .bitwarden)
    builder.addExpiry()
    if let id = entry["id"]?.string, !id.isEmpty { try files?.attach("attachments/\(id)/", to: &builder) }
    return try builder.record()
  }

  /// The lines of everything except the items. Folders become tags of their items.
  private static func lines(outsideItems root: JSONObject, used: Set<String>) -> [LedgerLine] {
    root.flatMap { member -> [LedgerLine] in
      let path = MemberPath([.member(member.name)])
      switch member.name {
      case "items": return member.value.isLeaf ? member.value.lines(at: path, .empty) : []
      case "folders", "collections":
        return member.value.children.flatMap { child in
          let isUsed = child.value["id"]?.string.map(used.contains) ?? false
          return child.value.lines(
            at: MemberPath(path.components + [child.component]), isUsed ? .mapped(to: "tags") : .empty)
        } + (member.value.isLeaf ? member.value.lines(at: path, .empty) : [])
      case "encrypted": return member.value.lines(at: path, .mapped(to: "."))
      default: return member.value.lines(at: path, .refused("the format does not say what this value is"))
      }
    }
  }

  private struct Folders {
    var names: [String: String] = [:]

    init(_ root: JSONObject) {
      for list in ["folders", "collections"] {
        for folder in root[list]?.array ?? [] {
          if let id = folder["id"]?.string, let name = folder["name"]?.string { names[id] = name }
        }
      }
    }

    func ids(of entry: JSONValue) -> [String] {
      ([entry["folderId"]] + (entry["collectionIds"]?.array ?? [])).compactMap { $0?.string }.filter { !$0.isEmpty }
    }
  }
}

extension TreeRules {
  fileprivate static let bitwarden = TreeRules(
    leaves: [
      "id": .identifier, "name": .title, "notes": .notes, "favorite": .flag("favorite"), "reprompt": .flag("reprompt"),
      "type": .kind([
        "1": "login", "2": "secure-note", "3": "payment-card", "4": "custom", "5": "ssh-key",
      ]),
      "folderId": .known(as: "tags"), "collectionIds[]": .known(as: "tags"), "secureNote.type": .known(as: "kind"),
      "login.username": .username, "login.password": .password, "login.totp": .totp, "login.uris[].uri": .url,
      "login.uri": .url, "card.cardholderName": .card("holder"), "card.number": .card("number"),
      "card.code": .card("security_code"), "card.expMonth": .part("month", of: "expiry"),
      "card.expYear": .part("year", of: "expiry"), "card.brand": .field("brand"),
      "sshKey.privateKey": .member("private_key"), "sshKey.publicKey": .member("public_key"),
      "sshKey.keyFingerprint": .member("fingerprint"), "creationDate": .field("created"),
      "revisionDate": .field("modified"), "deletedDate": .dated("deleted"), "archivedDate": .dated("archived"),
      "login.passwordRevisionDate": .field("password changed"), "object": .known(as: "."),
      "identity.ssn": .secret("ssn"),
      "identity.passportNumber": .secret("passportNumber"), "identity.licenseNumber": .secret("licenseNumber"),
    ].merging(identity) { first, _ in first },
    subtrees: [
      "fields[]": bitwardenField,
      "passwordHistory": TreeRules.earlierValues(
        "password", "lastUsedDate", by: .named("password", member: "password")),
    ],
    readable: ["organizationId", "login.uris[].match"])

  private static let identity = Dictionary(
    uniqueKeysWithValues: [
      "title", "firstName", "middleName", "lastName", "address1", "address2", "address3", "city", "state",
      "postalCode", "country", "company", "email", "phone", "username",
    ].map { ("identity.\($0)", LeafRule.field($0)) })

  /// Takes a custom field: a name and a value. Visible texts are sealed too, because many of them are PINs.
  private static let bitwardenField: Subtree = { builder, value, place in
    let name = value["name"]?.leafText ?? ""
    let text = value["value"]?.leafText ?? ""
    let rule = value["type"]?.int == 2 ? LeafRule.field(name) : .secret(name)
    for (path, leaf) in value.leafPaths(at: .root) {
      let place = place.below(path)
      switch path.description {
      case "value": builder.take(text, from: place, by: name.isEmpty ? .secret("field") : rule)
      case "name":
        builder.note(place, name.isEmpty || text.isEmpty && value["linkedId"] == nil ? .empty : .mapped(to: "secrets"))
      case "type": builder.note(place, .mapped(to: "secrets"))
      default: builder.take(leaf.leafText, from: place, by: .field("\(name) \(path)"))
      }
    }
  }
}

extension LeafRule {
  /// A leaf that was already used for a member.
  static func known(as member: String) -> LeafRule {
    LeafRule { builder, _, place in builder.note(place, .mapped(to: member)) }
  }

  /// A date whose presence is a state. It becomes a field and a tag of that name.
  static func dated(_ name: String) -> LeafRule {
    LeafRule { builder, text, place in
      builder.add(name, .list("tags"), as: name)
      builder.put(text, .field(name), from: place)
    }
  }
}

extension RecordBuilder {
  /// Makes the expiry of a card from the parts `month` and `year`.
  mutating func addExpiry() {
    let text = [parts["month"], parts["year"]].compactMap { $0 }.joined(separator: "/")
    add(CardExpiry.normal(text) ?? text, .member("expiry"), as: "expiry")
  }
}
