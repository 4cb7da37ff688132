internal import VaultDocument

/// The destinations for the parts of a 1Password item.
enum OnePasswordRules {
  /// The kinds of the tool's categories. Other categories become custom records.
  static let kinds = [
    "001": "login", "002": "payment-card", "003": "secure-note", "005": "login", "102": "database", "114": "ssh-key",
  ]

  static let item = TreeRules(
    leaves: [
      "uuid": .identifier, "overview.title": .title, "overview.url": .url, "overview.urls[].url": .url,
      "overview.urls[].label": .urlLabel, "overview.tags[]": .tag, "categoryUuid": .category,
      "favIndex": .nonzero("favorite"), "trashed": .flag("deleted"),
      "state": .state(["deleted": "deleted"], usual: "active"), "createdAt": .seconds("created"),
      "updatedAt": .seconds("modified"), "details.notesPlain": .notes, "details.password": .password,
      "overview.ps": .shown, "overview.pbe": .shown, "overview.pgrng": .shown, "overview.subtitle": .shown,
    ],
    subtrees: [
      "details.loginFields[]": loginField, "details.sections[]": section, "details.documentAttributes": document,
      "overview.watchtowerExclusions": hidden, "overview.icons": hidden,
      "details.passwordHistory": TreeRules.earlierValues("value", "time", by: .named("password", member: "password")),
    ])

  private static let hidden: TreeRules.Subtree = { builder, value, place in
    for (path, leaf) in value.leafPaths(at: .root) {
      builder.take(leaf.leafText, from: place.below(path), by: .shown)
    }
  }

  private static let document: TreeRules.Subtree = { builder, value, place in
    for (path, leaf) in value.leafPaths(at: .root) {
      builder.take(leaf.leafText, from: place.below(path), by: .known(as: "secrets"))
    }
  }

  /// Takes a form field of a web page.
  private static let loginField: TreeRules.Subtree = { builder, value, place in
    let name = ["name", "id", "designation"].compactMap { value[$0]?.string }.first { !$0.isEmpty } ?? "field"
    let rules = ["username": LeafRule.username, "password": .password]
    let rule = rules[value["designation"]?.string ?? ""] ?? .secret(name)
    FieldReading(name: name, rule: rule, understood: ["name", "id", "designation", "fieldType"])
      .take(value, at: place, into: &builder) { $0 == "value" }
  }

  private static let section: TreeRules.Subtree = { builder, value, place in
    let title = value["title"]?.string ?? ""
    for (component, child) in value.children {
      let below = MemberPath([component])
      if component == .member("fields"), let fields = child.array, !fields.isEmpty {
        for (index, field) in fields.enumerated() {
          take(field, at: place.below("fields").below(index), of: title, &builder)
        }
      } else {
        for (path, leaf) in child.leafPaths(at: below) {
          builder.take(leaf.leafText, from: place.below(path), by: .known(as: "secrets"))
        }
      }
    }
  }

  /// Takes a field of a section. Its name begins with the section's name.
  private static func take(
    _ field: JSONValue, at place: SourcePlace, of section: String, _ builder: inout RecordBuilder
  ) {
    let id = field["id"]?.string ?? ""
    let own = field["title"]?.string.flatMap { $0.isEmpty ? nil : $0 } ?? id
    let name = section.isEmpty ? own : "\(section): \(own)"
    let type = field["value"]?.object?.names.first ?? ""
    let rule = members[builder.kind ?? ""]?[id] ?? self.rule(ofType: type, named: name)
    FieldReading(name: name, rule: rule, understood: ["title", "id"])
      .take(field, at: place, into: &builder) { $0 == "value" || $0.hasPrefix("value.") }
  }

  /// The members for fields of a kind, by field id.
  private static let members: [String: [String: LeafRule]] = [
    "payment-card": [
      "cardholder": .member("holder"), "ccnum": .member("number"), "cvv": .member("security_code"),
      "expiry": .expiry, "pin": .member("pin"), "type": .field("brand"),
    ],
    "database": [
      "database_type": .member("engine"), "hostname": .member("host"), "port": .member("port"),
      "database": .member("database"), "username": .member("user"), "password": .member("password"),
    ],
    "login": [:],
  ]

  /// The rule for the type of a value. Types that are not known to be harmless are sealed.
  private static func rule(ofType type: String, named name: String) -> LeafRule {
    switch type {
    case "totp": .totp
    case "url", "menu", "creditCardType", "phone", "email": .partOf(name, .readable)
    case "date": .seconds(name)
    case "sshKey": .sshKey(name)
    default: .partOf(name, .sealed)
    }
  }
}

extension LeafRule {
  fileprivate enum Secrecy { case readable, sealed }

  /// A whole value, or one of several in it. The name of a part also has the part's own member.
  fileprivate static func partOf(_ name: String, _ secrecy: Secrecy) -> LeafRule {
    LeafRule { builder, text, place in
      let parts = place.path.split(separator: ".")
      // `….value.TYPE` is the whole value; `….value.address.city` is a part of it.
      let isPart = parts.count > 2 && parts[parts.count - 2] != "value"
      let own = isPart ? "\(name) \(parts[parts.count - 1])" : name
      builder.put(text, secrecy == .sealed ? .secret(own) : .field(own), from: place)
    }
  }

  fileprivate static func sshKey(_ name: String) -> LeafRule {
    LeafRule { builder, text, place in
      switch place.path.split(separator: ".").last.map(String.init) {
      case "privateKey": builder.put(text, .member("private_key"), from: place)
      case "publicKey": builder.put(text, .member("public_key"), from: place)
      case "fingerprint": builder.put(text, .member("fingerprint"), from: place)
      default: partOf(name, .sealed).apply(&builder, text, place)
      }
    }
  }

  /// Keeps the label of an address, unless it is the usual word.
  fileprivate static let urlLabel = LeafRule { builder, text, place in
    text == "website"
      ? builder.note(place, .mapped(to: "urls")) : builder.put(text, .field("address label"), from: place)
  }

  /// Keeps the number of a category that is not a kind.
  fileprivate static let category = LeafRule { builder, text, place in
    if builder.kind != nil { return builder.note(place, .mapped(to: "kind")) }
    builder.put(text, .field("category"), from: place)
  }

  /// Adds a tag unless the number is zero.
  fileprivate static func nonzero(_ tag: String) -> LeafRule {
    LeafRule { builder, text, place in
      text == "0" ? builder.note(place, .mapped(to: "tags")) : builder.put(tag, .list("tags"), from: place)
    }
  }
}
