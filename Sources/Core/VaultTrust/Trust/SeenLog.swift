package import VaultDocument

/// The versions of records of one folder that were seen since its file was written: one line each, appended.
///
/// A line counts only if its version is newer than the file and the lines before it. So it does no harm to read lines
/// twice or to lose the last ones, which a power cut may damage in any way.
package struct SeenLog {
  /// From this size on, the file is written again with all lines in it.
  static let byteLimit = 4 << 10
  /// More changes at once than these go into the file.
  package static let maximumChangeCount = 8

  /// `["<id>",<revision>,"<mac>",<is in the trash>]`, between line feeds, so that a line that was cut off stays
  /// separate.
  ///
  /// - Parameter byteCount: the size of the log; the result is nil if the log would become too long.
  package static func lines(_ versions: [SeenVersion], after byteCount: Int = 0) -> [UInt8]? {
    var lines: [UInt8] = []
    for seen in versions {
      lines +=
        "\n[\"\(seen.id.text)\",\(seen.revision),\"\(Base64.encode(seen.version.mac))\",\(seen.isTrashed)]\n".utf8
    }
    return byteCount + lines.count <= byteLimit ? lines : nil
  }

  /// The versions in the whole lines of a log; nil if a line is neither whole nor the possible remains of an
  /// interrupted write.
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

  /// Whether a line is the beginning of one, or contains the zeros that a power cut leaves in unwritten space.
  private static func isCutOff(_ line: ArraySlice<UInt8>) -> Bool {
    if line.contains(0) { return line.allSatisfy { $0 == 0 || $0.isText } }
    return line.first == UInt8(ascii: "[") && line.last != UInt8(ascii: "]") && line.allSatisfy(\.isText)
  }
}

extension UInt8 {
  /// Whether lines can contain this byte.
  fileprivate var isText: Bool { (0x20..<0x7F).contains(self) }
}

extension SeenFolder {
  /// Applies the newer versions in the log of a folder.
  package mutating func take(log bytes: [UInt8], of folder: UInt8, file: String) throws(VaultError) {
    guard let versions = SeenLog.versions(in: bytes), versions.allSatisfy({ $0.id.folder == folder }) else {
      throw .damagedState(file)
    }
    for seen in versions { take(.seen(seen), of: seen.id) }
  }

  /// The newer versions among the changes; nil if a change does more than add a newer version.
  ///
  /// Newer versions may be applied twice, and in any order, without losing anything.
  package func newerVersions(in changes: [RecordID: SeenChange]) -> [SeenVersion]? {
    var newer: [SeenVersion] = []
    for (id, change) in changes {
      switch change {
      // A version that was only seen and is not newer changes nothing.
      case .seen(let seen): if succession(of: seen.version) == .newer { newer.append(seen) }
      case .written(let seen) where succession(of: seen.version) == .newer: newer.append(seen)
      case .written(let seen): guard versions[id] == seen else { return nil }
      case .accepted, .forgotten: return nil
      }
    }
    return newer
  }
}
