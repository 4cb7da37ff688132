internal import VaultCrypto
public import VaultDocument
package import VaultFileStore
internal import VaultStorage
internal import VaultSystem
package import VaultTrust

/// The memory of vaults on this machine: which vaults it knows and which states it has seen (format 1, section 9.1, Pin
/// and seen).
///
/// It lies outside of every vault, is shared by all processes of a user, and holds nothing secret.
public struct KnownVaults: Sendable {
  package let folder: StateFolder
  /// The copy of a vault whose states and records are meant; nil for the place where the vault was first seen.
  let copy: String?

  /// The memory in a directory, which is created, 0700, when something is first written.
  public init(directory: String) { self.init(StateFolder(at: directory)) }

  /// The memory of this user: in `$XDG_STATE_HOME/cvault`, else `~/.local/state/cvault`; nil without a home directory.
  /// Other programs of the user share it.
  public static var ofUser: KnownVaults? { userDirectory.map { KnownVaults(directory: $0) } }

  package static var userDirectory: String? {
    // Relative paths must be ignored (XDG Base Directory Specification).
    func folder(_ name: String) -> String? {
      ProcessEnvironment.variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    return folder("XDG_STATE_HOME").map { $0 + "/cvault" } ?? folder("HOME").map { $0 + "/.local/state/cvault" }
  }

  package init(_ folder: StateFolder) { self.init(folder, copy: nil) }

  init(_ folder: StateFolder, copy: String?) { (self.folder, self.copy) = (folder, copy) }

  /// Its directory.
  public var directory: String { folder.path }

  /// How a vault relates to the memory. Nothing is written, and no key is needed: the header may come from anybody.
  package func pinState(of vault: LockedVault) throws(VaultError) -> PinState { try known(vault).state }

  /// The memory of a vault and of its paths, and how the vault relates to that.
  package func known(_ vault: LockedVault) throws(VaultError) -> KnownVault {
    let known = try known(vault.header, at: vault.knownPaths, allowsCopy: !vault.isReplica)
    // Another process may have written the header and its pin since it was read here.
    guard case .differs(let difference) = known.state, let newer = try vault.newer(than: difference.error) else {
      return known
    }
    return try self.known(newer)
  }

  /// How a header relates to the memory, as if it were the header of the vault in a folder, which is not read.
  package func known(_ header: VaultHeader, in folder: String) throws(VaultError) -> KnownVault {
    try known(header, at: DirectoryStore.knownPaths(given: folder, real: ProcessEnvironment.realPath(folder)))
  }

  /// - Parameter allowsCopy: whether an unknown place may be a new copy.
  package func known(
    _ header: VaultHeader, at paths: [String], allowsCopy: @autoclosure () -> Bool = true
  ) throws(VaultError) -> KnownVault {
    var marks: [String: PathMark] = [:]
    for path in paths { marks[path] = try mark(at: path) }
    let copy = try copy(of: header.vaultID, at: paths, marks, allowsCopy: allowsCopy())
    return try KnownVault(
      header, paths: paths, marks: marks, copy: copy, pin: memory(of: copy).pin(of: header.vaultID))
  }

  package func pin(of vaultID: VaultID) throws(VaultError) -> Pin? {
    guard let first = try pin(named: .pin(vaultID), of: vaultID) else { return nil }
    return copy == nil ? first : try pin(named: .pin(vaultID, copy), of: vaultID).sharing(first)
  }

  private func pin(named name: StateName, of vaultID: VaultID) throws(VaultError) -> Pin? {
    guard let bytes = try read(name) else { return nil }
    return try Pin(parsing: bytes, of: vaultID, file: folder.path(of: name))
  }

  /// The files of a pin: that of a copy, and that of the first place, which holds the root key of all copies.
  private func changes(to pin: Pin) throws(VaultError) -> [StateFolder.Change] {
    var files = [StateFolder.Change(.pin(pin.vaultID, copy), try pin.fileBytes())]
    if copy != nil, let first = try self.pin(named: .pin(pin.vaultID), of: pin.vaultID) {
      let new = Optional(first).sharing(pin)
      if new != first { files.append(StateFolder.Change(.pin(pin.vaultID), try new.fileBytes())) }
    }
    return files
  }

  /// The paths at which a vault was seen, as given and without links, sorted.
  ///
  /// - Throws: ``VaultError`` `.damagedState`, `.permissionDenied`, `.ioFailed`.
  public func paths(of vaultID: VaultID) throws(VaultError) -> [String] {
    try pathMarks().filter { $0.mark.vaultID == vaultID }.map(\.mark.path).sorted()
  }

  private func mark(at path: String) throws(VaultError) -> PathMark? {
    let name = try StateName.path(path)
    guard let bytes = try read(name) else { return nil }
    let mark = try PathMark(parsing: bytes, file: folder.path(of: name))
    guard mark.path.utf8.elementsEqual(path.utf8) else { throw .damagedState(folder.path(of: name)) }
    return mark
  }

  func pathMarks() throws(VaultError) -> [(name: StateName, mark: PathMark)] {
    var marks: [(StateName, PathMark)] = []
    for file in try inState({ () throws(StoreError) in try folder.names(in: StateName.paths) }) {
      let name = StateName(StateName.paths, file)
      if let bytes = try read(name) { marks.append((name, try PathMark(parsing: bytes, file: folder.path(of: name)))) }
    }
    return marks
  }

  package func read(_ name: StateName) throws(VaultError) -> [UInt8]? {
    try inState { () throws(StoreError) in try folder.read(name) }
  }

  package func write(_ changes: [StateFolder.Change]) throws(VaultError) {
    guard !changes.isEmpty else { return }
    let lock = try inState { () throws(StoreError) in try folder.lock() }
    try inState { () throws(StoreError) in try folder.apply(changes, under: lock) }
  }
}

extension KnownVaults {
  /// Pins a vault by a verified header. A header that differs from the memory is refused, unless `isOwn`.
  ///
  /// - Parameters:
  ///   - known: the memory of the vault with this header.
  ///   - isNamed: whether a person has said that it is this vault; that is never forgotten again.
  ///   - isOwn: whether this process has just written it, under the vault's lock: then it may have another root.
  /// - Returns: the pin before, nil for an unknown vault; a vault that was already known is not written again.
  func remember(
    _ header: VaultHeader, _ known: KnownVault, isNamed: Bool, isOwn: Bool = false
  ) throws(VaultError) -> Pin? {
    let news = try memory(of: known.copy).changes(toRemember: header, known, isNamed: isNamed, isOwn: isOwn)
    guard !news.isEmpty else { return known.pin }
    let lock = try inState { () throws(StoreError) in try folder.lock() }
    // Another process may have been faster.
    let current = try self.known(header, at: known.paths, allowsCopy: known.copy != nil)
    let files = try memory(of: current.copy).changes(toRemember: header, current, isNamed: isNamed, isOwn: isOwn)
    try inState { () throws(StoreError) in try folder.apply(files, under: lock) }
    return current.pin
  }

  private func changes(
    toRemember header: VaultHeader, _ known: KnownVault, isNamed: Bool, isOwn: Bool
  ) throws(VaultError) -> [StateFolder.Change] {
    if !isOwn, case .differs(let difference) = known.state { throw try difference.error(of: header) }
    let new = try Pin(header, after: known.pin, isNamed: isNamed)
    var files = new == known.pin ? [] : try changes(to: new)
    for path in known.paths where known.marks[path]?.vaultID != header.vaultID {
      files.append(try .path(path, vaultID: header.vaultID, copy: copy))
    }
    return files
  }

  /// Remembers a header with another root, which this process is about to write, beside the pin. Without a pin nothing
  /// is remembered.
  package func announce(_ header: VaultHeader) throws(VaultError) {
    let lock = try inState { () throws(StoreError) in try folder.lock() }
    guard var pin = try pin(of: header.vaultID) else { return }
    pin.announced = try header.hash()
    let files = try changes(to: pin)
    try inState { () throws(StoreError) in try folder.apply(files, under: lock) }
  }

  /// The newest checkpoint that this machine has seen of a vault; nil if it has seen none.
  package func expectedCheckpoint(of vaultID: VaultID) throws(VaultError) -> Pin.CheckpointMark? {
    let pin = try pin(of: vaultID)
    return pin?.checkpoint
  }

  /// Remembers a verified checkpoint if it is newer than the one seen, or `isOwn`. Without a pin nothing is
  /// remembered.
  func noteCheckpoint(
    _ mark: Pin.CheckpointMark, of vaultID: VaultID, isOwn: Bool = false
  ) throws(VaultError) {
    func isNews(_ pin: Pin) -> Bool {
      pin.checkpoint != mark && (isOwn || mark.sequence > pin.checkpoint?.sequence ?? 0)
    }
    guard let pin = try pin(of: vaultID), isNews(pin) else { return }
    let lock = try inState { () throws(StoreError) in try folder.lock() }
    guard var pin = try self.pin(of: vaultID), isNews(pin) else { return }
    pin.checkpoint = mark
    let files = try changes(to: pin)
    try inState { () throws(StoreError) in try folder.apply(files, under: lock) }
  }
}

extension KnownVaults {
  /// Accepts a vault in its present state as the expected one, regardless of the memory; the memory of its records is
  /// dropped. It needs no key, so the caller must compare the fingerprint; the next header that verifies is pinned.
  ///
  /// - Throws: ``VaultError`` `.permissionDenied`, `.diskFull`, `.ioFailed`.
  public func accept(_ vault: LockedVault) throws(VaultError) {
    let vaultID = vault.header.vaultID
    let lock = try inState { () throws(StoreError) in try folder.lock() }
    let memory = memory(of: try copy(toAccept: vault))
    var changes = try memory.seenNames(of: vaultID).map { StateFolder.Change($0, nil) }
    changes += try memory.changes(to: Pin(accepting: vault.header))
    for path in vault.knownPaths { changes.append(try .path(path, vaultID: vaultID, copy: memory.copy)) }
    try inState { () throws(StoreError) in try folder.apply(changes, under: lock) }
  }

  /// Forgets the versions of some records.
  ///
  /// - Throws: ``VaultError`` `.damagedState`, `.permissionDenied`, `.diskFull`, `.ioFailed`.
  public func forgetSeen(_ ids: [RecordID], of vaultID: VaultID) throws(VaultError) {
    let changes = Dictionary(grouping: ids, by: \.folder)
    try note(changes.mapValues { Dictionary($0.map { ($0, .forgotten) }) { $1 } }, of: vaultID)
  }

  /// Forgets a vault, its paths, and the memory of its present paths.
  ///
  /// - Returns: whether anything was remembered.
  /// - Throws: ``VaultError`` `.permissionDenied`, `.diskFull`, `.ioFailed`.
  @discardableResult
  public func forget(_ vault: LockedVault) throws(VaultError) -> Bool {
    let vaultID = vault.header.vaultID
    var names: [StateName] = [.disk(vaultID)] + KeptDocument.allCases.map { $0.name(of: vaultID) }
    // A damaged mark of another path is not a reason to keep this one.
    let marks = ((try? pathMarks()) ?? []).filter { $0.mark.vaultID == vaultID }
    for copy in Set(marks.map(\.mark.copy) + [nil]) {
      names += try memory(of: copy).seenNames(of: vaultID) + [.pin(vaultID, copy)]
    }
    names += marks.map(\.name)
    for path in vault.knownPaths { names.append(try .path(path)) }
    var present: [StateName] = []
    for name in Set(names) where try isPresent(name) { present.append(name) }
    // Logs before their files, because a log that stayed alone would restore the forgotten versions.
    present.sort { $0.file > $1.file }
    guard !present.isEmpty else { return false }
    try write(present.map { StateFolder.Change($0, nil) })
    return true
  }

  private func isPresent(_ name: StateName) throws(VaultError) -> Bool {
    try inState { () throws(StoreError) in try folder.names(in: name.folder) }.contains(name.file)
  }
}

extension KnownVaults {
  package func seen(in number: UInt8, of vaultID: VaultID) throws(VaultError) -> SeenFolder {
    try seenFiles(in: number, of: vaultID).folder
  }

  /// The memory of one record, for callers that do not need the others.
  package func seen(_ id: RecordID, of vaultID: VaultID) throws(VaultError) -> SeenFolder {
    try seenFiles(in: id.folder, of: vaultID, only: id).folder
  }

  /// The memory of a folder, from its file and its log. With `only`, other records may be missing. The count is nil
  /// without a log.
  private func seenFiles(
    in number: UInt8, of vaultID: VaultID, only id: RecordID? = nil
  ) throws(VaultError) -> (folder: SeenFolder, logByteCount: Int?) {
    let name = StateName.seen(vaultID, copy: copy, folder: number)
    // The log first: if its lines are moved to the file meanwhile, they are found twice rather than not at all.
    let log = try inState { () throws(StoreError) in try folder.readLog(.seenLog(vaultID, copy: copy, folder: number)) }
    var seen = SeenFolder()
    if let bytes = try read(name) {
      let found = id.flatMap { SeenFolder(searching: bytes, for: $0) }
      seen = if let found { found } else { try SeenFolder(parsing: bytes, file: folder.path(of: name)) }
    }
    if let log {
      try seen.take(log: log, of: number, file: folder.path(of: .seenLog(vaultID, copy: copy, folder: number)))
    }
    return (seen, log?.count)
  }

  /// Remembers versions of records, together with those that other processes have noted meanwhile. It waits for the
  /// lock of the memory. After an error, some folders may be noted.
  package func note(_ changes: [UInt8: [RecordID: SeenChange]], of vaultID: VaultID) throws(VaultError) {
    guard !changes.isEmpty else { return }
    let lock = try inState { () throws(StoreError) in try folder.lock() }
    var files: [StateFolder.Change] = []
    for (number, changes) in changes {
      let (old, logByteCount) = try seenFiles(in: number, of: vaultID)
      let (name, log) = (
        StateName.seen(vaultID, copy: copy, folder: number), StateName.seenLog(vaultID, copy: copy, folder: number)
      )
      let newer = old.newerVersions(in: changes)
      if let newer, let lines = SeenLog.lines(newer, after: logByteCount ?? 0),
        changes.count <= SeenLog.maximumChangeCount
      {
        if lines.isEmpty { continue }
        try inState { () throws(StoreError) in try folder.append(lines, toLog: log, under: lock) }
        continue
      }
      var new = old
      for (id, change) in changes { new.take(change, of: id) }
      if logByteCount != nil {
        // The log is removed only after its lines are in the file, so a crash or a reader in between finds them twice
        // and never not at all. Only then are versions forgotten, which a remaining log would restore.
        let folded = newer == nil ? old : new
        files.append(StateFolder.Change(name, try folded.fileBytes()))
        files.append(StateFolder.Change(log, nil))
        if folded != new { files.append(StateFolder.Change(name, try new.fileBytes())) }
      } else if new != old {
        files.append(StateFolder.Change(name, try new.fileBytes()))
      }
    }
    try inState { () throws(StoreError) in try folder.apply(files, under: lock) }
  }

  private func seenNames(of vaultID: VaultID) throws(VaultError) -> [StateName] {
    let place = StateName.seenFolder(vaultID, copy)
    return try inState { () throws(StoreError) in try folder.names(in: place) }
      .sorted(by: >).map { StateName(place, $0) }
  }
}

extension StateName {
  static let paths = "paths"

  static func pin(_ id: VaultID, _ copy: String? = nil) -> StateName {
    StateName("pins", name(id, copy) + ".json")
  }

  private static func name(_ id: VaultID, _ copy: String?) -> String { id.text + (copy.map { "." + $0 } ?? "") }

  static func seenFolder(_ id: VaultID, _ copy: String?) -> String { "seen/" + name(id, copy) }

  static func seen(_ id: VaultID, copy: String?, folder: UInt8) -> StateName {
    StateName(seenFolder(id, copy), Hex.encode([folder]) + ".json")
  }

  static func seenLog(_ id: VaultID, copy: String?, folder: UInt8) -> StateName {
    StateName(seenFolder(id, copy), Hex.encode([folder]) + ".log")
  }

  /// Uses the hash of a path, because a path can have any character and be longer than a file name.
  static func path(_ path: String) throws(VaultError) -> StateName { try hashed(path, in: paths) }

  package static func hashed(_ text: String, in folder: String) throws(VaultError) -> StateName {
    StateName(folder, try hash(text) + ".json")
  }

  /// 32 hex digits.
  static func hash(_ text: String) throws(VaultError) -> String {
    let bytes = Array(text.utf8)
    let hash = try inCrypto { () throws(CryptoError) in try unsafe SHA256.hash(bytes.span.bytes) }
    return Hex.encode(Array(hash.prefix(16)))
  }
}

extension StateFolder.Change {
  fileprivate static func path(
    _ path: String, vaultID: VaultID, copy: String?
  ) throws(VaultError) -> StateFolder.Change {
    StateFolder.Change(try .path(path), try PathMark(path: path, vaultID: vaultID, copy: copy).fileBytes())
  }
}

extension LockedVault {
  /// The paths by which the vault is known; empty for a vault that is not in a directory or database.
  var knownPaths: [String] { store.knownPaths }

  /// The vault with its header read again; nil if the header is the same.
  package func reread() throws(VaultError) -> LockedVault? {
    let newer = LockedVault(try LockedVault(store: store), index: indexOptions)
    return newer.headerBytes == headerBytes ? nil : newer
  }
}

/// Runs a step in the state's directory and translates its error: damage becomes `.damagedState`.
func inState<Result: ~Copyable>(_ step: () throws(StoreError) -> Result) throws(VaultError) -> Result {
  do {
    return try step()
  } catch {
    var failure = VaultError(store: error)
    if failure.code == .damaged { throw .damagedState(error.path ?? "state") }
    failure.remedies = [.moveState]
    throw failure
  }
}
