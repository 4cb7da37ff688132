package import VaultDocument
import VaultKit
import VaultRecords

/// Names of fields that people know from other programs.
enum FieldSpelling {
  /// In each row words for one thing. A kind has at most one of them.
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

  /// The other words for what a word names.
  static func others(of word: String) -> [String] {
    rows.first { $0.contains(word) }?.filter { $0 != word } ?? []
  }
}

extension RecordKind {
  /// Where a field that somebody names is: at another path for another spelling, and for a word of another program.
  ///
  /// - Returns: the path itself if the kind has it, if nothing is like it, and if it stands for several places.
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
  /// Where a value is that somebody wants to read: of a list with one item, the item is meant by `url` and the like.
  package func readingPlace(of path: MemberPath) -> MemberPath {
    let place = place(of: path)
    guard place != path, case .array(let items)? = try? value(at: place), items.count == 1 else { return place }
    return place.appending(0)
  }

  /// Where a field that somebody names is in the record; the path itself if the record has it.
  package func place(of path: MemberPath) -> MemberPath {
    (try? value(at: path)) == nil ? kind?.inputPath(path) ?? path : path
  }
}
