internal import VaultDocument

/// Assignments for a shell: `NAME='value'`, a line or more for each value.
///
/// The name is made of the record's and the path's: `ADA_LOVELACE_ACCESS_KEY`. Values stand in single quotes, where a
/// shell (POSIX, section 2.2.2) takes every byte as it is, but for the quote itself.
struct EnvironmentExporter: Exporter {
  private(set) var notes = ExportNotes("env")
  private var surveyed: Set<String> = []
  private var written: Set<String> = []

  mutating func survey(_ record: ExportedRecord) throws(ExportError) {
    for (path, value) in record.leaves {
      guard !Self.isLeftOut(value) else {
        notes.add(.emptyLeftOut(kind: record.kind))
        continue
      }
      let name = Self.name(of: path, in: record)
      if Self.free(name, in: &surveyed) != name { notes.add(.renumbered) }
      guard try !value.plainText(in: record).utf8.contains(0) else {
        throw ExportError("holds a NUL, which a variable cannot hold", in: record, at: path)
      }
    }
  }

  mutating func bytes(of record: ExportedRecord) throws(ExportError) -> [UInt8] {
    var text = ""
    for (path, value) in record.leaves where !Self.isLeftOut(value) {
      let quoted = try value.plainText(in: record).unicodeScalars.split(
        separator: "'", omittingEmptySubsequences: false
      ).map(String.init).joined(separator: #"'\''"#)
      text += "\(Self.free(Self.name(of: path, in: record), in: &written))='\(quoted)'\n"
    }
    return Array(text.utf8)
  }

  /// An empty text is a value of a variable; null and empty lists are none.
  private static func isLeftOut(_ value: JSONValue) -> Bool { value.string == nil && value.isVoid }

  private static func name(of path: MemberPath, in record: ExportedRecord) -> String {
    let id = record.id.prefix(8)
    let title = word(record.name)
    let name = (title.isEmpty ? word(String(id)) : title) + "_" + word(path.description)
    return name.utf8.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } == true ? "_" + name : name
  }

  /// Letters and digits of ASCII in upper case, everything else between them as one `_`; empty without any.
  private static func word(_ text: String) -> String {
    let parts = text.utf8.split { byte in
      !(byte >= 0x30 && byte <= 0x39 || byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A)
    }
    return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "_").uppercased()
  }

  /// The name, or the name with the next free number.
  private static func free(_ name: String, in names: inout Set<String>) -> String {
    var free = name
    var number = 1
    while !names.insert(free).inserted {
      number += 1
      free = "\(name)_\(number)"
    }
    return free
  }
}
