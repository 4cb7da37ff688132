internal import VaultAge
internal import VaultCrypto

/// The folder of passage: each entry is a file of its own that is sealed with age.
struct PassageImporter: Importer {
  let format = ImportFormat(
    "passage", title: "passage, a folder of age files", versions: "1.x",
    keeps:
      "the first line as the password, lines `name: value` as members and secrets, other lines as notes, folders as "
      + "tags")

  private static let suffix = ".age"

  func detects(_ sample: ImportSample) -> Bool { sample.paths.contains { $0.hasSuffix(Self.suffix) } }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    guard let files = source.files, files.contains(where: { $0.path.hasSuffix(Self.suffix) }) else {
      throw ExchangeError(.malformed, "is no folder of age files")
    }
    guard !options.identities.isEmpty else {
      throw ExchangeError(.identityNeeded, "is sealed to an age key; give its identity")
    }
    let credentials = options.identities.map { AgeCredential.identity($0) }
    var rest = files[...]
    return ImportedItems { () throws(ExchangeError) in
      guard let file = rest.popFirst() else { return nil }
      return try item(of: file, credentials)
    }
  }

  private func item(of file: ImportFile, _ credentials: [AgeCredential]) throws(ExchangeError) -> ImportedItem {
    if let refusal = file.refusal { return Self.refused(file, refusal) }
    guard file.path.hasSuffix(Self.suffix) else { return Self.refused(file, "is no age file") }
    let bytes = try file.read()
    let secret: SecretBytes
    do throws(AgeError) {
      secret = try AgeFile.open(RawSpan(_elements: bytes.span), with: credentials, encoding: .detected)
    } catch {
      return Self.refused(file, Self.reason(error))
    }
    guard let text = Self.text(secret) else { return Self.refused(file, "holds no text") }
    return .record(try Self.record(text, at: file.path))
  }

  private static func text(_ secret: SecretBytes) -> String? {
    secret.withBytes { bytes in
      do {
        return String(copying: try UTF8Span(validating: Span<UInt8>(_bytes: bytes)))
      } catch {
        return nil
      }
    }
  }

  private static func reason(_ error: AgeError) -> String {
    switch error.code {
    case .noMatchingIdentity: "is sealed to keys of which none was given"
    case .tooLarge: "is larger than an entry may be"
    default: "is no age file, or is damaged"
    }
  }

  private static func refused(_ file: ImportFile, _ reason: String) -> ImportedItem {
    let place = SourcePlace(path: file.path)
    return .refused(place, reason: reason, lines: [LedgerLine(place, .refused(reason))])
  }

  /// A line each; a line that names nothing that is known belongs to the notes with the others.
  private static func record(_ text: String, at path: String) throws(ExchangeError) -> ImportedRecord {
    var builder = RecordBuilder(format: "passage", place: SourcePlace(path: path), kind: "login")
    let parts = path.dropLast(suffix.count).parts(separatedBy: "/")
    builder.toolID = String(path.dropLast(suffix.count))
    builder.add(String(parts.last ?? ""), .member("title"), as: "title")
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
        builder.take(value, from: place, by: LeafRule.usual[name.lowercased()] ?? .secret(name))
      } else {
        notes.append(line)
        builder.note(place, line.isEmpty ? .empty : .mapped(to: "notes"))
      }
    }
    let note = notes.joined(separator: "\n")
    builder.add(String(note.trimmingSpaces), .member("notes"), as: "notes")
    return try builder.record()
  }

  /// `name: value`, where the name is a word or two rather than the beginning of a sentence or an address.
  private static func pair(_ line: Substring) -> (name: String, value: String)? {
    guard let pair = line.pair(separatedBy: ": ") else { return nil }
    let name = pair.before.trimmingSpaces
    let wordCount = name.parts(separatedBy: " ").count { !$0.isEmpty }
    guard !name.isEmpty, name.utf8.count <= 40, wordCount <= 3 else { return nil }
    return (String(name), String(pair.behind.trimmingSpaces))
  }
}
