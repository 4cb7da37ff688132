internal import VaultDocument

extension TreeImporter {
  /// The output of the 1Password 8 command for one or more items.
  static let onePasswordCLI = TreeImporter(
    format: ImportFormat(
      "1password-cli", title: "1Password, JSON of its command",
      versions: "`op item get --format json`, `op item list --format json`, version 2",
      keeps: "items with all fields, vaults and tags as tags, old passwords as former values; a list has no "
        + "secrets, and files are not in either"),
    detected: { sample in
      let outline = sample.outline
      return ["", "[]."].contains { outline.has("\($0)id", "\($0)title", "\($0)category", "\($0)vault") }
    },
    list: [],
    rules: TreeRules(
      leaves: [
        "id": .identifier, "title": .title, "tags[]": .tag, "urls[].href": .url, "urls[].primary": .shown,
        "urls[].label": .shown, "vault.name": .tag, "vault.id": .shown, "version": .shown,
        "favorite": .flag("favorite"), "created_at": .field("created"), "updated_at": .field("modified"),
        "last_edited_by": .shown, "additional_information": .field("additional information"),
        "state": .field("state"), "trashed": .flag("deleted"),
        "category": .kind([
          "login": "login", "password": "login", "secure_note": "secure-note", "credit_card": "payment-card",
          "database": "database", "ssh_key": "ssh-key", "custom": "custom",
        ]),
      ],
      subtrees: ["fields[]": commandField, "sections[]": TreeRules.hidden, "files[]": commandFile]),
    opened: { document, _ in document.object == nil ? document : .array([document]) })

  /// The members for fields of a kind, by field id.
  private static let commandMembers: [String: [String: LeafRule]] = [
    "payment-card": [
      "cardholder": .member("holder"), "ccnum": .member("number"), "cvv": .member("security_code"), "expiry": .expiry,
      "pin": .member("pin"),
    ],
    "database": [
      "database_type": .member("engine"), "hostname": .member("host"), "port": .member("port"),
      "database": .member("database"), "username": .member("user"), "password": .password,
    ],
    "ssh-key": [
      "private_key": .member("private_key"), "public_key": .member("public_key"), "fingerprint": .member("fingerprint"),
    ],
  ]

  private static let commandField: TreeRules.Subtree = { builder, value, place in
    let name = ["label", "id"].compactMap { value[$0]?.string }.first { !$0.isEmpty } ?? "field"
    let rule = commandRule(value, name: name, kind: builder.kind)
    for (path, leaf) in value.leafPaths(at: .root) {
      let place = place.below(path)
      let history = "password_details.history"
      switch path.description {
      case "value": builder.take(leaf.leafText, from: place, by: rule)
      case "label", "id", "type", "purpose": builder.take(leaf.leafText, from: place, by: .known(as: "secrets"))
      case let path where path.begins(with: history):
        builder.version = RecordBuilder.EarlierVersion(setAt: nil)
        builder.take(leaf.leafText, from: place, by: rule)
        builder.version = nil
      default: builder.take(leaf.leafText, from: place, by: .shown)
      }
    }
  }

  private static func commandRule(_ field: JSONValue, name: String, kind: String?) -> LeafRule {
    let purposes: [String: LeafRule] = ["USERNAME": .username, "PASSWORD": .password, "NOTES": .notes]
    if let rule = purposes[field["purpose"]?.string ?? ""] { return rule }
    if let rule = commandMembers[kind ?? ""]?[field["id"]?.string ?? ""] { return rule }
    switch field["type"]?.string ?? "" {
    case "OTP": return .totp
    case "URL", "EMAIL", "PHONE", "DATE", "MONTH_YEAR", "MENU", "CREDIT_CARD_TYPE": return .field(name)
    default: return .secret(name)
    }
  }

  private static let commandFile: TreeRules.Subtree = { builder, value, place in
    for (path, leaf) in value.leafPaths(at: .root) {
      let rule =
        path.description == "name" ? LeafRule.refused("the output does not contain the files of an item") : .shown
      builder.take(leaf.leafText, from: place.below(path), by: rule)
    }
  }
}
