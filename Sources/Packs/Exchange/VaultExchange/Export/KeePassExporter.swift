internal import VaultCrypto
internal import VaultDocument

/// The XML of KeePass 2, which KeePassXC imports as well: an entry for every record, in one group.
///
/// Values without a KeePass member become strings of the entry. Sealed values are marked for protection in memory.
struct KeePassExporter: Exporter {
  /// The generator in files of this exporter. In these files, unprotected strings were readable in the vault.
  static let generator = "vault"

  /// The differences of a database from a plain XML file.
  struct Database {
    /// The cipher of protected values, in document order.
    let stream: StreamCipher

    func protected(_ text: String) throws(ExportError) -> String {
      let bytes = Array(text.utf8)
      return Base64.encode(
        try inExport { () throws(CryptoError) in try stream.process(RawSpan(_elements: bytes.span)) })
    }
  }

  private(set) var notes: ExportNotes
  private let database: Database?
  /// The attachments of all records in order; empty outside a database.
  private(set) var binaries: [[UInt8]] = []
  private var binaryCount = 0

  init(_ database: Database? = nil) {
    self.database = database
    notes = ExportNotes(database == nil ? "keepass-xml" : "kdbx")
  }

  private static let texts: Set<String> = ["title", "username", "password", "totp", "notes", "text"]
  /// Strings that every entry has. A custom field with such a name is renamed.
  private static let reserved: Set<String> = ["Title", "UserName", "Password", "URL", "Notes", "otp"]

  mutating func survey(_ record: ExportedRecord) throws(ExportError) {
    var parts = try EntryParts(record, known: Self.texts)
    if database != nil { binaries += Self.attachments(&parts, of: record).map(\.bytes) }
    for _ in 0..<parts.voidCount { notes.add(.emptyLeftOut(kind: record.kind)) }
    for tag in parts.tags where !Self.isTag(tag) { notes.add(.valuesLeftOut(member: "tags", kind: record.kind)) }
    if record.kind != "login" {
      notes.add(
        .becoming(
          "an entry, with all members as strings", many: "entries, with all members as strings", kind: record.kind))
    }
    for attachment in record.attachments where !XMLText.canHold(attachment.name) {
      throw ExportError("has an attachment whose name is not possible in XML", in: record)
    }
    for value in record.former where !record.isPlaced(value) {
      notes.add(.valuesLeftOut(member: "former \(value.path.top)", kind: record.kind))
    }
    for (path, value) in record.leaves + record.formerLeaves {
      guard case .string(let text) = value, XMLText.canHold(text), XMLText.canHold(path.description) else {
        guard case .string = value else { continue }
        throw ExportError("the value has a control character, which XML cannot hold", in: record, at: path)
      }
      if XMLText.isFragile(text) { notes.add(.fragile) }
      if KeePassPlaceholder.isIn(text) { notes.add(.placeholders) }
    }
  }

  /// Whether a text can be a tag. Tags are joined with semicolons; KeePassXC also splits at commas and tabs, and trims
  /// spaces.
  private static func isTag(_ tag: String) -> Bool {
    ![";", ",", "\t"].contains(where: tag.holds) && tag.trimmingSpaces == tag && !tag.isEmpty
  }

  mutating func begin() throws(ExportError) -> [UInt8] {
    let group = try Self.identifier(["group"])
    return Array(
      """
      <?xml version="1.0" encoding="utf-8" standalone="yes"?>
      <KeePassFile>
        <Meta>
          <Generator>\(Self.generator)</Generator>
        </Meta>
        <Root>
          <Group>
            <UUID>\(group)</UUID>
            <Name>Root</Name>

      """.utf8)
  }

  mutating func bytes(of record: ExportedRecord) throws(ExportError) -> [UInt8] {
    var parts = try EntryParts(record, known: Self.texts)
    let id = try Self.takeID(&parts, of: record)
    var text = "      <Entry>\n        <UUID>\(id)</UUID>\n"
    text += members(of: &parts)
    let attachments = database == nil ? [] : Self.attachments(&parts, of: record)
    let tags = parts.tags.filter(Self.isTag)
    if !tags.isEmpty { text += "        <Tags>\(XMLText.escaped(tags.joined(separator: ";")))</Tags>\n" }
    text += try strings(of: record, parts)
    for attachment in attachments {
      // The surveyed attachments were written before the entries, so each must be the same now.
      guard binaryCount < binaries.count, binaries[binaryCount] == attachment.bytes else { throw .changed(record) }
      text += "        <Binary>\n          <Key>\(XMLText.escaped(attachment.name))</Key>\n"
      text += "          <Value Ref=\"\(binaryCount)\"/>\n        </Binary>\n"
      binaryCount += 1
    }
    return Array((text + (try history(of: record)) + "      </Entry>\n").utf8)
  }

  /// The states with former values as earlier versions, the oldest first, as KeePass has them.
  private func history(of record: ExportedRecord) throws(ExportError) -> String {
    var versions = ""
    for (time, state) in record.formerStates {
      var parts = try EntryParts(state, known: Self.texts)
      versions += "      <Entry>\n        <UUID>\(try Self.takeID(&parts, of: record))</UUID>\n"
      _ = members(of: &parts)
      if database != nil { _ = Self.attachments(&parts, of: state) }
      versions += "        <Times>\n          <LastModificationTime>\(self.time(time.text))</LastModificationTime>\n"
      versions += "        </Times>\n\(try strings(of: state, parts))      </Entry>\n"
    }
    return versions.isEmpty ? "" : "        <History>\n\(versions)        </History>\n"
  }

  private static func takeID(_ parts: inout EntryParts, of record: ExportedRecord) throws(ExportError) -> String {
    if let own = parts.takeID(of: "keepass-xml", if: { (try? Base64.decode($0))?.count == 16 }) { return own }
    return try identifier(["entry", record.id])
  }

  private func strings(of record: ExportedRecord, _ parts: EntryParts) throws(ExportError) -> String {
    var text = ""
    for string in Self.strings(of: record, parts) {
      text += "        <String>\n          <Key>\(XMLText.escaped(string.name))</Key>\n"
      text += "          \(try value(of: string))\n        </String>\n"
    }
    return text
  }

  private func value(of string: Named) throws(ExportError) -> String {
    guard string.isSealed else { return "<Value>\(XMLText.escaped(string.text))</Value>" }
    guard let database else { return "<Value ProtectInMemory=\"True\">\(XMLText.escaped(string.text))</Value>" }
    return "<Value Protected=\"True\">\(try database.protected(string.text))</Value>"
  }

  /// Takes the attachments that an import kept as values, the byte values of the kind, and the attachments of the
  /// record. KeePass allows each name once.
  private static func attachments(
    _ parts: inout EntryParts, of record: ExportedRecord
  ) -> [(name: String, bytes: [UInt8])] {
    var attachments: [(name: String, bytes: [UInt8])] = []
    for (path, value) in record.leaves where record.isSealed(path) && record.isBytes(path) {
      guard let bytes = value.string.flatMap({ try? Base64.decode($0) }) else { continue }
      let name = record.kind == "file" ? record.name : path.description
      if parts.take(path.description) != nil { attachments.append((name, bytes)) }
    }
    for extra in parts.extras where extra.isSealed && extra.name.begins(with: "attachment ") {
      let name = String(Substring(extra.name.utf8.dropFirst("attachment ".utf8.count)))
      guard !name.isEmpty, let bytes = try? Base64.decode(extra.text), parts.take(extra.name) != nil else { continue }
      attachments.append((name, bytes))
    }
    attachments += record.attachments.map { ($0.name, $0.bytes) }
    var names: Set<String> = []
    return attachments.map { name, bytes in (names.insertUnique(name), bytes) }
  }

  mutating func end() -> [UInt8] { Array("    </Group>\n  </Root>\n</KeePassFile>\n".utf8) }

  private struct Named {
    let name: String
    let text: String
    var isSealed = false
  }

  /// Members that describe an entry, with the names that the importer gives them.
  private static var members: [(element: String, name: String, isFit: (String) -> Bool)] {
    [
      ("LastModificationTime", "modified", isTime), ("CreationTime", "created", isTime),
      ("LastAccessTime", "accessed", isTime), ("ExpiryTime", "expiry", isTime),
      ("Expires", "expires", { $0 == "True" || $0 == "False" }), ("UsageCount", "usage count", isCount),
      ("LocationChanged", "moved", isTime),
    ]
  }

  /// Whether the text is a date, or seconds as 8 bytes in base64.
  private static func isTime(_ text: String) -> Bool {
    EntryParts.isDate(text) || (try? Base64.decode(text))?.count == 8
  }

  /// In a database, the seconds since the year 1 as eight bytes in base64, little-endian. Otherwise the text.
  private func time(_ text: String) -> String {
    guard database != nil, let moment = try? Timestamp(parsing: text) else { return text }
    return Base64.encode((moment.secondsSinceEpoch + 62_135_596_800).littleEndianBytes)
  }

  private static func isCount(_ text: String) -> Bool { UInt32(text) != nil }

  private func members(of parts: inout EntryParts) -> String {
    var text = ""
    if let icon = parts.takeReadable("icon", if: Self.isCount) {
      text += "        <IconID>\(XMLText.escaped(icon))</IconID>\n"
    }
    let times = Self.members.compactMap { element, name, isFit in
      parts.takeReadable(name, if: isFit).map { "          <\(element)>\(XMLText.escaped(time($0)))</\(element)>\n" }
    }
    return times.isEmpty ? text : text + "        <Times>\n\(times.joined())        </Times>\n"
  }

  private static func strings(of record: ExportedRecord, _ parts: EntryParts) -> [Named] {
    let own = parts.texts
    var strings = [Named(name: "Title", text: own["title"] ?? record.name)]
    if let text = own["username"] { strings.append(Named(name: "UserName", text: text)) }
    if let text = own["password"] { strings.append(Named(name: "Password", text: text, isSealed: true)) }
    for (index, url) in parts.urls.enumerated() {
      strings.append(Named(name: index == 0 ? "URL" : index == 1 ? "KP2A_URL" : "KP2A_URL_\(index - 1)", text: url))
    }
    if let text = own["notes"] ?? own["text"] { strings.append(Named(name: "Notes", text: text)) }
    if let text = own["totp"] {
      for (name, text) in KeePassCode.strings(for: text, title: record.name) {
        strings.append(Named(name: name, text: text, isSealed: true))
      }
    }
    var names = reserved.union(strings.map(\.name))
    for extra in parts.extras {
      strings.append(Named(name: names.insertUnique(extra.name), text: extra.text, isSealed: extra.isSealed))
    }
    return strings
  }

  /// A 16-byte identifier in base64, which is the same in every export.
  private static func identifier(_ parts: [String]) throws(ExportError) -> String {
    do {
      return Base64.encode(try Hex.decode(try ContentHash.hex(of: parts)))
    } catch {
      throw ExportError("an entry could not be named", underlying: error)
    }
  }
}

extension Set<String> {
  /// Inserts a name, with a number if the name is taken. Returns the inserted name.
  fileprivate mutating func insertUnique(_ name: String) -> String {
    var (unique, number) = (name, 1)
    while !insert(unique).inserted {
      number += 1
      unique = "\(name) \(number)"
    }
    return unique
  }
}

enum XMLText {
  /// Whether XML 1.0 (section 2.2) can hold all characters. A carriage return is written as a reference, so it
  /// survives.
  static func canHold(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      scalar.value >= 0x20
        ? scalar != "\u{FFFE}" && scalar != "\u{FFFF}" : scalar == "\t" || scalar == "\n" || scalar == "\r"
    }
  }

  /// Whether the text has characters that XML holds but KeePassXC drops (U+007F to U+009F) or changes (a return without
  /// a line feed).
  static func isFragile(_ text: String) -> Bool {
    let scalars = Array(text.unicodeScalars)
    return scalars.indices.contains { index in
      (0x7F...0x9F).contains(scalars[index].value)
        || scalars[index] == "\r" && (index + 1 == scalars.count || scalars[index + 1] != "\n")
    }
  }

  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\r": result += "&#13;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
