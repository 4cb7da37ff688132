/// A file beside a document of a vault in which a service that syncs folders has put another version of the document.
///
/// Its name begins like that of the document, and the rest is a mark of one of the services. It is never read as a
/// document.
package struct ConflictCopy: Sendable, Hashable {
  /// The document of which it is a version, as its name says.
  package let place: StoreLocation
  /// The path of the copy below the vault's directory.
  package let relativePath: String

  /// Nil if the name is not that of a conflict copy.
  package init?(relativePath: String) {
    let parts = relativePath.split(separator: "/", omittingEmptySubsequences: false)
    guard let name = parts.last, let suffix = Self.suffix(of: parts), name.utf8.count > suffix.utf8.count,
      name.hasSuffix(suffix)
    else { return nil }
    let text = name.dropLast(suffix.count)
    let folder = relativePath.dropLast(name.count)
    for stem in Self.stems(of: text, atTop: parts.count == 1) {
      guard let place = StoreLocation(relativePath: folder + stem + suffix),
        Self.services.contains(where: { $0.makes(text.dropFirst(stem.count)) })
      else { continue }
      (self.place, self.relativePath) = (place, relativePath)
      return
    }
    return nil
  }

  /// The last component of `relativePath`.
  package var fileName: String { relativePath.split(separator: "/").last.map(String.init) ?? relativePath }

  /// The end of the names of documents in a folder; nil for a folder without documents.
  private static func suffix(of parts: [Substring]) -> String? {
    switch (parts.count, parts[0]) {
    case (1, let name): name.hasPrefix("checkpoint") ? ".jsonl" : ".json"
    case (2, "slots"), (2, "inbox"): ".age"
    case (2, "trash"), (3, "records"): ".json"
    case (3, "attachments"): ""
    default: nil
    }
  }

  /// The possible beginnings of a name without its mark.
  private static func stems(of text: Substring, atTop: Bool) -> [String] {
    guard !atTop else { return ["vault", "checkpoint"].filter { text.hasPrefix($0) && text.count > $0.count } }
    // An id is 36 letters of ASCII.
    return text.count > 36 ? [String(text.prefix(36))] : []
  }
}

// MARK: The services

extension ConflictCopy {
  /// A service that syncs folders, and the mark that it puts between the name and the suffix of a file.
  package struct Service: Sendable {
    package let name: String
    /// The marks of a file `X.json`, for example.
    package let example: String
    /// Whether a text is such a mark.
    let makes: @Sendable (Substring) -> Bool
  }

  /// Each service with its mark. A service repeats its mark if a conflict copy itself is in conflict.
  package static let services = [
    Service(name: "Syncthing", example: ".sync-conflict-20261121-014028-ABCDEFG") { mark in
      repeats(mark, of: ".sync-conflict-") { part in
        let words = part.split(separator: "-", omittingEmptySubsequences: false)
        return (2...3).contains(words.count) && isNumber(words[0], digits: 8) && isNumber(words[1], digits: 6)
          && words.dropFirst(2).allSatisfy { $0.count == 7 && $0.allSatisfy(\.isLetterOrDigit) }
      }
    },
    // The words in the parentheses are in the language of the person.
    Service(name: "Dropbox", example: " (Ada's conflicted copy 2026-11-21)", makes: areParentheses),
    Service(name: "Nextcloud", example: " (conflicted copy 2026-11-21 014028)") { mark in
      areParentheses(mark)
        || repeats(mark, of: "_conflict-") { part in part.allSatisfy { $0.isLetterOrDigit || $0 == "-" } }
    },
    Service(name: "iCloud", example: " 2") { mark in
      repeats(mark, of: " ") { part in (1...3).contains(part.count) && isNumber(part, digits: part.count) }
    },
    Service(name: "OneDrive", example: "-DESKTOP-51AB") { mark in
      guard mark.first == "-", (2...100).contains(mark.count) else { return false }
      return mark.dropFirst().allSatisfy { $0.isLetterOrDigit || " -_.'".contains($0) || !$0.isASCII }
    },
    Service(name: "Google Drive", example: " (1)") { mark in
      areParentheses(mark) || areEnclosed(mark, from: " [", to: "]")
    },
  ]

  private static func areParentheses(_ mark: Substring) -> Bool { areEnclosed(mark, from: " (", to: ")") }

  private static func areEnclosed(_ mark: Substring, from start: String, to end: String) -> Bool {
    mark.hasPrefix(start) && mark.hasSuffix(end) && (start.count + end.count + 1...200).contains(mark.count)
      && mark.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
  }

  /// Whether a mark is a text once or several times, each followed by a part of this form.
  private static func repeats(_ mark: Substring, of start: String, _ hasForm: (Substring) -> Bool) -> Bool {
    guard mark.hasPrefix(start), mark.count <= 200 else { return false }
    return mark.dropFirst(start.count).split(separator: start, omittingEmptySubsequences: false).allSatisfy(hasForm)
  }

  private static func isNumber(_ text: Substring, digits count: Int) -> Bool {
    text.count == count && text.allSatisfy { ("0"..."9").contains($0) }
  }
}

extension Character {
  fileprivate var isLetterOrDigit: Bool {
    ("a"..."z").contains(self) || ("A"..."Z").contains(self) || ("0"..."9").contains(self)
  }
}
