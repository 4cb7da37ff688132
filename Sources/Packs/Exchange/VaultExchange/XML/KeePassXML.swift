internal import VaultDocument
internal import VaultMarkup
internal import VaultRecords

/// The XML that KeePass 2 and KeePassXC export.
struct KeePassXMLImporter: Importer {
  let format = ImportFormat(
    "keepass-xml", title: "KeePass 2 and KeePassXC, XML", versions: "KeePass 2.x, file formats 3 and 4",
    keeps: "entries with all strings and attachments as secrets, histories as former values; groups as tags, dates as "
      + "fields; deleted entries with the tag deleted; settings of the database and the look of entries are left out")

  func detects(_ sample: ImportSample) -> Bool {
    var decoder = TextDecoder()
    let text = decoder.decode(sample.head) + decoder.decode([])
    return text.first { $0 > 0x20 } == UInt8(ascii: "<") && !text.ranges(of: Array("<KeePassFile".utf8)).isEmpty
  }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    let bytes = try source.readAll(limit: Int(Int32.max))
    let root = try ExchangeError.xmlRoot(of: bytes)
    return ImportedItems(try KeePassReading(root).items())
  }
}

/// The state while an XML file or a database is read: the references, and the items so far.
struct KeePassReading {
  private let root: XMLElement
  private let content: XMLElement
  /// Attachments in base64, by id; nil if damaged.
  private var binaries: [String: String?] = [:]
  /// How many attachments are outside the document.
  private let outerCount: Int
  /// Whether protected values were already opened.
  private let isOpened: Bool
  private let recycleBin: String?
  /// Whether our own export wrote the file, in which protection marks the sealed values.
  private let isOurs: Bool
  /// The members that attachments went to, by attachment id.
  private var usedBinaries: [String: String] = [:]
  private var found: [ImportedItem] = []
  /// The code of the current entry, or of the current version of it.
  var code = KeePassCode([:])
  /// The names and contents of the current entry's attachments.
  private var earlierFiles: Set<String> = []
  /// The references; nil in a file of our own, which has no references.
  private var references: KeePassReferences?

  /// - Parameters:
  ///   - outer: attachments outside the document, by number, in base64.
  ///   - isOpened: whether protected values were already opened.
  init(_ root: XMLElement, outer: [String] = [], isOpened: Bool = false) throws(ExchangeError) {
    guard root.name == "KeePassFile", root.all("Root").count == 1, let content = root.first("Root") else {
      throw ExchangeError(.malformed, "is not a KeePass file with exactly one root")
    }
    guard !content.all("Group").isEmpty else {
      throw ExchangeError(.malformed, "the file has no group", at: SourcePlace(line: content.line))
    }
    self.root = root
    self.content = content
    self.isOpened = isOpened
    outerCount = outer.count
    let meta = root.first("Meta")
    for binary in meta?.first("Binaries")?.all("Binary") ?? [] {
      if let id = binary[attribute: "ID"] { binaries[id] = .some(KeePassRules.attachment(binary)) }
    }
    for (number, text) in outer.enumerated() { binaries["\(number)"] = text }
    recycleBin = meta?.first("RecycleBinUUID")?.text
    isOurs = meta?.first("Generator")?.text == KeePassExporter.generator
    if !isOurs { references = KeePassReferences(content, isSealed: isSealed) }
  }

  func items() throws(ExchangeError) -> [ImportedItem] {
    var reading = self
    for (group, path) in content.childPaths(below: "Root") where group.name == "Group" {
      try reading.take(group, in: nil, isDeleted: false, path: path)
    }
    return reading.found + [.leaves(reading.linesOutside())]
  }

  /// The lines of a group, then its entries and its groups; `above` is nil for the outermost group, which is the
  /// database.
  private mutating func take(
    _ group: XMLElement, in above: [String]?, isDeleted: Bool, path: String
  ) throws(ExchangeError) {
    let isDeleted = isDeleted || group.first("UUID")?.text == recycleBin
    let folder = above.map { $0 + [group.first("Name")?.text ?? ""] } ?? []
    let members = group.childPaths(below: path)
    let lines = members.filter { $0.element.name != "Group" && $0.element.name != "Entry" }.flatMap { member in
      let isKnown = member.element.name == "Name" || member.element.name == "UUID"
      return member.element.lines(
        at: member.path, isKnown ? .mapped(to: "tags") : .leftOut("settings of a group are not imported"))
    }
    found.append(.leaves(group.ownLines(at: path) + lines))
    for (entry, path) in members where entry.name == "Entry" {
      found.append(try item(entry, folder, isDeleted: isDeleted, path: path))
    }
    for (child, path) in members where child.name == "Group" {
      try take(child, in: folder, isDeleted: isDeleted, path: path)
    }
  }

  private mutating func item(
    _ entry: XMLElement, _ folder: [String], isDeleted: Bool, path: String
  ) throws(ExchangeError) -> ImportedItem {
    let place = SourcePlace(line: entry.line, path: path)
    guard entry.first("UUID") != nil else {
      let reason = "the entry has no UUID"
      return .refused(place, reason: reason, lines: entry.lines(at: path, .refused(reason)))
    }
    var builder = RecordBuilder(format: "keepass-xml", place: place)
    builder.add(folder.joined(separator: "/"), .list("tags"), as: "group")
    if isDeleted { builder.add("deleted", .list("tags"), as: "deleted") }
    for line in entry.ownLines(at: path) { builder.note(line.place, line.outcome) }
    code = KeePassCode(readableStrings(of: entry))
    // The current version of the entry is read first. Files of earlier versions are taken only if they differ.
    earlierFiles = []
    let members = entry.childPaths(below: path)
    for (child, path) in members where child.name != "History" { take(child, of: entry, into: &builder, at: path) }
    if builder.text("totp") == nil, let address = code.address { builder.add(address, .member("totp"), as: "totp") }
    for (child, path) in members where child.name == "History" {
      takeHistory(child, of: entry, into: &builder, at: path)
    }
    return .record(try builder.record())
  }

  /// The texts of the strings that can be read, by key.
  ///
  /// - Parameter isResolving: whether references become the texts that they refer to.
  mutating func readableStrings(of entry: XMLElement, isResolving: Bool = true) -> [String: String] {
    var strings: [String: String] = [:]
    for string in entry.all("String") where !isSealed(string.first("Value")) {
      guard let key = string.first("Key")?.text, let text = string.first("Value")?.text, !text.isEmpty else { continue }
      let known = strings[key]
      let resolved = isResolving ? try? references?.resolved(text, of: entry, key: key) : nil
      strings[key] = known ?? resolved ?? text
    }
    return strings
  }

  private func isSealed(_ value: XMLElement?) -> Bool {
    !isOpened && value?[attribute: "Protected"]?.lowercased() == "true"
  }

  /// Takes a member of the present version of an entry.
  private mutating func take(
    _ element: XMLElement, of entry: XMLElement, into builder: inout RecordBuilder, at path: String
  ) {
    switch element.name {
    case "String": takeString(element, of: entry, into: &builder, at: path)
    case "Binary": takeBinary(element, into: &builder, at: path)
    default:
      for leaf in element.leaves(at: path) {
        let rule = leaf.attribute == nil ? KeePassRules.member(leaf.element.name, of: element) : nil
        let own = KeePassRules.fieldNames[leaf.element.name] ?? leaf.name(in: element, at: path)
        let isTime = element.name == "Times" && KeePassRules.times.contains(leaf.element.name)
        let other: LeafRule = KeePassRules.isSecret(leaf.path) ? .secret(own) : isTime ? .keePassTime(own) : .field(own)
        builder.take(leaf.text, from: leaf.place, by: rule ?? other)
      }
    }
  }

  /// Takes a key and its value.
  ///
  /// - Parameter entry: nil for an earlier version, which keeps its references, because their targets of that time are
  ///   unknown.
  mutating func takeString(
    _ element: XMLElement, of entry: XMLElement?, into builder: inout RecordBuilder, at path: String
  ) {
    let key = element.first("Key")?.text ?? ""
    let value = element.first("Value")
    let own = key.isEmpty ? "value" : key
    let isMarked = ["Protected", "ProtectInMemory"].contains { value?[attribute: $0] != nil }
    let other = isOurs && !isMarked ? LeafRule.field(own) : .secret(own)
    for leaf in element.leaves(at: path) {
      if leaf.element !== value || leaf.attribute != nil {
        builder.note(leaf.place, value?.text.isEmpty != false || leaf.text.isEmpty ? .empty : .mapped(to: "secrets"))
      } else if isSealed(value) {
        builder.note(leaf.place, .refused("the value is encrypted with a key that is not in the file"))
      } else {
        take(leaf, of: entry, key, into: &builder, by: code.rule(for: key) ?? KeePassRules.rule(for: key) ?? other)
      }
    }
  }

  /// Takes a value with its references resolved. A dangling reference is refused under the name of its entry.
  private mutating func take(
    _ leaf: XMLLeaf, of entry: XMLElement?, _ key: String, into builder: inout RecordBuilder, by rule: LeafRule
  ) {
    guard let entry, references != nil, KeePassReferences.hasAny(leaf.text) else {
      return builder.take(leaf.text, from: leaf.place, by: rule)
    }
    do throws(KeePassReferences.Fault) {
      let text = try references?.resolved(leaf.text, of: entry, key: key) ?? leaf.text
      builder.remark(.resolvedReference)
      builder.isRewritten = true
      builder.take(text, from: leaf.place, by: rule)
      builder.isRewritten = false
    } catch {
      let title = entry.all("String").first { $0.first("Key")?.text == "Title" }?.first("Value")?.text ?? ""
      let name = SecretAddress(in: title) == nil && !KeePassReferences.hasAny(title) ? title : ""
      let place = SourcePlace(line: leaf.place.line, path: name.isEmpty ? leaf.path : "\(name), \(leaf.path)")
      let line = LedgerLine(place, .refused(error.rawValue))
      found.append(.refused(place, reason: error.rawValue, lines: [line]))
    }
  }

  /// Takes an attachment with its name. The bytes stay in base64, and are decompressed if needed.
  ///
  /// - Parameter prefix: of the name, for an attachment of an earlier version. The same content is not kept again.
  mutating func takeBinary(
    _ element: XMLElement, into builder: inout RecordBuilder, at path: String, prefix: String = ""
  ) {
    let value = element.first("Value")
    let reference = value?[attribute: "Ref"]
    let text = reference.map { binaries[$0].flatMap { $0 } } ?? value.flatMap(KeePassRules.attachment)
    let name = element.first("Key")?.text ?? ""
    let isNew = earlierFiles.insert("\(name)\u{0}\(reference ?? text ?? "")").inserted
    guard isNew || prefix.isEmpty || text == nil else {
      for leaf in element.leaves(at: path) {
        builder.note(leaf.place, leaf.text.isEmpty ? .empty : .mapped(to: "secrets"))
      }
      return
    }
    let own = "\(prefix)attachment \(name)"
    let large = text.flatMap { text -> LedgerLine.Outcome? in
      guard text.isEmpty || text.utf8.count > ValueLimit.byteCount else { return nil }
      return builder.attach(text, as: prefix + name, isEarlier: !prefix.isEmpty)
    }
    if let reference, let large, case .mapped(let member) = large { usedBinaries[reference] = member }
    for leaf in element.leaves(at: path) {
      if let large {
        builder.note(leaf.place, leaf.text.isEmpty ? .empty : large)
      } else if text == nil {
        builder.note(leaf.place, leaf.text.isEmpty ? .empty : .refused(KeePassRules.badAttachment))
      } else if leaf.element === value, leaf.attribute == nil, let text {
        builder.take(reference == nil ? text : "", from: leaf.place, by: .secret(own))
      } else {
        builder.note(leaf.place, leaf.text.isEmpty ? .empty : .mapped(to: "secrets"))
      }
    }
    guard let reference, let text, large == nil else { return }
    usedBinaries[reference] = "secrets"
    builder.add(text, .secret(own), as: own)
  }

  /// The lines of everything outside groups: settings of the database, its icons, the attachments, deleted ids.
  private func linesOutside() -> [LedgerLine] {
    let outside =
      root.childPaths(below: "").filter { $0.element !== content }
      + content.childPaths(below: "Root").filter { $0.element.name != "Group" }
    let lines = outside.flatMap { $0.element.leaves(at: $0.path) }.map { $0.line(outcome(outside: $0)) }
    let outer = (0..<outerCount).map { number in
      LedgerLine(SourcePlace(path: "binary \(number)"), outcome(ofAttachment: "\(number)"))
    }
    return root.ownLines(at: "KeePassFile") + content.ownLines(at: "Root") + lines + outer
  }

  private func outcome(ofAttachment id: String?) -> LedgerLine.Outcome {
    guard let member = id.flatMap({ usedBinaries[$0] }) else {
      return .refused("no entry has this attachment, or it was refused there")
    }
    return .mapped(to: member)
  }

  private func outcome(outside leaf: XMLLeaf) -> LedgerLine.Outcome {
    if leaf.path.hasPrefix("Meta/Binaries/") {
      return outcome(ofAttachment: leaf.element[attribute: "ID"])
    }
    // The vault seals passwords anyway, and the generator has already been used.
    let isUnderstood = leaf.path == "Meta/Generator" || leaf.path.hasPrefix("Meta/MemoryProtection")
    return isUnderstood ? .mapped(to: ".") : .leftOut("settings of the database are not imported")
  }
}

enum KeePassRules {
  private static let members = [
    "Title": "title", "UserName": "username", "Password": "password", "Notes": "notes",
  ]

  /// The rule for a string. Further addresses have numbers after a name that browser plugins know. A repeated string
  /// keeps its name.
  static func rule(for key: String) -> LeafRule? {
    if key == "URL" || key == "KP2A_URL" || key.hasPrefix("KP2A_URL_") { return .url }
    return members[key].map { .named(key, member: $0) }
  }

  /// The rule for a member of an entry itself, or of its times.
  static func member(_ name: String, of element: XMLElement) -> LeafRule? {
    switch (element.name, name) {
    case ("UUID", "UUID"): .identifier
    case ("Tags", "Tags"): .keePassTags
    default: nil
    }
  }

  static let times: Set<String> = [
    "CreationTime", "LastModificationTime", "LastAccessTime", "ExpiryTime", "LocationChanged",
  ]
  static let fieldNames = [
    "CreationTime": "created", "LastModificationTime": "modified", "LastAccessTime": "accessed",
    "ExpiryTime": "expiry", "Expires": "expires", "UsageCount": "usage count", "LocationChanged": "moved",
    "IconID": "icon", "Tags": "tags", "UUID": "uuid",
  ]
  static let badAttachment = "the attachment is not in the file, or it is damaged"

  /// The time of eight little-endian bytes in base64, the seconds since the year 1; nil for any other text.
  static func binaryTime(_ text: String) -> Timestamp? {
    let bytes = (try? Base64.decode(text)).flatMap { $0.count == 8 ? $0 : nil }
    let seconds = bytes?.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    // The seconds from the year 1 to 1970.
    return seconds.flatMap(Int64.init(exactly:)).flatMap { count in
      try? Timestamp(secondsSinceEpoch: count - 62_135_596_800)
    }
  }

  /// Whether the path holds data of plugins or automatic typing, which may be a password.
  static func isSecret(_ path: String) -> Bool { path.contains("CustomData/") || path.contains("AutoType/") }

  /// The bytes of an attachment in base64; nil if they are damaged.
  static func attachment(_ element: XMLElement) -> String? {
    let text = String(element.text.filter { !$0.isWhitespace })
    guard let bytes = try? Base64.decode(text) else { return nil }
    // An empty file is not compressed, even if it is marked so.
    guard !bytes.isEmpty, element[attribute: "Compressed"]?.lowercased() == "true" else { return text }
    return (try? Inflate.gzip(bytes, limit: 64 << 20)).map { Base64.encode($0) }
  }
}

extension LeafRule {
  /// Stores a time as ISO 8601. XML of KDBX 4 has the seconds since the year 1 as eight little-endian bytes in base64.
  /// Any other text is kept unchanged.
  fileprivate static func keePassTime(_ name: String) -> LeafRule {
    LeafRule { builder, text, place in
      let moment = KeePassRules.binaryTime(text)
      builder.put(moment?.text ?? text, .field(name), from: place, converted: moment != nil)
    }
  }

  /// Stores the text in a member. If the member is taken, stores it under the key.
  static func named(_ key: String, member: String) -> LeafRule {
    LeafRule { builder, text, place in builder.put(text, .member(member), from: place, as: key) }
  }

  /// Reads tags. KeePass and KeePassXC write `;` between tags, perhaps with spaces. Both also accept commas, and
  /// KeePassXC accepts tabs.
  fileprivate static let keePassTags = LeafRule { builder, text, place in
    list("tags", separatedBy: ";").apply(&builder, text.replacing(",", with: ";").replacing("\t", with: ";"), place)
  }
}
