import VaultDocument
import VaultFileStore
import VaultStorage

/// `.journal.json` of a vault on disk: the view of readers, the work of the next writer, and the files that neither may
/// touch.
enum JournalTarget: FuzzTarget {
  static let name = "journal"

  private static let live = RecordID(bytes: [0xab] + Array(repeating: 1, count: 15))
  private static let other = RecordID(bytes: [0xcd] + Array(repeating: 2, count: 15))
  private static let removed = RecordID(bytes: [0xab] + Array(repeating: 3, count: 15))
  private static let staged = ["e0000000-0000-0000-0000-000000000001", "e0000000-0000-0000-0000-000000000002"]

  private static let folder = Files.makeScratchFolder()
  private static let vault = folder + "/vault"
  private static let journal = vault + "/.journal.json"

  /// The first store of the vault, whose lock keeps others from finishing a journal.
  private static let keeper: DirectoryStore = {
    _ = base
    return open()
  }()

  /// Every file of the scratch folder before a journal is put there.
  private static let base: [String: [UInt8]] = {
    Files.write([9], to: folder + "/outside")
    must("a vault can be made") { () throws(StoreError) in
      let store = try DirectoryStore.create(at: vault)
      try store.apply([StoreChange(.header, from: nil, to: [0])])
      try store.apply([StoreChange(.slot(Fixture.slotID), from: nil, to: [1])])
      try store.apply([
        StoreChange(.record(live), from: nil, to: [2]), StoreChange(.record(other), from: nil, to: [3]),
        StoreChange(.trash(removed), from: nil, to: [4]),
      ])
    }
    for (number, name) in staged.enumerated() { Files.write([5 + UInt8(number)], to: "\(vault)/.staging/\(name)") }
    return files()
  }()

  static func seeds() throws -> [[UInt8]] {
    let places: [(StoreLocation, String)] = [
      (.trash(live), staged[0]), (.record(live), "remove"), (.record(other), staged[1]), (.record(removed), staged[1]),
      (.trash(removed), "remove"), (.header, "remove"), (.slot(Fixture.slotID), staged[0]),
    ]
    func text(_ places: some Sequence<(StoreLocation, String)>) throws -> [UInt8] {
      let items = try places.map { place, name -> JSONValue in
        .object(try JSONObject([("path", .string(place.relativePath)), ("staged", .string(name))]))
      }
      return try JSONValue.object(JSONObject([("entries", .array(items))])).compactBytes()
    }
    let outside = #"{"entries":[{"path":"trash/../../outside","staged":"remove"}]}"#
    return try [
      text(places.prefix(2)), text(places.prefix(3)), text(places[3...4]), text(places[5...6]), text([]),
      Array(outside.utf8),
    ]
  }

  static func check(_ input: [UInt8]) {
    let lock = must("a free vault can be locked") { () throws(StoreError) in
      try keeper.lock(.shared, timeout: .zero) { _ in }
    }
    // A journal that was finished has left nothing staged. Only now: before the lock, it would be swept away.
    if Files.contents(of: "\(vault)/.staging/\(staged[0])") == nil { restore() }
    Files.write(input, to: journal)
    // While somebody else holds the lock, a reader may not finish the journal but has to see what it says.
    let reader = open()
    let state = must("the journal's state can be asked for") { () throws(StoreError) in try reader.journalState() }
    let seen = view(of: reader, state)
    switch state {
    case .none: broken("a journal that is there has a state")
    case .malformed:
      lock.release()
      checkRefusal(seen)
    case .pending:
      require(files() == base, "a reader without the lock changes nothing")
      lock.release()
      checkRecovery(state, seen)
    }
  }

  private static func checkRefusal(_ seen: [StoreLocation: [UInt8]?]?) {
    require(seen == nil, "beside a journal that is none, no record is read")
    let refused = outcome { () throws(StoreError) in
      try open().apply([
        StoreChange(.record(live), from: [2], to: [7]), StoreChange(.trash(live), from: nil, to: [8]),
      ])
    }
    guard case .failure(let error) = refused else { broken("nothing is written beside a journal that is none") }
    require(error.code == .malformedJournal, "a journal that is none is named as what is wrong")
    require(files() == base, "a journal that is none changes nothing")
  }

  private static func checkRecovery(_ state: JournalState, _ seen: [StoreLocation: [UInt8]?]?) {
    let store = open()
    require(Files.contents(of: journal) == nil, "a journal is finished by the next who may")
    require(seen != nil && view(of: store, state) == seen, "readers saw before what is in place afterwards")
    let isRecord: (String) -> Bool = { $0.hasPrefix("vault/records/") || $0.hasPrefix("vault/trash/") }
    let after = files().filter { !isRecord($0.key) }
    let before = base.filter { !isRecord($0.key) && !$0.key.hasPrefix("vault/.staging/") }
    require(after == before, "recovery writes only among the records and in the trash, and leaves nothing staged")
  }

  private static func open() -> DirectoryStore {
    must("a vault can be opened") { () throws(StoreError) in try DirectoryStore(at: vault) }
  }

  /// The view of a reader at every relevant place; nil if it is refused everywhere.
  private static func view(of store: DirectoryStore, _ state: JournalState) -> [StoreLocation: [UInt8]?]? {
    require(
      (try? store.read(.header)) == [0] && (try? store.read(.slot(Fixture.slotID))) == [1],
      "the header and slots are read whatever the journal says")
    var places: Set<StoreLocation> = [.record(live), .record(other), .record(removed), .trash(live), .trash(removed)]
    if case .pending(let changed) = state { places.formUnion(changed) }
    var view: [StoreLocation: [UInt8]?] = [:]
    for place in places {
      switch outcome({ () throws(StoreError) in try store.read(place) }) {
      case .success(let bytes): view.updateValue(bytes, forKey: place)
      case .failure(let error):
        require(error.code == .malformedJournal, "only a journal that is none keeps from reading")
      }
    }
    return view.isEmpty ? nil : view
  }

  private static func files() -> [String: [UInt8]] {
    var files = Files.tree(below: folder)
    files["vault/.lock"] = nil
    files["vault/.journal.json"] = nil
    return files
  }

  /// Puts back what the last input changed.
  private static func restore() {
    let now = files()
    for path in now.keys where base[path] == nil { Files.remove("\(folder)/\(path)") }
    for (path, bytes) in base where now[path] != bytes { Files.write(bytes, to: "\(folder)/\(path)") }
  }
}
