internal import VaultDocument
internal import VaultSealing

/// The names of the two sides of a conflict.
package struct ConflictLabels: Sendable {
  /// The side of the person who merges.
  package let ours: String
  package let theirs: String

  /// Takes any text: control characters are left out.
  package init(ours: String = "ours", theirs: String = "theirs") {
    (self.ours, self.theirs) = (Self.plain(ours), Self.plain(theirs))
  }

  private static func plain(_ text: String) -> String {
    var plain = ""
    // The controls of C0 and C1 would move a terminal, and a line feed would begin a new line.
    for scalar in text.unicodeScalars.prefix(100) where scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value) {
      plain.unicodeScalars.append(scalar)
    }
    return plain
  }
}

/// The text in place of a file that could not be merged: both sides between git's markers. It is not JSON, so every
/// reader of vault files reports it. Sealed values stay sealed.
///
/// It is only for eyes and editors, and is never read back.
enum ConflictText {
  /// The default width of git's markers.
  private static let width = 7

  /// Both whole files.
  static func whole(_ ours: [UInt8], theirs: [UInt8], labels: ConflictLabels) -> [UInt8] {
    var text: [UInt8] = []
    text += marker("<", labels.ours)
    text += lines(ours)
    text += marker("=", "")
    text += lines(theirs)
    text += marker(">", labels.theirs)
    return text
  }

  /// The joined members, and blocks for the others.
  static func of(
    _ ours: RecordFile, theirs: RecordFile, refusal: MergeRefusal, labels: ConflictLabels
  ) -> [UInt8] {
    let whole = whole(bytes(ours.document), theirs: bytes(theirs.document), labels: labels)
    guard let fields = refusal.fields, ours.members != theirs.members,
      case .object(let one) = ours.document, case .object(let other) = theirs.document
    else { return whole }
    let paths = Set(refusal.conflicts.compactMap(\.path))
    var printer = Printer(labels: labels) { path in
      paths.contains(path) || path.components.count == 2 && path.components.first == .member(RecordEnvelope.memberName)
    }
    printer.append(
      fields.adding(RecordEnvelope.memberName, .object(ours.members)), ours: one, theirs: other, at: .root, indent: 0)
    printer.text += "\n".utf8
    return printer.hasBlock ? printer.text : whole
  }

  private static func bytes(_ document: JSONValue) -> [UInt8] { (try? document.prettyBytes()) ?? [] }

  private static func lines(_ bytes: [UInt8]) -> [UInt8] {
    bytes.isEmpty || bytes.last == UInt8(ascii: "\n") ? bytes : bytes + [UInt8(ascii: "\n")]
  }

  static func marker(_ character: String, _ label: String) -> [UInt8] {
    Array((String(repeating: character, count: width) + (label.isEmpty ? "" : " " + label) + "\n").utf8)
  }

  /// Prints members in the form of the vault's files.
  private struct Printer {
    let labels: ConflictLabels
    /// Whether the sides differ at a path, so that both are shown.
    let isConflicting: (MemberPath) -> Bool
    var text: [UInt8] = []
    var hasBlock = false

    init(labels: ConflictLabels, isConflicting: @escaping (MemberPath) -> Bool) {
      (self.labels, self.isConflicting) = (labels, isConflicting)
    }

    mutating func append(
      _ merged: JSONObject, ours: JSONObject, theirs: JSONObject, at path: MemberPath, indent: Int
    ) {
      text += "{\n".utf8
      let names = TreeMerge.names(merged, ours, theirs).filter { name in
        merged[name] != nil || isConflicting(path.appending(name))
      }
      for (index, name) in names.enumerated() {
        let next = path.appending(name)
        let end = index + 1 < names.count ? "," : ""
        if isConflicting(next), ours[name] != theirs[name] {
          block(name, ours: ours[name], theirs: theirs[name], indent: indent + 1, end: end)
        } else if case .object(let value)? = merged[name], case .object(let one)? = ours[name],
          case .object(let other)? = theirs[name], one != other
        {
          head(name, indent: indent + 1)
          append(value, ours: one, theirs: other, at: next, indent: indent + 1)
          text += "\(end)\n".utf8
        } else if let value = merged[name] {
          member(name, value, indent: indent + 1, end: end)
        }
      }
      text += (margin(indent) + "}").utf8
    }

    private mutating func block(_ name: String, ours: JSONValue?, theirs: JSONValue?, indent: Int, end: String) {
      hasBlock = true
      text += marker("<", labels.ours)
      if let ours { member(name, ours, indent: indent, end: end) }
      text += marker("=", "")
      if let theirs { member(name, theirs, indent: indent, end: end) }
      text += marker(">", labels.theirs)
    }

    private mutating func member(_ name: String, _ value: JSONValue, indent: Int, end: String) {
      head(name, indent: indent)
      for byte in (try? value.prettyBytes(finalNewline: false)) ?? [] {
        text.append(byte)
        if byte == UInt8(ascii: "\n") { text += margin(indent).utf8 }
      }
      text += "\(end)\n".utf8
    }

    private mutating func head(_ name: String, indent: Int) {
      text += margin(indent).utf8
      text += (try? JSONValue.string(name).compactBytes()) ?? []
      text += " : ".utf8
    }

    private func margin(_ indent: Int) -> String { String(repeating: "  ", count: indent) }
  }
}
