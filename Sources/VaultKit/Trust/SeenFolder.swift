internal import VaultDocument

/// The version of a record that a machine read or wrote last, and verified (format 1, section 9.1, Pin and seen).
struct SeenVersion: Equatable {
  let revision: Int
  let mac: RecordMAC
  /// Whether it lay in the trash.
  let isTrashed: Bool

  init(revision: Int, mac: RecordMAC, isTrashed: Bool) {
    (self.revision, self.mac, self.isTrashed) = (revision, mac, isTrashed)
  }

  /// - Parameter mac: the record's MAC, 32 bytes.
  init(revision: Int, mac: [UInt8], isTrashed: Bool) {
    self.init(revision: revision, mac: RecordMAC(mac), isTrashed: isTrashed)
  }
}

/// A version that was the newest of its record once.
struct EarlierVersion: Equatable {
  let revision: Int
  let mac: RecordMAC

  init(revision: Int, mac: RecordMAC) { (self.revision, self.mac) = (revision, mac) }

  init(_ version: SeenVersion) { self.init(revision: version.revision, mac: version.mac) }
}

/// What is remembered of the records of one folder, by ids; a value that knows no disk.
struct SeenFolder: Equatable {
  /// So many versions of a record are remembered, the newest among them.
  static let memoryLength = 8

  /// The newest of each.
  private(set) var versions: [RecordID: SeenVersion] = [:]
  /// Those before it, the latest first; they only tell what a version is that went back.
  private(set) var earlier: [RecordID: [EarlierVersion]] = [:]

  /// How many versions it holds.
  var versionCount: Int { earlier.values.reduce(versions.count) { $0 + $1.count } }

  /// How a version relates to what was seen of its record.
  func succession(of id: RecordID, _ version: SeenVersion) -> Succession {
    versions[id].map { version.succession(after: $0) } ?? .newer
  }

  /// What is known of a version that is not the newest of its record.
  func familiarity(of id: RecordID, _ version: SeenVersion) -> Familiarity {
    let known = (versions[id].map { [EarlierVersion($0)] } ?? []) + (earlier[id] ?? [])
    return Familiarity(of: (version.revision, version.mac), among: known.map { ($0.revision, $0.mac) })
  }

  /// Takes a change over; what another process saw meanwhile stays when it is newer.
  mutating func take(_ change: SeenChange, of id: RecordID) {
    switch change {
    case .seen(let version): if succession(of: id, version) == .newer { follow(with: version, of: id) }
    case .written(let version): follow(with: version, of: id)
    case .forgotten: (versions[id], earlier[id]) = (nil, nil)
    }
  }

  private mutating func follow(with version: SeenVersion, of id: RecordID) {
    let new = EarlierVersion(version)
    if let last = versions.updateValue(version, forKey: id).map(EarlierVersion.init), last != new {
      let before = (earlier[id] ?? []).filter { $0 != new && $0 != last }
      earlier[id] = [last] + before.prefix(Self.memoryLength - 2)
    }
  }
}

/// Something to remember of a record.
enum SeenChange: Equatable {
  /// It was read.
  case seen(SeenVersion)
  /// It was written, whatever was seen before.
  case written(SeenVersion)
  /// It was deleted for good, or what was seen of it shall not count.
  case forgotten
}

extension SeenFolder {
  static let format = 1

  /// Reads the bytes of a file of the state; `records` and `trash` hold `"<id>" : [revision, "<mac>"]`, and
  /// after that the same of the versions before.
  ///
  /// - Throws: ``VaultError`` `.damagedState`.
  init(parsing bytes: [UInt8], file: String) throws(VaultError) {
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

  /// Takes the list of one record.
  private mutating func take(_ list: JSONValue, of id: RecordID, isTrashed: Bool) -> Bool {
    guard let parts = list.array, parts.count.isMultiple(of: 2), 1...Self.memoryLength ~= parts.count / 2 else {
      return false
    }
    var pairs: [EarlierVersion] = []
    for place in stride(from: 0, to: parts.count, by: 2) {
      guard let (revision, mac) = JSONValue.version(parts[place], parts[place + 1]) else { return false }
      pairs.append(EarlierVersion(revision: revision, mac: mac))
    }
    versions[id] = SeenVersion(revision: pairs[0].revision, mac: pairs[0].mac, isTrashed: isTrashed)
    if pairs.count > 1 { earlier[id] = Array(pairs.dropFirst()) }
    return true
  }

  /// The bytes of a file of the state.
  func fileBytes() throws(VaultError) -> [UInt8] {
    var document = JSONObject()
    document["format"] = .number(JSONNumber(Self.format))
    document["records"] = .object(list(isTrashed: false))
    document["trash"] = .object(list(isTrashed: true))
    return try stateBytes(document, isCompact: true)
  }

  private func list(isTrashed: Bool) -> JSONObject {
    let versions = versions.filter { $0.value.isTrashed == isTrashed }.sorted { $0.key < $1.key }
    return JSONObject(
      ascending: versions.map { id, version in
        let pairs = [EarlierVersion(version)] + (earlier[id] ?? [])
        return (
          id.text, .array(pairs.flatMap { [.number(JSONNumber($0.revision)), .string(Base64.encode($0.mac.bytes))] })
        )
      })
  }
}

extension SeenFolder {
  private static let head = Array("{\"format\":1,\"records\":{".utf8)
  private static let middle = Array("},\"trash\":{".utf8)
  private static let end = Array("}}\n".utf8)

  /// What the bytes of a file say of one record, from one to the next without reading any of the others: of a large
  /// vault a file has thousands, and most commands ask for one.
  ///
  /// - Returns: nil when the bytes are not laid out as this program does it; they have to be read whole then.
  init?(searching bytes: [UInt8], for id: RecordID) {
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

  /// Where the list of the member that begins at a place stands.
  private static func list(at place: Int, of bytes: [UInt8]) -> Range<Int>? {
    // A quoted id and a colon before it; a revision, a comma and a quoted MAC in it, at least.
    let (start, shortest) = (place + 39, 50)
    guard bytes.count > start + shortest, bytes[place] == UInt8(ascii: "\""), bytes[start] == UInt8(ascii: "[") else {
      return nil
    }
    guard let end = bytes[(start + shortest - 1)...].firstIndex(of: UInt8(ascii: "]")) else { return nil }
    return start..<end + 1
  }
}

extension VaultError {
  static func damagedState(_ file: String) -> VaultError {
    VaultError(
      .damagedState, "is damaged: what this machine remembers of the vault cannot be compared with it", file: file)
  }
}

/// The text of a file of the state.
func stateBytes(_ document: JSONObject, isCompact: Bool = false) throws(VaultError) -> [UInt8] {
  do {
    guard isCompact else { return try JSONValue.object(document).prettyBytes() }
    return try JSONValue.object(document).compactBytes() + [UInt8(ascii: "\n")]
  } catch {
    throw VaultError(.ioFailed, "what this machine remembers of the vault exceeds the size of a file")
  }
}
