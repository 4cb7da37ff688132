package import VaultDocument

/// The version of a record that this machine last read or wrote, and verified (format 1, section 9.1, Pin and seen).
package struct SeenVersion: Equatable {
  package let version: RecordVersion
  package let isTrashed: Bool

  package init(_ version: RecordVersion, isTrashed: Bool) { (self.version, self.isTrashed) = (version, isTrashed) }

  package var id: RecordID { version.id }
  package var revision: Int { version.revision }
}

/// The memory of the records of one folder, by id; a value without access to the disk.
package struct SeenFolder: Equatable {
  /// The most versions of a record that are remembered, including the newest.
  static let memoryLength = 8

  package private(set) var versions: [RecordID: SeenVersion] = [:]
  /// Earlier versions, the latest first. They only help to identify an older version.
  package private(set) var earlier: [RecordID: [RecordVersion]] = [:]

  package init() {}

  package var versionCount: Int { earlier.values.reduce(versions.count) { $0 + $1.count } }

  package func succession(of found: RecordVersion) -> Succession {
    versions[found.id].map { found.succession(after: $0.version) } ?? .newer
  }

  /// How this machine knows an outdated version.
  package func provenance(of found: RecordVersion) -> Provenance {
    Provenance(of: (found.revision, found.recordMAC), among: known(of: found.id).map { ($0.revision, $0.recordMAC) })
  }

  private func known(of id: RecordID) -> [RecordVersion] {
    (versions[id].map { [$0.version] } ?? []) + (earlier[id] ?? [])
  }

  /// Applies a change; a newer version that another process saw meanwhile stays.
  package mutating func take(_ change: SeenChange, of id: RecordID) {
    switch change {
    case .seen(let seen): if succession(of: seen.version) == .newer { follow(with: seen) }
    case .written(let written):
      // If another branch has a later version, that stays the newest.
      if succession(of: written.version) == .newer || written.isTrashed { return follow(with: written) }
      guard let newest = versions[id], newest.version != written.version else { return }
      let others = (earlier[id] ?? []).filter { $0 != written.version }
      earlier[id] = [written.version] + others.prefix(Self.memoryLength - 2)
    case .accepted(let accepted):
      follow(with: accepted)
      earlier[id]?.removeAll { $0.revision >= accepted.revision }
    case .forgotten: (versions[id], earlier[id]) = (nil, nil)
    }
  }

  private mutating func follow(with new: SeenVersion) {
    if let last = versions.updateValue(new, forKey: new.id)?.version, last != new.version {
      let before = (earlier[new.id] ?? []).filter { $0 != new.version && $0 != last }
      earlier[new.id] = [last] + before.prefix(Self.memoryLength - 2)
    }
  }
}

/// A change of the memory of one record, one case for each thing that can happen to its version.
package enum SeenChange: Equatable {
  /// It was read.
  case seen(SeenVersion)
  /// It was written.
  case written(SeenVersion)
  /// It counts from now on, regardless of earlier versions.
  case accepted(SeenVersion)
  /// It was deleted for good, or its memory must be dropped.
  case forgotten
}

extension SeenFolder {
  static let format = 1

  /// Reads the bytes of a state file. `records` and `trash` hold `"<id>" : [revision, "<mac>"]`, followed by the same
  /// values of earlier versions.
  package init(parsing bytes: [UInt8], file: String) throws(VaultError) {
    guard case .object(let document)? = try? JSONParser.parse(bytes), document.names == ["format", "records", "trash"],
      document["format"]?.int == Self.format, case .object(let records)? = document["records"],
      case .object(let trash)? = document["trash"], take(records, isTrashed: false), take(trash, isTrashed: true)
    else { throw .damagedState(file) }
  }

  private mutating func take(_ list: JSONObject, isTrashed: Bool) -> Bool {
    for (name, value) in list {
      guard let id = RecordID(parsing: name), versions[id] == nil, take(value, of: id, isTrashed: isTrashed) else {
        return false
      }
    }
    return true
  }

  /// Takes the versions of one record; false if the values do not have the form of the file.
  private mutating func take(_ list: JSONValue, of id: RecordID, isTrashed: Bool) -> Bool {
    guard let parts = list.array, parts.count.isMultiple(of: 2), 1...Self.memoryLength ~= parts.count / 2 else {
      return false
    }
    var known: [RecordVersion] = []
    for place in stride(from: 0, to: parts.count, by: 2) {
      guard let version = RecordVersion(id: id, parts[place], parts[place + 1]) else { return false }
      known.append(version)
    }
    versions[id] = SeenVersion(known[0], isTrashed: isTrashed)
    if known.count > 1 { earlier[id] = Array(known.dropFirst()) }
    return true
  }

  package func fileBytes() throws(VaultError) -> [UInt8] {
    let document = JSONObject(members: [
      "format": Self.format, "records": list(isTrashed: false), "trash": list(isTrashed: true),
    ])
    return try stateBytes(document, isCompact: true)
  }

  private func list(isTrashed: Bool) -> JSONObject {
    let ids = versions.values.filter { $0.isTrashed == isTrashed }.map(\.id).sorted()
    return JSONObject(
      ascending: ids.map { id in
        (id.text, .array(known(of: id).flatMap { [.number(JSONNumber($0.revision)), .string(Base64.encode($0.mac))] }))
      })
  }
}

extension SeenFolder {
  private static let head = Array("{\"format\":1,\"records\":{".utf8)
  private static let middle = Array("},\"trash\":{".utf8)
  private static let end = Array("}}\n".utf8)

  /// The memory of one record, found in the bytes of a file without parsing the other records: in a large vault a file
  /// has thousands, and most commands need one.
  ///
  /// - Returns: nil if the bytes do not have this program's layout and must be parsed completely.
  package init?(searching bytes: [UInt8], for id: RecordID) {
    guard bytes.has(Self.head, at: 0) else { return nil }
    let wanted = Array(id.text.utf8)
    var (place, isTrashed) = (Self.head.count, false)
    while true {
      if !isTrashed, bytes.has(Self.middle, at: place) {
        (place, isTrashed) = (place + Self.middle.count, true)
        continue
      }
      if isTrashed, bytes.has(Self.end, at: place) {
        guard place + Self.end.count == bytes.count else { return nil }
        return
      }
      guard let list = Self.list(at: place, of: bytes) else { return nil }
      if bytes.has(wanted, at: place + 1) {
        guard let found = try? JSONParser.parse(Array(bytes[list])), take(found, of: id, isTrashed: isTrashed) else {
          return nil
        }
        return
      }
      place = list.upperBound
      if place < bytes.count, bytes[place] == UInt8(ascii: ",") { place += 1 }
    }
  }

  /// The range of the list in the member that begins at a place.
  private static func list(at place: Int, of bytes: [UInt8]) -> Range<Int>? {
    // A quoted id and a colon before it; at least a revision, a comma and a quoted MAC in it.
    let (start, shortest) = (place + 39, 50)
    guard bytes.count > start + shortest, bytes[place] == UInt8(ascii: "\""), bytes[start] == UInt8(ascii: "[") else {
      return nil
    }
    guard let end = bytes[(start + shortest - 1)...].firstIndex(of: UInt8(ascii: "]")) else { return nil }
    return start..<end + 1
  }
}

extension VaultError {
  package static func damagedState(_ file: String) -> VaultError {
    VaultError(
      .damagedState, "is damaged, so the vault cannot be compared with what this machine remembers", file: file)
  }
}

package func stateBytes(_ document: JSONObject, isCompact: Bool = false) throws(VaultError) -> [UInt8] {
  do {
    guard isCompact else { return try JSONValue.object(document).prettyBytes() }
    return try JSONValue.object(document).compactBytes() + [UInt8(ascii: "\n")]
  } catch {
    throw VaultError(.ioFailed, "this machine's memory of the vault is too large for a file")
  }
}
