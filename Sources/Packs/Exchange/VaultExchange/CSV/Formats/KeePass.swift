extension CSVImporter {
  static let keepassxc = CSVImporter(
    format: ImportFormat(
      "keepassxc-csv", title: "KeePassXC and KeePassX 2, CSV", versions: "KeePassX 2, KeePassXC 2.2 and later",
      keeps: "everything in the file; groups as tags, the icon's number and dates as fields"),
    required: [
      "group": .folder(), "title": .title, "username": .username, "password": .password, "url": .url, "notes": .notes,
    ],
    optional: [
      "totp": .totp, "icon": .field("icon"), "last modified": .field("modified"), "created": .field("created"),
    ],
    // Passwords of macOS may also have groups.
    excluded: ["otpauth"])

  static let keepass = CSVImporter(
    format: ImportFormat(
      "keepass-csv", title: "KeePass, CSV 1.x", versions: "KeePass 1 and 2, export \"KeePass CSV (1.x)\"",
      keeps: "everything in the file, which has neither groups nor dates"),
    required: [
      "account": .title, "login name": .username, "password": .password, "web site": .url, "comments": .notes,
    ],
    dialect: CSVDialect(escapesWithBackslash: true))
}
