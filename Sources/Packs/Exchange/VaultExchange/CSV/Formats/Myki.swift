extension CSVImporter {
  static let myki = CSVImporter(
    format: ImportFormat(
      "myki-csv", title: "Myki accounts, CSV", versions: "until the end of Myki in 2022",
      keeps: "everything; tags as tags, the status as a field"),
    required: [
      "nickname": .title, "url": .url, "username": .username, "password": .password, "additionalinfo": .notes,
      "twofasecret": .totp, "status": .field("status"), "tags": .list("tags", separatedBy: ","),
    ])

  static let mykiNotes = CSVImporter(
    format: ImportFormat(
      "myki-note-csv", title: "Myki notes, CSV", versions: "until the end of Myki in 2022", keeps: "everything"),
    required: ["nickname": .title, "status": .field("status"), "content": .notes], kind: "secure-note")

  static let mykiCodes = CSVImporter(
    format: ImportFormat(
      "myki-2fa-csv", title: "Myki one-time codes, CSV", versions: "until the end of Myki in 2022",
      keeps: "everything"),
    required: [
      "nickname": .title, "status": .field("status"), "tags": .list("tags", separatedBy: ","), "authtoken": .totp,
      "additionalinfo": .notes,
    ])
}
