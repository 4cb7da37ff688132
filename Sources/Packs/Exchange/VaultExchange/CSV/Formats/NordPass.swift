internal import VaultDocument

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
      "additional_urls": .nordpassURLs, "date_of_birth": .field("date_of_birth"),
      "custom_fields": .nordpassFields, "pin": .card("pin"),
    ],
    finish: { (builder: inout RecordBuilder, kind: String) throws(ExchangeError) in
      // Older versions without a type column write a folder as a row with only a name.
      if builder.kind == folder || builder.kind == nil && builder.holdsOnly("title") {
        return .leaves(builder.lines(mappedTo: "tags"))
      }
      return .record(try builder.record(kind: kind))
    })

  /// The type of folder rows, which is not a kind of record.
  private static let folder = "folder"
}

extension LeafRule {
  /// Reads addresses: a JSON list, or in older versions a list with commas.
  fileprivate static let nordpassURLs = LeafRule { builder, text, place in
    guard let items = (try? JSONReading.value(of: Array(text.utf8)))?.array else {
      return urls(separatedBy: ",").apply(&builder, text, place)
    }
    let urls = items.compactMap(\.string)
    guard urls.count == items.count, urls.contains(where: { !$0.isEmpty }) else {
      return items.isEmpty ? builder.note(place, .empty) : secret("additional_urls").apply(&builder, text, place)
    }
    for url in urls { builder.add(url, .list("urls"), as: "url") }
    builder.note(place, .mapped(to: "urls"))
  }

  /// Reads a JSON list of objects with a label, a type and a value. Each value becomes a secret.
  ///
  /// A text of any other shape is stored unchanged.
  fileprivate static let nordpassFields = LeafRule { builder, text, place in
    let items = (try? JSONReading.value(of: Array(text.utf8)))?.array
    if let items, items.isEmpty { return builder.note(place, .empty) }
    guard let items, text.utf8.count <= ValueLimit.byteCount,
      items.allSatisfy({ $0.object != nil && ($0["value"].map(\.isLeaf) ?? false) })
    else { return secret("custom_fields").apply(&builder, text, place) }
    for item in items {
      let label = item["label"]?.string ?? ""
      let name = label.isEmpty ? "field" : label
      for (path, leaf) in item.leafPaths(at: .root) where !["label", "type"].contains(path.description) {
        let own = path.description == "value" ? name : "\(name) \(path)"
        builder.add(leaf.leafText, .secret(own), as: own)
      }
    }
    builder.note(place, .mapped(to: "secrets"))
  }
}
