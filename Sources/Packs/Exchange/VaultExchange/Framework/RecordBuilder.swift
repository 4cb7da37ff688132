internal import VaultDocument
internal import VaultRecords
internal import VaultSealing

/// Collects the leaves of one entry, and makes the record and a ledger line for each leaf once the kind is known.
///
/// Every importer goes through it, so that what an empty text, a repeated name or a second value for the same member
/// means is decided in one place.
struct RecordBuilder {
  /// Where a leaf goes.
  enum Destination: Hashable {
    /// Into a text member, by path; a second value, or one that the kind has no member for, becomes a custom field.
    case member(String)
    /// Behind what a text list holds already.
    case list(String)
    /// Readable, under `fields`.
    case field(String)
    /// Sealed, under `secrets`.
    case secret(String)
  }

  private enum Leaf {
    case value(Value)
    case line(LedgerLine)
  }

  private struct Value {
    let text: String
    let destination: Destination
    /// Nil for what is known without a leaf of its own, or is a part of one.
    let place: SourcePlace?
    let isConverted: Bool
    let name: String
  }

  let format: String
  let place: SourcePlace
  /// Nil until something has decided it.
  var kind: String?
  /// The id that the tool itself gives the entry.
  var toolID: String?
  /// Parts of a value that several leaves make together.
  var parts: [String: String] = [:]
  /// What the person is told about values that were taken.
  var remarks: [ImportRemark: Int] = [:]
  /// Whether the next texts are not as the source has them.
  var isRewritten = false
  private var leaves: [Leaf] = []
  private var attachments: [ImportedAttachment] = []

  init(format: String, place: SourcePlace, kind: String? = nil) {
    self.format = format
    self.place = place
    self.kind = kind
  }

  /// Puts a leaf somewhere and writes its line.
  ///
  /// - Parameters:
  ///   - name: what it is called as a custom field, should it become one; when nil, ``ownName(_:at:)``.
  ///   - converted: whether the text is not as the source has it.
  mutating func put(
    _ text: String, _ destination: Destination, from place: SourcePlace, as name: String? = nil,
    converted: Bool = false
  ) {
    guard !text.isEmpty else { return note(place, .empty) }
    guard text.utf8.count <= ValueLimit.byteCount else { return note(place, ValueLimit.refusal) }
    leaves.append(
      .value(
        Value(
          text: text, destination: destination, place: place, isConverted: converted || isRewritten,
          name: name ?? ownName(destination, at: place))))
  }

  /// What a value is called as a custom field: the path of its place in the entry, never that of the entry, which
  /// counts the entries before it.
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

  /// Puts something somewhere without a line: a part of a leaf, or what is known without one.
  mutating func add(_ text: String, _ destination: Destination, as name: String) {
    guard !text.isEmpty else { return }
    leaves.append(.value(Value(text: text, destination: destination, place: nil, isConverted: false, name: name)))
  }

  /// Writes the line of a leaf that is not put anywhere as a whole.
  mutating func note(_ place: SourcePlace, _ outcome: LedgerLine.Outcome) {
    leaves.append(.line(LedgerLine(place, outcome)))
  }

  /// Takes a file that no value can hold, and says what became of it.
  ///
  /// - Parameters:
  ///   - text: in base64.
  ///   - isEarlier: whether an earlier version of the entry has it, which is nothing more where the content is there.
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

  /// A name as an attachment can have it, with room for a number.
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

  /// Counts a value that the person is told about.
  mutating func remark(_ remark: ImportRemark) { remarks[remark, default: 0] += 1 }

  /// All texts that were put somewhere.
  var texts: [String] { leaves.compactMap { if case .value(let value) = $0 { value.text } else { nil } } }

  /// The first value for a text member.
  func text(_ member: String) -> String? { first(.member(member)) }

  /// The first value for a list.
  func firstItem(_ list: String) -> String? { first(.list(list)) }

  /// The first value of a field.
  func text(field name: String) -> String? { first(.field(name)) }

  private func first(_ destination: Destination) -> String? {
    for case .value(let value) in leaves where value.destination == destination { return value.text }
    return nil
  }

  /// The record; `fallback` is its kind when no leaf has decided it.
  ///
  /// What the kind would refuse, such as a card without a number, becomes `custom`.
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

  /// The record of a kind that a person has chosen, and that is to say itself what it lacks.
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
    // Every entry that is one of several has a place.
    let isWholeFile = place == SourcePlace() && toolID == nil
    var record = ImportedRecord(
      place: place, kind: kind, members: members.object, externalID: isWholeFile ? nil : try externalID(),
      isWholeFile: isWholeFile, lines: lines)
    record.attachments = attachments
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
    return (members, lines)
  }

  /// Lines for leaves that make no record: all of them are taken for `path`.
  func lines(mappedTo path: String) -> [LedgerLine] {
    leaves.compactMap { leaf in
      switch leaf {
      case .line(let line): line
      case .value(let value): value.place.map { LedgerLine($0, .mapped(to: path)) }
      }
    }
  }

  /// Whether no other member than the one has a value.
  func holdsOnly(_ member: String) -> Bool {
    leaves.allSatisfy { leaf in
      if case .value(let value) = leaf { value.destination == .member(member) } else { true }
    }
  }

  /// Whether it has text, but nothing to log in with.
  private var isNote: Bool {
    text("notes") != nil && text("username") == nil && text("password") == nil && text("totp") == nil
      && firstItem("urls") == nil
  }

  /// What it is called when the source has no title: its first host, user name or, last, place.
  private var title: String {
    firstItem("urls").flatMap(Self.host) ?? text("username").flatMap(Self.readable) ?? "\(format), \(place)"
  }

  /// A text without a secret in it; of an address with one, where it leads.
  private static func readable(_ text: String) -> String? {
    SecretAddress(in: text) == nil ? text : SecretAddress.origin(of: text)
  }

  private static func host(of url: String) -> String? {
    guard let url = readable(url) else { return nil }
    let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
    let host = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    return host.isEmpty ? url : String(host)
  }

  /// The tool's own id, else a hash of what a reader of the vault can see anyway; nil when there is nothing to see.
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
  /// `stored` and `custom` are `mapped` when the text was converted.
  fileprivate func converted(_ isConverted: Bool) -> LedgerLine.Outcome {
    switch self {
    case .stored(let path) where isConverted, .custom(let path) where isConverted: .mapped(to: path)
    default: self
    }
  }
}
