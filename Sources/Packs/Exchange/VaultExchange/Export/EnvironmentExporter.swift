/// Assignments for a shell: `NAME='value'`, at least one line for each value.
///
/// In single quotes a shell takes every byte literally except the quote itself (POSIX, section 2.2.2).
struct EnvironmentExporter: Exporter {
  private var names = VariableNames("env")

  var notes: ExportNotes { names.notes }

  mutating func survey(_ record: ExportedRecord) throws(ExportError) { try names.survey(record) }

  mutating func bytes(of record: ExportedRecord) throws(ExportError) -> [UInt8] {
    Array(try names.variables(of: record).map { "\($0.name)='\(Self.quoted($0.value))'\n" }.joined().utf8)
  }

  private static func quoted(_ text: String) -> String {
    text.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false).map(String.init)
      .joined(separator: #"'\''"#)
  }
}

/// A file of variables for python-dotenv, Docker Compose and other programs that are not shells.
///
/// These programs agree on three forms: values without quotes, values in single quotes that contain neither quotes nor
/// backslashes, and escapes in double quotes except the dollar sign. `docker run --env-file` does not support quotes.
struct DotenvExporter: Exporter {
  private enum Form { case plain, single, double }

  private var names = VariableNames("dotenv")

  var notes: ExportNotes { names.notes }

  mutating func survey(_ record: ExportedRecord) throws(ExportError) {
    for value in try names.survey(record) {
      let form = Self.form(of: value)
      // python-dotenv reads the last backslash and the closing quote as an escaped quote, and reads on to the next
      // quote.
      if form == .double, value.hasSuffix("\\") {
        throw ExportError(
          "has a value in quotes that ends with a backslash, which readers of such files misread", in: record)
      }
      if form != .plain { names.add(.quoted) }
      if form == .double && (value.utf8.contains(UInt8(ascii: "`")) || value.holds("$(")) { names.add(.commands) }
      // Some programs substitute `${NAME}` even between single quotes.
      if form == .double && value.utf8.contains(UInt8(ascii: "$")) || value.holds("${") { names.add(.dollars) }
    }
  }

  mutating func bytes(of record: ExportedRecord) throws(ExportError) -> [UInt8] {
    Array(try names.variables(of: record).map { "\($0.name)=\(Self.written($0.value))\n" }.joined().utf8)
  }

  private static func form(of text: String) -> Form {
    // python-dotenv does not accept a backslash before a closing quote.
    let isPlain = text.utf8.allSatisfy { byte in
      byte >= 0x30 && byte <= 0x39 || byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A || "_./:@%+,=-\\".utf8.contains(byte)
    }
    if isPlain { return .plain }
    return text.utf8.contains { $0 == UInt8(ascii: "'") || $0 == UInt8(ascii: "\\") || $0 == 13 } ? .double : .single
  }

  private static func written(_ text: String) -> String {
    switch form(of: text) {
    case .plain: return text
    case .single: return "'\(text)'"
    case .double:
      let escaped = text.unicodeScalars.map { scalar -> String in
        switch scalar {
        case "\"", "\\": "\\\(scalar)"
        case "\n": "\\n"
        case "\r": "\\r"
        default: String(scalar)
        }
      }
      return "\"\(escaped.joined())\""
    }
  }
}
