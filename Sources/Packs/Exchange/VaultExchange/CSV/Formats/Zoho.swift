extension CSVImporter {
  static let zoho = CSVImporter(
    format: ImportFormat(
      "zoho-csv", title: "Zoho Vault, CSV", versions: "\"Zoho Vault Format\" and general CSV",
      keeps: "everything; chambers and folders as tags, custom data as secrets"),
    required: ["secret name": .title, "secret url": .url, "notes": .notes],
    optional: optional, isTelling: true, overflow: overflow)

  static let zohoPasswords = CSVImporter(
    format: ImportFormat(
      "zoho-password-csv", title: "Zoho Vault since 2021, CSV", versions: "columns that begin with \"Password\"",
      keeps: "everything; chambers and folders as tags, custom data as secrets"),
    required: ["password name": .title, "password url": .url, "notes": .notes],
    optional: optional, isTelling: true, overflow: overflow)

  private static let optional: Columns = [
    "description": .field("description"), "secret type": .field("type"), "secretdata": .zohoData,
    "secret data": .zohoData, "customdata": .namedLines, "custom data": .namedLines, "user name": .username,
    "username": .username, "password": .password, "login_totp": .totp, "totp": .totp,
    "tags": .list("tags", separatedBy: ","),
    "chambername": .folder(), "folder name": .folder(), "classification": .field("classification"),
    "favorite": .flag("favorite"),
  ]

  /// The general form has a user name, a password, and more secrets without names in the header.
  private static let overflow: [LeafRule] = [.username, .password, .secret]
}

extension LeafRule {
  /// Reads a cell with `User Name:…` and `Password:…` on lines of their own, and lines for other secrets.
  fileprivate static let zohoData = LeafRule { builder, text, place in
    for line in text.lines {
      guard let pair = line.pair(separatedBy: ":") else {
        builder.add(String(line.trimmingSpaces), .secret(place.path), as: place.path)
        continue
      }
      let name = String(pair.before.trimmingSpaces)
      let value = String(pair.behind.trimmingSpaces)
      switch name.lowercased() {
      case "user name", "username": builder.add(value, .member("username"), as: name)
      case "password": builder.add(value, .member("password"), as: name)
      default: builder.add(value, .secret(name), as: name)
      }
    }
    builder.note(place, .mapped(to: "."))
  }
}
