internal import VaultDocument

extension CSVImporter {
  static let protonPass = CSVImporter(
    format: ImportFormat(
      "protonpass-csv", title: "Proton Pass, CSV", versions: "1.6 and later",
      keeps: "everything; vaults as tags, aliases as logins, the details of an identity as fields and secrets"),
    required: [
      "type": .protonType, "name": .title, "url": .urls(separatedBy: ", "), "username": .username,
      "password": .password, "note": .protonNote, "totp": .totp, "createtime": .seconds("created"),
      "modifytime": .seconds("modified"),
    ],
    optional: ["email": .field("email"), "vault": .tag])
}

extension LeafRule {
  fileprivate static let protonType = LeafRule { builder, text, place in
    // An alias has only an address, so the type is kept as a tag.
    if text == "alias" { builder.add("alias", .list("tags"), as: "type") }
    kind([
      "login": "login", "alias": "login", "note": "secure-note", "creditcard": "payment-card", "identity": "custom",
      "sshkey": "ssh-key",
    ]).apply(&builder, text, place)
  }

  /// Reads text, or a JSON object with the details of a card or an identity.
  fileprivate static let protonNote = LeafRule { builder, text, place in
    guard builder.kind != "login", let object = (try? JSONParser.parse(text))?.object else {
      return builder.put(text, .member("notes"), from: place)
    }
    builder.add(protonDetails: .object(object), at: .root)
    builder.note(place, .mapped(to: "."))
  }
}

extension RecordBuilder {
  private static let cardMembers = [
    "cardholderName": "holder", "number": "number", "verificationNumber": "security_code", "pin": "pin",
    "note": "notes",
  ]
  /// Details of an identity that are not secret.
  private static let readable: Set<String> = [
    "fullName", "email", "phoneNumber", "firstName", "middleName", "lastName", "organization", "streetAddress",
    "zipOrPostalCode", "city", "stateOrProvince", "countryOrRegion", "floor", "county", "website", "company",
    "jobTitle", "cardType",
  ]

  /// Adds each value in a tree of details under its own name.
  fileprivate mutating func add(protonDetails value: JSONValue, at path: MemberPath) {
    switch value {
    case .object(let object):
      for (name, below) in object { add(protonDetails: below, at: path.appending(name)) }
    case .array(let items):
      for (index, item) in items.enumerated() { add(protonDetails: item, at: path.appending(index)) }
    case .string(let text): add(protonDetail: text, named: path.description)
    case .number(let number): add(protonDetail: number.literal, named: path.description)
    case .bool(let flag): add(protonDetail: flag ? "true" : "false", named: path.description)
    case .null: break
    }
  }

  private mutating func add(protonDetail text: String, named name: String) {
    if name == "expirationDate" {
      add(CardExpiry.normal(text) ?? text, .member("expiry"), as: name)
    } else if kind == "payment-card", let member = Self.cardMembers[name] {
      add(text, .member(member), as: name)
    } else {
      add(text, Self.readable.contains(name) ? .field(name) : .secret(name), as: name)
    }
  }
}
