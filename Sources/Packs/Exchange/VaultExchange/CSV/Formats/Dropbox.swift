extension CSVImporter {
  static let dropbox = CSVImporter(
    format: ImportFormat(
      "dropbox-csv", title: "Dropbox Passwords, CSV", versions: "all", keeps: "everything in the file"),
    required: ["name": .title, "url": .url, "username": .username, "password": .password, "notes": .notes])
}
