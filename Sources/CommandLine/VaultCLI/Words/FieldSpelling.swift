package import VaultDocument
import VaultKit
import VaultRecords

/// Field names that users know from other programs.
enum FieldSpelling {
  /// Each row has words for one thing. A kind has at most one of them.
  private static let rows: [[String]] = [
    ["urls", "url", "uri", "website", "site"],
    ["username", "user"],
    ["password", "pass", "passwd"],
    ["title", "name"],
    ["notes", "note"],
    ["totp", "otp"],
    ["tags", "tag"],
    ["fields", "field"],
    ["secrets", "secret"],
  ]

  static func others(of word: String) -> [String] {
    rows.first { $0.contains(word) }?.filter { $0 != word } ?? []
  }
}

extension RecordKind {
  /// The path of a field for a similar spelling, or for a word of another program.
  ///
  /// Returns the path itself if the kind has it, if nothing is similar, or if it is ambiguous.
  package func inputPath(_ path: MemberPath) -> MemberPath {
    let places = inputPaths(path)
    guard places == [path], value(at: path) == nil, case .member(let word)? = path.components.first else {
      return places.count == 1 ? places[0] : path
    }
    let near = FieldSpelling.others(of: word).map { MemberPath([.member($0)] + path.components.dropFirst()) }
    return near.first { value(at: $0) != nil } ?? path
  }
}

extension OpenRecord {
  /// The path of a value to read. `url` and similar words mean the only item of a list.
  package func readingPlace(of path: MemberPath) -> MemberPath {
    let place = place(of: path)
    guard place != path, case .array(let items)? = try? value(at: place), items.count == 1 else { return place }
    return place.appending(0)
  }

  /// The path of the field in the record; the path itself if the record has it.
  package func place(of path: MemberPath) -> MemberPath {
    (try? value(at: path)) == nil ? kind?.inputPath(path) ?? path : path
  }
}
