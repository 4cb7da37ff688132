internal import VaultDocument
internal import VaultMarkup

/// The references of a database: `{REF:P@I:46C9B1FFBD4ABC4BBB260C6190BAD20C}` is the password of the entry with this
/// UUID.
///
/// The first letter is the wanted field, the second letter the field to search. The first matching entry counts, as in
/// KeePass. An entry whose field equals the text precedes one whose field only contains it.
struct KeePassReferences {
  enum Fault: String, Error {
    case dangling = "the value refers to an entry that is not in the file"
    case circular = "the value refers to itself, or through too many other entries"
    case sealed = "the value refers to a value that is encrypted with a key that is not in the file"
    case large = "the value refers to more text than a value can have"
  }

  private struct Field: Hashable {
    let entry: Int
    let key: String
  }

  private struct Reference {
    let range: Range<Int>
    let wanted: UInt8
    let search: UInt8
    let text: String
  }

  /// The limit of nested references. KeePass follows twelve.
  private static let maximumDepth = 32
  private static let keys: [UInt8: String] = [
    UInt8(ascii: "T"): "Title", UInt8(ascii: "U"): "UserName", UInt8(ascii: "P"): "Password", UInt8(ascii: "A"): "URL",
    UInt8(ascii: "N"): "Notes",
  ]
  private static let id = UInt8(ascii: "I")
  private static let others = UInt8(ascii: "O")

  private var ids: [String] = []
  private var numbers: [ObjectIdentifier: Int] = [:]
  /// The strings of each entry, by key; nil for a sealed string.
  private var strings: [[String: String?]] = []
  /// Entries by field content, for each letter that was used.
  private var indexes: [UInt8: [String: [Int]]] = [:]
  private var known: [Field: String] = [:]

  /// - Parameters:
  ///   - content: the element with the groups of all entries.
  ///   - isSealed: whether the value of a string cannot be read.
  init(_ content: XMLElement, isSealed: (XMLElement?) -> Bool) {
    var groups = content.all("Group").reversed().map(\.self)
    while let group = groups.popLast() {
      for entry in group.all("Entry") { add(entry, isSealed) }
      groups += group.all("Group").reversed()
    }
  }

  private mutating func add(_ entry: XMLElement, _ isSealed: (XMLElement?) -> Bool) {
    numbers[ObjectIdentifier(entry)] = strings.count
    ids.append((try? Base64.decode(entry.first("UUID")?.text ?? "")).map { Hex.encode($0) } ?? "")
    var texts: [String: String?] = [:]
    for string in entry.all("String") {
      guard let key = string.first("Key")?.text, texts[key] == nil else { continue }
      let value = string.first("Value")
      texts[key] = isSealed(value) ? .some(nil) : value?.text ?? ""
    }
    strings.append(texts)
  }

  static func hasAny(_ text: String) -> Bool { !references(in: Array(text.utf8)).isEmpty }

  mutating func resolved(_ text: String, of entry: XMLElement, key: String) throws(Fault) -> String {
    guard let number = numbers[ObjectIdentifier(entry)] else { return text }
    var trail: Set<Field> = [Field(entry: number, key: key)]
    return try resolved(text, field: Field(entry: number, key: key), trail: &trail)
  }

  private mutating func resolved(
    _ text: String, field: Field, trail: inout Set<Field>
  ) throws(Fault) -> String {
    let bytes = Array(text.utf8)
    var (result, end): ([UInt8], Int) = ([], 0)
    for reference in Self.references(in: bytes) {
      result += bytes[end..<reference.range.lowerBound]
      result += Array(try value(of: reference, in: field, &trail).utf8)
      end = reference.range.upperBound
      guard result.count <= ValueLimit.byteCount else { throw .large }
    }
    return String(decoding: result + bytes[end...], as: UTF8.self)
  }

  private mutating func value(
    of reference: Reference, in field: Field, _ trail: inout Set<Field>
  ) throws(Fault) -> String {
    let found = entries(with: reference)
    let key = Self.keys[reference.wanted]
    guard let entry = found.first(where: { $0 != field.entry || key != field.key }) ?? found.first else {
      throw .dangling
    }
    guard let key else { return ids[entry].uppercased() }
    guard let text = strings[entry][key] ?? "" else { throw .sealed }
    let next = Field(entry: entry, key: key)
    if let known = known[next] { return known }
    guard trail.count < Self.maximumDepth, trail.insert(next).inserted else { throw .circular }
    let value = try resolved(text, field: next, trail: &trail)
    trail.remove(next)
    known[next] = value
    return value
  }

  /// The entries that match a reference, in order.
  private mutating func entries(with reference: Reference) -> [Int] {
    let text = reference.text
    if reference.search == Self.id {
      let digits = text.filter { $0 != "-" }.lowercased()
      return digits.isEmpty ? [] : index(Self.id)[digits] ?? []
    }
    let index = index(reference.search)
    if let same = index[text] { return same }
    let lowered = text.lowercased()
    if let same = index["\u{0}" + lowered] { return same }
    guard !lowered.isEmpty else { return [] }
    return strings.indices.filter { entry in
      texts(of: entry, reference.search).contains { $0.lowercased().holds(lowered) }
    }
  }

  /// Entries by field content, and by a NUL and the content in lower case.
  private mutating func index(_ search: UInt8) -> [String: [Int]] {
    if let index = indexes[search] { return index }
    var index: [String: [Int]] = [:]
    for entry in strings.indices {
      for text in texts(of: entry, search) {
        for name in search == Self.id ? [text] : [text, "\u{0}" + text.lowercased()] {
          index[name, default: []].append(entry)
        }
      }
    }
    indexes[search] = index
    return index
  }

  private func texts(of entry: Int, _ search: UInt8) -> [String] {
    if search == Self.id { return [ids[entry]] }
    if let key = Self.keys[search] { return [(strings[entry][key] ?? nil) ?? ""] }
    return strings[entry].filter { !Self.keys.values.contains($0.key) }.compactMap(\.value)
  }

  /// The references in a text. Anything of another form is plain text.
  private static func references(in bytes: [UInt8]) -> [Reference] {
    var (references, index): ([Reference], Int) = ([], 0)
    let begin = Array("{REF:".utf8)
    while let start = bytes[index...].firstIndex(of: begin[0]) {
      index = start + 1
      let head = bytes[start...].prefix(begin.count + 4).map { $0 &- 0x61 < 26 ? $0 - 0x20 : $0 }
      guard head.count == begin.count + 4, head.starts(with: begin), head[6] == UInt8(ascii: "@"),
        head[8] == UInt8(ascii: ":"), keys[head[5]] != nil || head[5] == id,
        keys[head[7]] != nil || [id, others].contains(head[7]),
        let end = bytes[(start + 9)...].firstIndex(of: UInt8(ascii: "}"))
      else { continue }
      let text = String(decoding: bytes[(start + 9)..<end], as: UTF8.self)
      references.append(Reference(range: start..<(end + 1), wanted: head[5], search: head[7], text: text))
      index = end + 1
    }
    return references
  }
}
