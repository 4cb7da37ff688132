/// The text of an entry of pass and similar tools: the password, and the usual lines below it.
enum EntryText {
  /// Reads each line. Lines without a known name go to the notes.
  static func record(_ text: String, at path: String, of format: String) throws(ExchangeError) -> ImportedRecord {
    var builder = RecordBuilder(format: format, place: SourcePlace(path: path), kind: "login")
    let name = String(path.dropLast(4))
    let parts = name.parts(separatedBy: "/")
    builder.toolID = name
    // The whole path is the title, because that is the name of the entry and the last word is often not unique.
    builder.add(name, .member("title"), as: "title")
    builder.add(parts.dropLast().joined(separator: "/"), .list("tags"), as: "folder")
    var lines = text.lines
    if lines.count > 1, lines.last?.isEmpty == true { lines.removeLast() }
    var notes: [Substring] = []
    for (index, line) in lines.enumerated() {
      let place = SourcePlace(line: index + 1, path: path)
      if index == 0 {
        builder.take(String(line), from: place, by: .password)
      } else if line.begins(with: "otpauth://") {
        builder.take(String(line), from: place, by: .totp)
      } else if let (name, value) = pair(line) {
        builder.take(value, from: place, by: LeafRule.usual(name) ?? .secret(name))
      } else {
        notes.append(line)
        builder.note(place, line.isEmpty ? .empty : .mapped(to: "notes"))
      }
    }
    let note = notes.joined(separator: "\n")
    builder.add(String(note.trimmingSpaces), .member("notes"), as: "notes")
    return try builder.record()
  }

  /// Splits `name: value`, if the name is a word or two and not the beginning of a sentence or an address.
  private static func pair(_ line: Substring) -> (name: String, value: String)? {
    guard let pair = line.pair(separatedBy: ": ") else { return nil }
    let name = pair.before.trimmingSpaces
    let wordCount = name.parts(separatedBy: " ").count { !$0.isEmpty }
    guard !name.isEmpty, name.utf8.count <= 40, wordCount <= 3 else { return nil }
    return (String(name), String(pair.behind.trimmingSpaces))
  }
}
