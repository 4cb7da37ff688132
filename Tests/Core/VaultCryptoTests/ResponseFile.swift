import VaultTestSupport

/// A file of `NAME = value` lines as NIST and pyca publish them: records with the bracketed parameters they stand
/// under.
struct ResponseFile {
  struct Record {
    /// The file, and which record of it.
    let place: String
    /// Parameters in force, such as `Taglen`.
    var parameters: [String: String]
    /// The record's own lines; a bare word, such as `FAIL`, is there with an empty value.
    var values: [String: String] = [:]

    func bytes(_ name: String) -> [UInt8]? { values[name].flatMap { [UInt8](hex: $0) } }
    func number(_ name: String) -> Int? { values[name].flatMap { Int($0) } }
  }

  private(set) var records: [Record] = []

  /// Reads the file, in which the name of the first line with a value begins each record.
  init(_ path: String) throws {
    var parameters: [String: String] = [:]
    var first: String?
    for line in try SharedData.text(path).split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
      let isParameter = line.hasPrefix("[")
      let (name, value) = Self.split(isParameter ? line.dropFirst().dropLast() : line)
      if isParameter {
        parameters[name] = value
        continue
      }
      first = first ?? name
      if name == first { records.append(Record(place: "\(path), record \(records.count)", parameters: parameters)) }
      records[records.count - 1].values[name] = value
    }
  }

  /// All such files of a folder.
  static func all(in folder: String, _ suffix: String) throws -> [(name: String, file: ResponseFile)] {
    try SharedData.names(in: folder).filter { $0.hasSuffix(suffix) }.map { ($0, try ResponseFile("\(folder)/\($0)")) }
  }

  private static func split(_ line: Substring) -> (name: String, value: String) {
    let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    return (trimmed(parts[0]), parts.count == 2 ? trimmed(parts[1]) : "")
  }

  private static func trimmed(_ text: Substring) -> String {
    let start = text.drop { $0 == " " }
    return String(start.reversed().drop { $0 == " " }.reversed())
  }
}
