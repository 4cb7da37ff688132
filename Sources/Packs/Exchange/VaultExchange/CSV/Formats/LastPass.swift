extension CSVImporter {
  static let lastpass = CSVImporter(
    format: ImportFormat(
      "lastpass-csv", title: "LastPass, CSV", versions: "2013 and later, with or without totp",
      keeps: "everything; folders and favorites as tags, the lines of typed notes as members, fields and secrets"),
    required: [
      "url": .lastpassURL, "username": .username, "password": .password, "extra": .lastpassExtra, "name": .title,
      "grouping": .folder(separator: "\\"), "fav": .flag("favorite"),
    ],
    optional: ["totp": .totp],
    finish: { (builder: inout RecordBuilder, kind: String) throws(ExchangeError) in
      for _ in 0..<builder.texts.count(where: holdsMarkup) { builder.remark(.escapedMarkup) }
      return try asRecord(&builder, kind)
    })

  /// Whether a text has an entity that the LastPass extension writes for `&`, `<`, `>` or a quote.
  @Sendable private static func holdsMarkup(_ text: String) -> Bool {
    ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;", "&#039;", "&apos;"].contains(where: text.holds)
  }
}

extension LeafRule {
  /// Reads an address. `http://sn` is not an address: it marks a secure note.
  fileprivate static let lastpassURL = LeafRule { builder, text, place in
    guard text == "http://sn" else { return url.apply(&builder, text, place) }
    builder.kind = "secure-note"
    builder.note(place, .mapped(to: "kind"))
  }

  /// Reads a note, or lines of `NAME:VALUE` below `NoteType:TYPE`.
  fileprivate static let lastpassExtra = LeafRule { builder, text, place in
    guard builder.kind == "secure-note", text.begins(with: "NoteType:") else {
      return builder.put(text, .member("notes"), from: place)
    }
    builder.add(typedNote: text)
    builder.note(place, .mapped(to: "."))
  }
}

extension RecordBuilder {
  private struct NoteType {
    let kind: String
    let members: [String: String]
  }

  private static let noteTypes = [
    "Credit Card": NoteType(
      kind: "payment-card",
      members: [
        "Name on Card": "holder", "Number": "number", "Security Code": "security_code", "Expiration Date": "expiry",
      ]),
    "SSH Key": NoteType(
      kind: "ssh-key",
      members: ["Private Key": "private_key", "Public Key": "public_key", "Passphrase": "passphrase"]),
  ]

  /// Names of values that are not secret, or that tell how to read the others.
  private static let readable: Set<String> = [
    "NoteType", "Language", "Type", "Bank Name", "Account Type", "Title", "First Name", "Middle Name", "Last Name",
    "Company", "Address 1", "Address 2", "Address 3", "City / Town", "County", "State", "Country", "Timezone",
    "Email Address", "Hostname", "SSID", "Bit Strength", "Format", "Date", "Start Date",
  ]

  fileprivate mutating func add(typedNote text: String) {
    let lines = Self.namedValues(of: text)
    let type = lines.first.flatMap { Self.noteTypes[$0.value] }
    kind = type?.kind ?? "custom"
    for (name, value) in lines {
      // LastPass writes an empty date as the commas between its parts.
      guard value.contains(where: { $0 != "," }) else { continue }
      if name == "Notes" {
        add(value, .member("notes"), as: "notes")
      } else if let member = type?.members[name] {
        add(member == "expiry" ? CardExpiry.normal(value) ?? value : value, .member(member), as: name)
      } else {
        add(value, Self.readable.contains(name) ? .field(name) : .secret(name), as: name)
      }
    }
  }

  /// Splits the text into named values. A line without a name continues the value above it, and so does a line of an
  /// armored key or after `Notes:`.
  private static func namedValues(of text: String) -> [(name: String, value: String)] {
    var pairs: [(name: String, value: String)] = []
    for line in text.lines {
      if let pair = line.pair(separatedBy: ":"), !(pairs.last.map(isOpen) ?? false) {
        pairs.append((String(pair.before), String(pair.behind)))
      } else {
        pairs[pairs.count - 1].value += "\n" + line
      }
    }
    return pairs.map { ($0.name, String($0.value.trimmingSpaces)) }
  }

  private static func isOpen(_ pair: (name: String, value: String)) -> Bool {
    pair.name == "Notes" || pair.value.begins(with: "-----BEGIN") && !pair.value.holds("-----END")
  }
}
