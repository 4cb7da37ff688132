internal import VaultDocument
internal import VaultRecords
internal import VaultSealing

/// Collects the leaves of one entry. When the kind is known, makes the record and a ledger line for each leaf.
///
/// All importers use this type, so empty texts, repeated names and second values are treated in one place.
struct RecordBuilder {
  enum Destination: Hashable {
    /// A text member, by path. A second value becomes a custom field, and so does a value without a member.
    case member(String)
    /// The end of a text list.
    case list(String)
    /// A readable value under `fields`.
    case field(String)
    /// A sealed value under `secrets`.
    case secret(String)
  }

  /// An earlier version of the entry.
  struct EarlierVersion {
    /// When it was made; nil if the tool does not say.
    let setAt: Timestamp?
  }

  private enum Leaf {
    case value(Value)
    case line(LedgerLine)
  }

  private struct Value {
    let text: String
    let destination: Destination
    /// Nil for a value without a leaf of its own, or for a part of a leaf.
    let place: SourcePlace?
    let isConverted: Bool
    let name: String
    /// Nil for a value of the present version.
    var version: EarlierVersion?
  }

  let format: String
  let place: SourcePlace
  /// Nil until a leaf decides the kind.
  var kind: String?
  /// The id that the tool gives the entry.
  var toolID: String?
  /// Parts of a value that is assembled from several leaves.
  var parts: [String: String] = [:]
  /// Remarks for the user, with counts.
  var remarks: [ImportRemark: Int] = [:]
  /// Whether the next texts differ from the source.
  var isRewritten = false
  /// The earlier version that the next values belong to; nil for the present version. The newest comes first.
  var version: EarlierVersion?
  private var leaves: [Leaf] = []
  /// Values of earlier versions.
  private var earlier: [Value] = []
  private var attachments: [ImportedAttachment] = []

  init(format: String, place: SourcePlace, kind: String? = nil) {
    self.format = format
    self.place = place
    self.kind = kind
  }

  /// Stores a leaf, and writes its line.
  ///
  /// - Parameters:
  ///   - name: the name if the leaf becomes a custom field; if nil, ``ownName(_:at:)``.
  ///   - converted: whether the text differs from the source.
  mutating func put(
    _ text: String, _ destination: Destination, from place: SourcePlace, as name: String? = nil,
    converted: Bool = false
  ) {
    guard !text.isEmpty else { return note(place, .empty) }
    guard text.utf8.count <= ValueLimit.byteCount else { return note(place, ValueLimit.refusal) }
    append(
      Value(
        text: text, destination: destination, place: place, isConverted: converted || isRewritten,
        name: name ?? ownName(destination, at: place), version: version))
  }

  private mutating func append(_ value: Value) {
    if value.version == nil { leaves.append(.value(value)) } else { earlier.append(value) }
  }

  /// The name of a value as a custom field: its path in the entry. The path of the entry itself is not used, because it
  /// counts the entries.
  func ownName(_ destination: Destination, at place: SourcePlace) -> String {
    switch destination {
    case .list("urls"): return "url"
    case .member("notes"): return "notes"
    default: break
    }
    let own = place.path(below: self.place)
    if !own.isEmpty { return own }
    return switch destination {
    case .member(let name), .list(let name), .field(let name), .secret(let name): name
    }
  }

  /// Stores a value without a line: a part of a leaf, or a value that no leaf holds.
  mutating func add(_ text: String, _ destination: Destination, as name: String) {
    guard !text.isEmpty else { return }
    append(
      Value(
        text: text, destination: destination, place: nil, isConverted: false, name: name, version: version))
  }

  /// Writes the line of a leaf that is not stored as a whole.
  mutating func note(_ place: SourcePlace, _ outcome: LedgerLine.Outcome) {
    leaves.append(.line(LedgerLine(place, outcome)))
  }

  /// Attaches a file that is too large for a value, and returns the outcome.
  ///
  /// - Parameters:
  ///   - text: in base64.
  ///   - isEarlier: whether the file belongs to an earlier version of the entry. Then the same content is not attached
  ///     again.
  mutating func attach(_ text: String, as name: String, isEarlier: Bool = false) -> LedgerLine.Outcome {
    let outcome = LedgerLine.Outcome.mapped(to: "attachments")
    if isEarlier, attachments.contains(where: { sameBytes($0.text, text) }) { return outcome }
    let byteCount = attachments.reduce(text.utf8.count) { $0 + $1.text.utf8.count }
    guard byteCount <= ValueLimit.attachmentByteCount, attachments.count < Attachment.maximumCount else {
      return ValueLimit.attachmentRefusal
    }
    let good = Self.goodName(name)
    var (unique, number) = (good, 1)
    while attachments.contains(where: { sameBytes($0.name, unique) }) {
      number += 1
      unique = "\(number) \(good)"
    }
    attachments.append(ImportedAttachment(name: unique, text: text))
    return outcome
  }

  /// A valid attachment name, with room for a number.
  private static func goodName(_ name: String) -> String {
    var good = ""
    for character in name {
      let isGood = character.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }
      let next = isGood ? String(character) : "_"
      guard good.utf8.count + next.utf8.count <= 240 else { break }
      good += next
    }
    return Attachment.isGood(name: good) ? good : "attachment"
  }

  mutating func remark(_ remark: ImportRemark) { remarks[remark, default: 0] += 1 }

  var texts: [String] { leaves.compactMap { if case .value(let value) = $0 { value.text } else { nil } } }

  func text(_ member: String) -> String? { first(.member(member)) }

  func firstItem(_ list: String) -> String? { first(.list(list)) }

  func text(field name: String) -> String? { first(.field(name)) }

  private func first(_ destination: Destination) -> String? {
    for case .value(let value) in leaves where value.destination == destination { return value.text }
    return nil
  }

  /// The record; `fallback` is its kind if no leaf has decided it.
  ///
  /// An incomplete record, such as a card without a number, becomes `custom`.
  func record(kind fallback: String = "login") throws(ExchangeError) -> ImportedRecord {
    let name = kind ?? (isNote && fallback == "login" ? "secure-note" : fallback)
    if let shape = KindShape.builtIn(name) {
      let (members, lines) = collected(in: shape, isStrict: false)
      if members.isComplete { return try record(name, members: members, lines: lines) }
    }
    guard let custom = KindShape.builtIn("custom") else { preconditionFailure("custom is a kind of this program") }
    let (members, lines) = collected(in: custom, isStrict: false)
    return try record("custom", members: members, lines: lines)
  }

  /// The record of a kind that the user has chosen. The kind itself reports what is missing.
  func record(of kind: RecordKind) throws(ExchangeError) -> ImportedRecord {
    let (members, lines) = collected(in: KindShape(kind), isStrict: true)
    return try record(kind.name, members: members, lines: lines)
  }

  private func record(
    _ kind: String, members: MemberCollector, lines: [LedgerLine]
  ) throws(ExchangeError) -> ImportedRecord {
    var members = members
    members.nameRecord(title)
    members.nameUser(first(.field("email")))
    // If a file has several entries, each entry has a place.
    let isWholeFile = place == SourcePlace() && toolID == nil
    var record = ImportedRecord(
      place: place, kind: kind, members: members.object, externalID: isWholeFile ? nil : try externalID(),
      isWholeFile: isWholeFile, lines: lines)
    record.attachments = attachments
    record.former = members.former
    record.remarks = remarks
    return record
  }

  private func collected(in shape: KindShape, isStrict: Bool) -> (MemberCollector, [LedgerLine]) {
    var members = MemberCollector(shape, isStrict: isStrict)
    var lines: [LedgerLine] = []
    for leaf in leaves {
      switch leaf {
      case .line(let line): lines.append(line)
      case .value(let value):
        let outcome = members.store(value.text, value.destination, name: value.name)
        guard let place = value.place else { continue }
        lines.append(LedgerLine(place, outcome.converted(value.isConverted)))
      }
    }
    for value in earlier {
      let outcome = members.storeEarlier(
        value.text, value.destination, name: value.name, setAt: value.version?.setAt)
      if let place = value.place { lines.append(LedgerLine(place, outcome)) }
    }
    return (members, lines)
  }

  /// Lines for leaves that make no record: all of them are mapped to `path`.
  func lines(mappedTo path: String) -> [LedgerLine] {
    leaves.compactMap { leaf in
      switch leaf {
      case .line(let line): line
      case .value(let value): value.place.map { LedgerLine($0, .mapped(to: path)) }
      }
    } + earlier.compactMap { $0.place.map { LedgerLine($0, .mapped(to: path)) } }
  }

  func holdsOnly(_ member: String) -> Bool {
    leaves.allSatisfy { leaf in
      if case .value(let value) = leaf { value.destination == .member(member) } else { true }
    }
  }

  /// Whether the entry has text but nothing to log in with.
  private var isNote: Bool {
    text("notes") != nil && text("username") == nil && text("password") == nil && text("totp") == nil
      && firstItem("urls") == nil
  }

  /// The name if the source has no title: the first host, the user name, or the place.
  private var title: String {
    firstItem("urls").flatMap(Self.host) ?? text("username").flatMap(Self.readable) ?? "\(format), \(place)"
  }

  /// The text if it contains no secret. For an address with a secret, its origin.
  private static func readable(_ text: String) -> String? {
    SecretAddress(in: text) == nil ? text : SecretAddress.origin(of: text)
  }

  private static func host(of url: String) -> String? {
    guard let url = readable(url) else { return nil }
    let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
    let host = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    return host.isEmpty ? url : String(host)
  }

  /// The tool's own id, or a hash of readable values; nil without readable values.
  private func externalID() throws(ExchangeError) -> String? {
    if let toolID, SecretAddress(in: toolID) == nil { return "\(format):\(toolID)" }
    var parts = [text("title"), text("username"), text("holder")].map { $0.flatMap(Self.readable) ?? "" }
    for case .value(let value) in leaves where value.destination == .list("urls") {
      if let url = Self.readable(value.text) { parts.append(url) }
    }
    return parts.allSatisfy(\.isEmpty) ? nil : "\(format):\(try ContentHash.hex(of: parts))"
  }
}

extension LedgerLine.Outcome {
  /// Turns `stored` and `custom` into `mapped` if the text was converted.
  fileprivate func converted(_ isConverted: Bool) -> LedgerLine.Outcome {
    switch self {
    case .stored(let path) where isConverted, .custom(let path) where isConverted: .mapped(to: path)
    default: self
    }
  }
}
