internal import VaultDocument

/// The versions that were seen of records of one folder since its file was written: a line each, added to the end.
///
/// Its lines count only where they tell of a newer version than the file and the lines before them, so that it does no harm
/// to read them twice, or to lose the last: a power cut may leave anything of those.
struct SeenLog {
  /// From this size on the file is written anew, with all lines in it.
  static let byteLimit = 4 << 10
  /// More changes at once than these go into the file.
  static let maximumChangeCount = 8

  /// `["<id>",<revision>,"<mac>",<is in the trash>]`, after and before a line feed: what was cut off stays by itself.
  static func lines(_ changes: [(RecordID, SeenVersion)]) -> [UInt8] {
    var lines: [UInt8] = []
    for (id, version) in changes {
      lines +=
        "\n[\"\(id.text)\",\(version.revision),\"\(Base64.encode(version.mac.bytes))\",\(version.isTrashed)]\n".utf8
    }
    return lines
  }

  /// What the whole lines of a log say.
  static func versions(in bytes: [UInt8]) -> [(RecordID, SeenVersion)] {
    bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      guard case .array(let parts)? = try? JSONParser.parse(Array(line)), parts.count == 4,
        let id = parts[0].string.flatMap(RecordID.init(parsing:)), let revision = parts[1].int, revision >= 1,
        let mac = parts[2].string.flatMap({ try? Base64.decode($0) }), mac.count == RecordMAC.byteCount,
        case .bool(let isTrashed) = parts[3]
      else { return nil }
      return (id, SeenVersion(revision: revision, mac: mac, isTrashed: isTrashed))
    }
  }
}

extension SeenFolder {
  /// Takes what a log says over, where it is newer.
  mutating func take(log bytes: [UInt8]) {
    for (id, version) in SeenLog.versions(in: bytes) { take(.seen(version), of: id) }
  }

  /// The changes as lines of a log; nil where one of them does not only tell of a newer version.
  func lines(for changes: [(RecordID, SeenChange)]) -> [UInt8]? {
    guard changes.count <= SeenLog.maximumChangeCount else { return nil }
    var newer: [(RecordID, SeenVersion)] = []
    for (id, change) in changes {
      switch change {
      case .seen(let version), .written(let version):
        switch comparison(of: id, version) {
        case .new: newer.append((id, version))
        case .same where versions[id] == version: continue
        default:
          // What was only seen, and is older, changes nothing.
          if case .seen = change { continue }
          return nil
        }
      case .forgotten: return nil
      }
    }
    return SeenLog.lines(newer)
  }
}
