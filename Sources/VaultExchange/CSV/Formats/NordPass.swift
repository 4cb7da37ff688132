extension CSVImporter {
  static let nordpass = CSVImporter(
    format: ImportFormat(
      "nordpass-csv", title: "NordPass, CSV", versions: "2 to 6",
      keeps: "everything; folders as tags, personal details and custom fields as fields or sealed"),
    required: [
      "name": .title, "url": .url, "username": .username, "password": .password, "note": .notes,
      "cardholdername": .card("holder"), "cardnumber": .card("number"), "cvc": .card("security_code"),
      "expirydate": .expiry, "zipcode": .field("zip_code"), "folder": .folder(), "full_name": .field("full_name"),
      "phone_number": .field("phone_number"), "email": .field("email"), "address1": .field("address1"),
      "address2": .field("address2"), "city": .field("city"), "country": .field("country"), "state": .field("state"),
    ],
    optional: [
      "type": .kind([
        "password": "login", "credit_card": "payment-card", "note": "secure-note", "identity": "custom",
        "folder": folder,
      ]),
      "additional_urls": .urls(separatedBy: ","), "date_of_birth": .field("date_of_birth"),
      "custom_fields": .secret("custom_fields"), "pin": .card("pin"),
    ],
    finish: { (builder: inout RecordBuilder, kind: String) throws(ExchangeError) in
      // Before there was a type column, a folder was a row with nothing but a name.
      if builder.kind == folder || builder.kind == nil && builder.holdsOnly("title") {
        return .leaves(builder.lines(mappedTo: "tags"))
      }
      return .record(try builder.record(kind: kind))
    })

  /// No kind of records: what the tool calls the rows of folders.
  private static let folder = "folder"
}
