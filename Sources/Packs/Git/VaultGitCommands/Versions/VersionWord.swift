import VaultDocument

/// `RECORD@REV` of the command line.
struct VersionWord {
  enum Revision {
    /// The revision of the record with this number.
    case number(Int)
    /// The removed one.
    case trash
    /// The one in force then.
    case time(Timestamp)
    /// The one that a commit has.
    case commit(String)
  }

  /// As it was typed.
  let text: String
  /// What names the record.
  let record: String
  let revision: Revision

  /// Nil for a word that names no version, whatever it is.
  init?(_ text: String) {
    let bytes = text.utf8
    // A name of git's may hold `@{`, with which none begins.
    let separator = bytes.indices.last { index in
      bytes[index] == UInt8(ascii: "@") && bytes[bytes.index(after: index)...].first != UInt8(ascii: "{")
    }
    guard let separator, separator != bytes.startIndex else { return nil }
    let name = String(text[bytes.index(after: separator)...])
    guard !name.isEmpty, let revision = Revision(name) else { return nil }
    (self.text, record, self.revision) = (text, String(text[..<separator]), revision)
  }
}

extension VersionWord.Revision {
  /// Nil for a number that no revision has.
  fileprivate init?(_ text: String) {
    if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      guard let number = Int(text) else { return nil }
      self = .number(number)
    } else if text == "trash" {
      self = .trash
    } else if let time = (try? Timestamp(parsing: text)) ?? (try? Timestamp(parsing: text + "T23:59:59.999999999Z")) {
      // Of a day it is the end.
      self = .time(time)
    } else {
      self = .commit(text)
    }
  }
}
