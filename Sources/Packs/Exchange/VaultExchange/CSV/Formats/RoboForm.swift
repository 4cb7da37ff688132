extension CSVImporter {
  static let roboform = CSVImporter(
    format: ImportFormat(
      "roboform-csv", title: "RoboForm, CSV", versions: "8 and 9",
      keeps: "everything; folders as tags, form fields as fields or, if hidden, as secrets"),
    required: [
      "name": .title, "url": .url, "login": .username, "pwd": .password, "note": .notes,
      "folder": .folder(),
    ],
    optional: ["matchurl": .field("match_url"), "rf_fields": .formField, "rffieldsv2": .formField],
    // Further form fields are in cells of their own after the column of the header.
    overflow: [.formField], optionalTail: 1)
}

extension LeafRule {
  /// Reads `NAME$:TYPE:VALUE`. A value that repeats the user name or the password is not stored again.
  fileprivate static let formField = LeafRule { builder, text, place in
    guard let (own, rest) = text.pair(separatedBy: ":"), let (type, value) = rest.pair(separatedBy: ":") else {
      return secret.apply(&builder, text, place)
    }
    let name = String(own.ends(with: "$") ? Substring(own.utf8.dropLast()) : own)
    for member in ["username", "password"] where builder.text(member).map({ $0.utf8.elementsEqual(value.utf8) }) == true
    {
      return builder.note(place, .mapped(to: member))
    }
    let label = name.isEmpty ? place.path : name
    builder.put(String(value), type == "txt" ? .field(label) : .secret(label), from: place, converted: true)
  }
}
