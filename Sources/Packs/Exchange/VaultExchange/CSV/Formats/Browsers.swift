extension CSVImporter {
  static let chrome = CSVImporter(
    format: ImportFormat(
      "chrome-csv", title: "Chrome, Edge, Brave, Opera, Vivaldi, CSV", versions: "Chrome 66 and later",
      keeps: "everything"),
    required: ["name": .title, "url": .url, "username": .username, "password": .password],
    optional: ["note": .notes],
    // Some versions wrote the header with the note column, but rows without it.
    optionalTail: 1)

  static let firefox = CSVImporter(
    format: ImportFormat(
      "firefox-csv", title: "Firefox, CSV", versions: "Firefox 79 and later",
      keeps: "everything; the host names the record, dates and the form's address are fields"),
    required: [
      "url": .url, "username": .username, "password": .password, "httprealm": .field("http_realm"),
      "formactionorigin": .field("form_action_origin"), "guid": .identifier, "timecreated": .milliseconds("created"),
      "timelastused": .milliseconds("last_used"), "timepasswordchanged": .milliseconds("password_changed"),
    ])

  static let safari = CSVImporter(
    format: ImportFormat(
      "safari-csv", title: "Safari and Apple Passwords, CSV", versions: "macOS 12, iOS 17 and later",
      keeps: "everything"),
    required: ["title": .title, "url": .url, "username": .username, "password": .password],
    optional: ["notes": .notes, "otpauth": .totp, "group": .folder()],
    telling: "otpauth")
}
