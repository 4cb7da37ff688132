extension CSVImporter {
  static let bitwarden = CSVImporter(
    format: ImportFormat(
      "bitwarden-csv", title: "Bitwarden, CSV", versions: "2018 to 2026, individual and organization vaults",
      keeps: "everything; folders, collections and favorites as tags, custom fields as secrets"),
    required: [
      "type": .kind(["login": "login", "note": "secure-note"]), "name": .title, "notes": .notes,
      "fields": .namedLines, "login_uri": .urls(separatedBy: ","), "login_username": .username,
      "login_password": .password, "login_totp": .totp,
    ],
    optional: [
      "folder": .folder(), "collections": .list("tags", separatedBy: ","), "favorite": .flag("favorite"),
      "reprompt": .flag("reprompt"), "archiveddate": .field("archived"),
    ])
}
