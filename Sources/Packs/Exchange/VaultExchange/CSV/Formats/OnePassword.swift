extension CSVImporter {
  static let onePassword8 = CSVImporter(
    format: ImportFormat(
      "1password-csv", title: "1Password 8, CSV", versions: "8",
      keeps: "everything in the file, which has logins and passwords only; favorite and archived as tags"),
    required: [
      "title": .title, "url": .url, "username": .username, "password": .password, "otpauth": .totp,
      "favorite": .flag("favorite"), "archived": .flag("archived"), "tags": .list("tags", separatedBy: ";"),
      "notes": .notes,
    ])

  static let onePasswordMac = CSVImporter(
    format: ImportFormat(
      "1password-mac-csv", title: "1Password 4 to 7, CSV of all fields", versions: "4 to 7, macOS",
      keeps: "everything; other types as tags, their fields as secrets"),
    required: [
      "title": .title, "type": .onePasswordType, "username": .username, "password": .password, "url": .url,
      "notes": .notes, "scope": .field("scope"),
    ],
    optional: [
      "tags": .onePasswordTags, "created date": .seconds("created"), "modified date": .seconds("modified"),
      "uuid": .identifier, "ainfo": .field("ainfo"), "autosubmit": .field("autosubmit"),
      "cardholder": .card("holder"), "ccnum": .card("number"), "cvv": .card("security_code"), "expiry": .expiry,
      "pin": .member("pin"), "email": .field("email"), "website": .url, "section:name": .field, "database": .field,
      "hostname": .field, "port": .field,
    ],
    others: .secret, dialect: CSVDialect(escapesWithBackslash: true), canonicalName: variable)

  static let onePasswordWindows = CSVImporter(
    format: ImportFormat(
      "1password-windows-csv", title: "1Password 7, CSV of all fields", versions: "7, Windows",
      keeps: "everything; fields that no kind has as secrets"),
    required: [
      "uuid": .identifier, "title": .title, "scope": .field("scope"), "autosubmit": .field("autosubmit"),
    ],
    optional: [
      "tags": .list("tags", separatedBy: ","), "notes": .notes, "username": .username, "password": .password,
      "url": .url, "urls": .urls(separatedBy: ","), "cardholder name": .card("holder"), "number": .member("number"),
      "verification number": .member("security_code"), "expiry date": .expiry, "pin": .member("pin"),
    ],
    excluded: ["type"], others: .secret, canonicalName: unnumbered)

  /// `cardholder` of `cardholder name(cardholder)`.
  @Sendable private static func variable(_ name: String) -> String {
    guard name.last == ")", let open = name.lastIndex(of: "(") else { return name }
    return String(name[name.index(after: open)...].dropLast())
  }

  /// `CARDHOLDER NAME` of `1: CARDHOLDER NAME`.
  @Sendable private static func unnumbered(_ name: String) -> String {
    let rest = name.drop { $0.isNumber }
    return rest.count < name.count && rest.hasPrefix(": ") ? String(rest.dropFirst(2)) : name
  }
}

extension LeafRule {
  /// Reads the type. A type without a kind becomes a tag, and so does any other word.
  fileprivate static let onePasswordType = LeafRule { builder, text, place in
    let kinds = ["login": "login", "password": "login", "secure note": "secure-note", "credit card": "payment-card"]
    if kinds[text.lowercased()] != nil { return kind(kinds).apply(&builder, text, place) }
    if types.contains(text.lowercased()) { builder.kind = "custom" }
    tag.apply(&builder, text, place)
  }

  private static let types: Set<String> = [
    "identity", "bank account", "database", "driver license", "email account", "membership", "outdoor license",
    "passport", "reward program", "server", "social security number", "software license", "wireless router",
  ]

  /// Reads tags: `{( "Starter Kit", … )}`, which is how macOS describes a set, or names with commas between them.
  fileprivate static let onePasswordTags = LeafRule { builder, text, place in
    guard text.begins(with: "{("), text.ends(with: ")}") else {
      return list("tags", separatedBy: ",").apply(&builder, text, place)
    }
    let items = Substring(text.utf8.dropFirst(2).dropLast(2)).parts(separatedBy: ",").map(\.trimmingSpaces)
    for item in items where !item.isEmpty {
      let isQuoted = item.utf8.count > 1 && item.begins(with: "\"") && item.ends(with: "\"")
      let name = isQuoted ? Substring(item.utf8.dropFirst().dropLast()) : item
      builder.add(String(name), .list("tags"), as: place.path)
    }
    builder.note(place, .mapped(to: "tags"))
  }
}
