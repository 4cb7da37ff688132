internal import VaultDocument

/// Variables of a program, one for each value of a record. The names combine record and path, such as
/// `ADA_LOVELACE_ACCESS_KEY`.
struct VariableNames {
  private(set) var notes: ExportNotes
  private let isLowercase: Bool
  private var surveyed: Set<String> = []
  private var written: Set<String> = []

  init(_ format: String, isLowercase: Bool = false) {
    notes = ExportNotes(format)
    self.isLowercase = isLowercase
  }

  mutating func add(_ remark: ExportNotes.Remark) { notes.add(remark) }

  /// Surveys a record, and returns its values.
  @discardableResult
  mutating func survey(_ record: ExportedRecord) throws(ExportError) -> [String] {
    var values: [String] = []
    for (path, value) in record.leaves {
      guard !Self.isLeftOut(value) else {
        notes.add(.emptyLeftOut(kind: record.kind))
        continue
      }
      let name = name(of: path, in: record)
      if Self.free(name, in: &surveyed) != name { notes.add(.renumbered) }
      let text = try value.plainText(in: record)
      guard !text.utf8.contains(0) else {
        throw ExportError("has a NUL character, which a variable cannot hold", in: record, at: path)
      }
      values.append(text)
    }
    return values
  }

  /// The variables of a record, in the order of the survey.
  mutating func variables(of record: ExportedRecord) throws(ExportError) -> [(name: String, value: String)] {
    var variables: [(name: String, value: String)] = []
    for (path, value) in record.leaves where !Self.isLeftOut(value) {
      let name = Self.free(name(of: path, in: record), in: &written)
      variables.append((name, try value.plainText(in: record)))
    }
    return variables
  }

  /// An empty text is a value. Null and empty lists are left out.
  private static func isLeftOut(_ value: JSONValue) -> Bool { value.string == nil && value.isVoid }

  private func name(of path: MemberPath, in record: ExportedRecord) -> String {
    let id = record.id.prefix(8)
    let title = Self.word(record.name)
    let name = (title.isEmpty ? Self.word(String(id)) : title) + "_" + Self.word(path.description)
    let isDigit = name.utf8.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } == true
    let full = isDigit ? "_" + name : name
    // Names that begin with `ansible_` tell Ansible how to connect, and with which programs.
    return isLowercase ? (full.hasPrefix("ANSIBLE_") ? "vault_" + full : full).lowercased() : full
  }

  /// ASCII letters and digits in upper case, with `_` for everything between them. Empty without letters and digits.
  private static func word(_ text: String) -> String {
    let parts = text.utf8.split { byte in
      !(byte >= 0x30 && byte <= 0x39 || byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A)
    }
    return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "_").uppercased()
  }

  /// The name, or the name with the next free number.
  static func free(_ name: String, in names: inout Set<String>, separator: String = "_") -> String {
    var free = name
    var number = 1
    while !names.insert(free).inserted {
      number += 1
      free = "\(name)\(separator)\(number)"
    }
    return free
  }
}
