extension CSVImporter {
  static let zoho = CSVImporter(
    format: ImportFormat(
      "zoho-csv", title: "Zoho Vault, CSV", versions: "\"Zoho Vault Format\" and general CSV",
      keeps: "everything; chambers and folders as tags, custom data as secrets"),
    required: ["secret name": .title, "secret url": .url, "notes": .notes],
    optional: optional, overflow: overflow)

  static let zohoPasswords = CSVImporter(
    format: ImportFormat(
      "zoho-password-csv", title: "Zoho Vault since 2021, CSV", versions: "columns that begin with \"Password\"",
      keeps: "everything; chambers and folders as tags, custom data as secrets"),
    required: ["password name": .title, "password url": .url, "notes": .notes],
    optional: optional, overflow: overflow)

  private static let optional: Columns = [
    "description": .field("description"), "secret type": .field("type"), "secretdata": .zohoData,
    "secret data": .zohoData, "customdata": .namedLines, "custom data": .namedLines, "user name": .username,
    "username": .username, "password": .password, "login_totp": .totp, "tags": .list("tags", separatedBy: ","),
    "chambername": .folder(), "folder name": .folder(), "classification": .field("classification"),
    "favorite": .flag("favorite"),
  ]

  /// The general form has user name and password, then more secrets, without a name in the header.
  private static let overflow: [LeafRule] = [.username, .password, .secret]
}

extension LeafRule {
  /// `User Name:…` and `Password:…` on lines of one cell, with fields of other types of secrets.
  fileprivate static let zohoData = LeafRule { builder, text, place in
    for line in text.lines {
      let parts = line.split(separator: ":" as Character, maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0].trimmingSpaces)
      let value = parts.count == 2 ? String(parts[1].trimmingSpaces) : name
      switch (parts.count, name.lowercased()) {
      case (2, "user name"), (2, "username"): builder.add(value, .member("username"), as: name)
      case (2, "password"): builder.add(value, .member("password"), as: name)
      case (2, _): builder.add(value, .secret(name), as: name)
      default: builder.add(value, .secret(place.path), as: place.path)
      }
    }
    builder.note(place, .mapped(to: "."))
  }
}
