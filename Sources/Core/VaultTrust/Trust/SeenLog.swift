package import VaultDocument

/// The versions that were seen of records of one folder since its file was written: a line each, added to the end.
///
/// Its lines count only where they tell of a newer version than the file and the lines before them, so that it does no
/// harm to read them twice, or to lose the last: a power cut may leave anything of those.
package struct SeenLog {
  /// From this size on the file is written anew, with all lines in it.
  static let byteLimit = 4 << 10
  /// More changes at once than these go into the file.
  package static let maximumChangeCount = 8

  /// `["<id>",<revision>,"<mac>",<is in the trash>]`, after and before a line feed: what was cut off stays by itself.
  ///
  /// - Parameter byteCount: the size of the log; nil is the result where it would become too long.
  package static func lines(_ versions: [SeenVersion], after byteCount: Int = 0) -> [UInt8]? {
    var lines: [UInt8] = []
    for seen in versions {
      lines +=
        "\n[\"\(seen.id.text)\",\(seen.revision),\"\(Base64.encode(seen.version.mac))\",\(seen.isTrashed)]\n".utf8
    }
    return byteCount + lines.count <= byteLimit ? lines : nil
  }

  /// What the whole lines of a log say; nil when a line is neither whole nor what a write that was cut off can leave.
  package static func versions(in bytes: [UInt8]) -> [SeenVersion]? {
    var versions: [SeenVersion] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) where !isCutOff(line) {
      guard case .array(let parts)? = try? JSONParser.parse(Array(line)), parts.count == 4,
        let id = parts[0].string.flatMap(RecordID.init(parsing:)),
        let version = RecordVersion(id: id, parts[1], parts[2]), case .bool(let isTrashed) = parts[3]
      else { return nil }
      versions.append(SeenVersion(version, isTrashed: isTrashed))
    }
    return versions
  }

  /// Whether a line is the beginning of one, or holds the zeros that a power cut leaves where nothing was written yet.
  private static func isCutOff(_ line: ArraySlice<UInt8>) -> Bool {
    if line.contains(0) { return line.allSatisfy { $0 == 0 || $0.isText } }
    return line.first == UInt8(ascii: "[") && line.last != UInt8(ascii: "]") && line.allSatisfy(\.isText)
  }
}

extension UInt8 {
  /// Whether lines are made of it.
  fileprivate var isText: Bool { (0x20..<0x7F).contains(self) }
}

extension SeenFolder {
  /// Takes what the log of a folder says over, where it is newer.
  package mutating func take(log bytes: [UInt8], of folder: UInt8, file: String) throws(VaultError) {
    guard let versions = SeenLog.versions(in: bytes), versions.allSatisfy({ $0.id.folder == folder }) else {
      throw .damagedState(file)
    }
    for seen in versions { take(.seen(seen), of: seen.id) }
  }

  /// What the changes tell that is newer; nil where one of them does more than that.
  ///
  /// Newer versions may be taken twice, and in any order: nothing is lost or brought back by it.
  package func newerVersions(in changes: [RecordID: SeenChange]) -> [SeenVersion]? {
    var newer: [SeenVersion] = []
    for (id, change) in changes {
      switch change {
      // What was only seen, and is no newer, changes nothing.
      case .seen(let seen): if succession(of: seen.version) == .newer { newer.append(seen) }
      case .written(let seen) where succession(of: seen.version) == .newer: newer.append(seen)
      case .written(let seen): guard versions[id] == seen else { return nil }
      case .accepted, .forgotten: return nil
      }
    }
    return newer
  }
}
