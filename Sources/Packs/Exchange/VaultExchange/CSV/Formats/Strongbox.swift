extension CSVImporter {
  static let strongbox = CSVImporter(
    format: ImportFormat(
      "strongbox-csv", title: "Strongbox, CSV", versions: "1.50 and later", keeps: "everything in the file"),
    required: [
      "title": .title, "username": .username, "email": .field("email"), "password": .password, "url": .url,
      "otpauth": .totp, "notes": .notes,
    ])
}
