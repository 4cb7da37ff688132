extension CSVImporter {
  static let safeInCloud = CSVImporter(
    format: ImportFormat(
      "safeincloud-csv", title: "SafeInCloud, CSV", versions: "all",
      keeps: "everything in the file; custom columns as secrets"),
    required: ["title": .title, "login": .username, "password": .password, "notes": .notes],
    optional: ["url": .url, "website": .url, "otp": .totp, "one-time password": .totp],
    excluded: ["shared folder"], others: .secret)
}
