import VaultDocument

/// `RECORD@REV` of the command line.
struct VersionWord {
  enum Revision {
    /// The revision with this number.
    case number(Int)
    /// The removed version in the trash.
    case trash
    /// The version that was current at this time.
    case time(Timestamp)
    /// The version of this commit.
    case commit(String)
  }

  let text: String
  let record: String
  let revision: Revision

  /// Nil if the word cannot name a version.
  init?(_ text: String) {
    let bytes = text.utf8
    // Names in git may contain `@{`, but none begins with it.
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
  /// Nil for an invalid revision number.
  fileprivate init?(_ text: String) {
    if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      guard let number = Int(text) else { return nil }
      self = .number(number)
    } else if text == "trash" {
      self = .trash
    } else if let time = (try? Timestamp(parsing: text)) ?? (try? Timestamp(parsing: text + "T23:59:59.999999999Z")) {
      // A day means its end.
      self = .time(time)
    } else {
      self = .commit(text)
    }
  }
}
