internal import VaultDocument
internal import VaultStorage

/// The list of the places of a batch, `.journal.json`. Once it exists, the batch is committed (format 1, section 10,
/// Writing).
///
/// `{"entries":[{"path":"trash/<id>.json","staged":"<uuid>"},{"path":"records/ab/<id>.json","staged":"remove"}]}`
///
/// It is hostile input like every file of the vault. Only exactly spelled places of records and trash, and staged names
/// of this store's own form, are accepted.
struct Journal {
  struct Entry {
    let location: StoreLocation
    let action: Overlay.Entry
  }

  let entries: [Entry]

  init(_ entries: [Entry]) { self.entries = entries }

  var overlay: Overlay {
    Overlay(Dictionary(entries.map { ($0.location, $0.action) }, uniquingKeysWith: { first, _ in first }))
  }
}

extension Journal {
  /// The largest journal in bytes; `ChangePlan.maximumChangeCount` entries take less.
  static let byteLimit = 16 << 20

  /// Stands for a staged name if the place is emptied.
  private static let removal = "remove"

  func bytes() throws(StoreError) -> [UInt8] {
    do throws(DocumentError) {
      let items = entries.map { entry in
        JSONValue.members(["path": entry.location.relativePath, "staged": Self.text(of: entry.action)])
      }
      return try JSONValue.members(["entries": items]).compactBytes()
    } catch {
      throw StoreError(.tooLarge, reason: "there are too many changes for one batch", underlying: error)
    }
  }

  private static func text(of action: Overlay.Entry) -> String {
    switch action {
    case .staged(let name): name
    case .removed: removal
    }
  }

  init(parsing bytes: [UInt8]) throws(StoreError) {
    let value: JSONValue
    do throws(DocumentError) {
      value = try JSONParser.parse(bytes)
    } catch {
      throw Self.malformed("is not valid JSON: \(error)", underlying: error)
    }
    guard case .object(let document) = value, document.count == 1, case .array(let items)? = document["entries"]
    else { throw Self.malformed("the journal does not have the expected form") }
    var entries: [Entry] = []
    for item in items { entries.append(try Self.entry(item)) }
    guard Set(entries.map(\.location)).count == entries.count else {
      throw Self.malformed("the journal names a place twice")
    }
    let names = entries.map(\.action).filter { $0 != .removed }.map(Self.text)
    guard Set(names).count == names.count else { throw Self.malformed("the journal names a staged file twice") }
    self.entries = entries
  }

  private static func entry(_ item: JSONValue) throws(StoreError) -> Entry {
    guard let members = item.object, members.count == 2, let path: String = members.read("path"),
      let staged: String = members.read("staged")
    else { throw malformed("the journal does not have the expected form") }
    let location = StoreLocation(relativePath: path)
    switch location {
    case .record(_)?, .trash(_)?: break
    default: throw malformed("the journal names a place that no batch writes")
    }
    guard let location else { throw malformed("the journal names a place that no batch writes") }
    if staged == removal { return Entry(location: location, action: .removed) }
    guard Identifier(parsing: staged) != nil else {
      throw malformed("the journal names a staged file that this program did not make")
    }
    return Entry(location: location, action: .staged(staged))
  }

  static func malformed(_ reason: String, underlying: (any Error)? = nil) -> StoreError {
    StoreError(.malformedJournal, reason: reason, path: StoreDirectory.journalName, underlying: underlying)
  }
}
