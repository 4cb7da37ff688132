extension CSVImporter {
  static let dashlane = CSVImporter(
    format: ImportFormat(
      "dashlane-csv", title: "Dashlane credentials.csv", versions: "2021 and later",
      keeps: "everything; the category as a tag, further user names as fields"),
    required: [
      "username": .username, "username2": .field("username2"), "username3": .field("username3"), "title": .title,
      "password": .password, "note": .notes, "url": .url, "category": .tag,
    ],
    optional: ["otpsecret": .totp, "otpurl": .totp])

  static let dashlaneIDs = CSVImporter(
    format: ImportFormat(
      "dashlane-id-csv", title: "Dashlane ids.csv", versions: "2021 and later",
      keeps: "everything; numbers as secrets, the rest as fields"),
    required: [
      "type": .field("type"), "number": .secret("number"), "name": .field("name"), "issue_date": .field("issue_date"),
      "expiration_date": .field("expiration_date"), "place_of_issue": .field("place_of_issue"),
      "state": .field("state"),
    ],
    kind: "custom", finish: titledByType)

  static let dashlanePayments = CSVImporter(
    format: ImportFormat(
      "dashlane-payment-csv", title: "Dashlane payments.csv", versions: "2021 and later",
      keeps: "everything; bank accounts with their numbers as secrets"),
    required: [
      "type": .kind(["credit_card": "payment-card", "bank": "custom", "payment_card": "payment-card"]),
      "account_name": .title, "account_holder": .member("holder"), "cc_number": .member("number"),
      "code": .member("security_code"), "expiration_month": .part("month", of: "expiry"),
      "expiration_year": .part("year", of: "expiry"), "routing_number": .secret("routing_number"),
      "account_number": .secret("account_number"), "country": .field("country"), "issuing_bank": .field("issuing_bank"),
    ],
    optional: ["name": .field("name"), "note": .notes],
    kind: "custom",
    finish: { (builder: inout RecordBuilder, kind: String) throws(ExchangeError) in
      let date = [builder.parts["month"], builder.parts["year"]].compactMap { $0 }.joined(separator: "/")
      builder.add(CardExpiry.normal(date) ?? date, .member("expiry"), as: "expiry")
      // The title of a card is the name of its holder.
      let title = builder.text("title") ?? ""
      if builder.kind == "payment-card", builder.text("holder") == nil {
        builder.add(title, .member("holder"), as: "holder")
      }
      return .record(try builder.record(kind: kind))
    })

  static let dashlaneNotes = CSVImporter(
    format: ImportFormat(
      "dashlane-note-csv", title: "Dashlane securenotes.csv", versions: "2021 and later", keeps: "everything"),
    required: ["title": .title, "note": .notes], optional: ["category": .tag], kind: "secure-note")

  static let dashlanePersons = CSVImporter(
    format: ImportFormat(
      "dashlane-person-csv", title: "Dashlane personalinfo.csv", versions: "2021 and later",
      keeps: "everything, as fields; dates and places of birth as secrets"),
    required: [
      "type": .field("type"), "first_name": .field, "last_name": .field, "item_name": .title,
      "phone_number": .field, "date_of_birth": .secret,
    ],
    optional: [
      "title": .field, "middle_name": .field, "login": .field, "place_of_birth": .secret, "email": .field,
      "email_type": .field, "address": .field, "country": .field, "state": .field, "city": .field, "zip": .field,
      "job_title": .field, "url": .field,
    ],
    others: .secret, kind: "custom", finish: titledByType)

  static let dashlaneNetworks = CSVImporter(
    format: ImportFormat(
      "dashlane-wifi-csv", title: "Dashlane wifi.csv", versions: "2023 and later", keeps: "everything"),
    required: ["ssid": .field("ssid"), "passphrase": .secret("passphrase"), "name": .title],
    optional: [
      "note": .secret("note"), "hidden": .field("hidden"), "encription_type": .field("encryption_type"),
      "encryption_type": .field("encryption_type"),
    ],
    kind: "custom", finish: titledByType)

  /// Titles a record without a name after its type.
  @Sendable private static func titledByType(
    _ builder: inout RecordBuilder, _ kind: String
  ) throws(ExchangeError) -> ImportedItem {
    let type = builder.text(field: "type") ?? builder.text(field: "ssid") ?? ""
    if builder.text("title") == nil { builder.add(type, .member("title"), as: "title") }
    return .record(try builder.record(kind: kind))
  }
}
