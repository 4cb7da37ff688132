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

  /// What the whole lines of a log say; nil when a line is neither whole nor what a write that was cut off can leave.
  static func versions(in bytes: [UInt8]) -> [(id: RecordID, version: SeenVersion)]? {
    var versions: [(id: RecordID, version: SeenVersion)] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) where !isCutOff(line) {
      guard case .array(let parts)? = try? JSONParser.parse(Array(line)), parts.count == 4,
        let id = parts[0].string.flatMap(RecordID.init(parsing:)), let revision = parts[1].int, revision >= 1,
        let mac = parts[2].string.flatMap({ try? Base64.decode($0) }), mac.count == RecordMAC.byteCount,
        case .bool(let isTrashed) = parts[3]
      else { return nil }
      versions.append((id, SeenVersion(revision: revision, mac: mac, isTrashed: isTrashed)))
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
  ///
  /// - Throws: ``VaultError`` `.damagedState`.
  mutating func take(log bytes: [UInt8], of folder: UInt8, file: String) throws(VaultError) {
    guard let versions = SeenLog.versions(in: bytes), versions.allSatisfy({ $0.id.folder == folder }) else {
      throw .damagedState(file)
    }
    for (id, version) in versions { take(.seen(version), of: id) }
  }

  /// Whether the changes only tell of newer versions, so that nothing is lost or brought back where they are taken twice.
  func isGoingOn(with changes: [(key: RecordID, value: SeenChange)]) -> Bool {
    changes.allSatisfy { id, change in
      switch change {
      case .seen: true
      case .written(let version): comparison(of: id, version) == .new
      case .forgotten: false
      }
    }
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
