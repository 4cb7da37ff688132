internal import VaultDocument

/// A store of pass or gopass: each entry is a file that is sealed with GPG or age.
///
/// The caller opens the files, because only the user's agent can. The importer reads their texts, one line of JSON
/// each.
struct PassImporter: Importer {
  let format = ImportFormat(
    "pass", title: "pass and gopass, a store whose files a command opens", versions: "1.x",
    keeps:
      "the first line as the password, lines `name: value` as members and secrets, other lines as notes, folders as tags"
  )

  func detects(_ sample: ImportSample) -> Bool { false }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    guard source.files == nil else {
      throw ExchangeError(.unsupported, OtherTool.passTitle, advice: OtherTool.passAdvice)
    }
    var lines = JSONLines(source, nil)
    return ImportedItems { () throws(ExchangeError) in
      guard let line = try lines.next() else { return nil }
      let entry = try JSONReading.value(of: line.bytes, line: line.number)
      guard let path = entry["path"]?.string else {
        throw ExchangeError(.malformed, "the line is not a decrypted file", at: SourcePlace(line: line.number))
      }
      return try item(entry, path)
    }
  }

  private func item(_ entry: JSONValue, _ path: String) throws(ExchangeError) -> ImportedItem {
    let bytes = entry["text"]?.string.flatMap { try? Base64.decode($0) }
    guard let text = bytes.flatMap({ String(validating: $0, as: UTF8.self) }), !text.utf8.contains(0) else {
      let reason = entry["refusal"]?.string ?? "the file does not contain text"
      let place = SourcePlace(path: path)
      return .refused(place, reason: reason, lines: [LedgerLine(place, .refused(reason))])
    }
    return .record(try EntryText.record(text, at: path, of: format.name))
  }
}
