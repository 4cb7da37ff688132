import VaultCLI
import VaultDocument
import VaultKit
import VaultMerge
import VaultRecords
import VaultStorage
import VaultSystem
import VaultTerminal

/// One state of a vault to compare: a commit, the present vault, a copy in another place, or a backup.
struct ComparedState {
  /// The name: a commit hash, `@work`, the path of a folder or backup, or the address of a database.
  let name: String
  fileprivate let store: any RecordStore
  /// Nil for a state outside git.
  fileprivate let commit: String?

  static let workName = "@work"

  static func work(_ session: Session) -> ComparedState {
    ComparedState(name: workName, store: session.locked.store, commit: nil)
  }

  static func commit(_ revision: String, _ session: Session) throws -> ComparedState {
    let store = try GitStore.open(vault: session.location, at: revision)
    return ComparedState(name: store.commit, store: store, commit: store.commit)
  }

  /// The state that a word names; nil if it names none.
  ///
  /// - Parameter files: the reader for backups; nil if the program has no backups.
  static func named(
    _ word: String, session: Session, files: (any StateFiles)?
  ) async throws -> ComparedState? {
    if word == workName { return work(session) }
    if VaultPlace.isDatabase(word) { return try copy(at: word, session) }
    let isPath = word.hasPrefix("/") || word.hasPrefix(".")
    if !isPath {
      do {
        return try commit(word, session)
      } catch let error as CommandError where [.notFound, .inputOutput].contains(error.status) {
        // The word may name a folder or a record instead.
      }
    }
    switch System.kind(of: word) {
    case .directory? where isPath || System.kind(of: word + "/vault.json") != nil: return try copy(at: word, session)
    case .regular? where isPath || word.hasSuffix(".age"): return try await backup(word, session: session, files: files)
    case nil where isPath:
      throw refused(word, reason: "does not exist", hint: "name a commit, \(workName), or the folder of a vault")
    default: break
    }
    guard !word.contains("://") else {
      throw refused(
        word, reason: "is not the address of a vault", hint: "name a folder with a copy of the vault")
    }
    return nil
  }

  private static func copy(at path: String, _ session: Session) throws -> ComparedState {
    let location = VaultLocation(path: path, origin: .option)
    do { _ = try location.checked() } catch let error as CommandError { throw error.about("state") }
    let other: LockedVault
    do {
      other = try location.open(session.global)
    } catch let error as VaultError {
      if location.isDatabase { throw location.explained(error) }
      throw error.code == .notAVault ? location.holdsNoVault(.directory) : CommandError(error)
    }
    try requireSame(other, as: session, path)
    return ComparedState(name: path, store: other.store, commit: nil)
  }

  /// A backup, with all its records in memory.
  private static func backup(_ path: String, session: Session, files: (any StateFiles)?) async throws
    -> ComparedState
  {
    guard let opened = try await files?.open(path) else {
      throw refused(
        path, reason: "is a file, not a state of a vault", hint: "name a commit, \(workName), or the folder of a vault"
      )
    }
    try requireSame(opened.vault, as: session, path)
    return ComparedState(name: path, store: opened.store, commit: nil)
  }

  private static func requireSame(_ other: LockedVault, as session: Session, _ path: String) throws {
    guard other.header.vaultID != session.locked.header.vaultID else { return }
    throw CommandError(
      .unexpectedVault, "unexpected_vault", subject: path, "is another vault, not a state of this one",
      hints: ["use `vault export` on both to see what is in them"])
  }

  private static func refused(_ word: String, reason: String, hint: String) -> CommandError {
    CommandError(.notFound, "no_such_state", subject: word, reason, hints: [hint])
  }
}

extension VaultComparison {
  /// Compares two states of a vault, record by record.
  ///
  /// - Parameters:
  ///   - git: a git in the vault's folder.
  ///   - kinds: known kinds, beside those that the vault declares.
  init(from old: ComparedState, to new: ComparedState, _ git: Git, _ kinds: KindCatalog) throws {
    let headers = [try old.header(), try new.header()]
    let parsed = headers.map { bytes in bytes.flatMap { try? VaultHeader(parsing: $0) } }
    if headers[0] != headers[1] {
      if let one = parsed[0], let other = parsed[1] {
        header = HeaderComparison(from: one, to: other)
      } else {
        hasUnreadableHeader = true
      }
    }
    var declared = JSONObject()
    for header in parsed {
      for member in header?.declaredKinds ?? JSONObject() { declared[member.name] = member.value }
    }
    let known = kinds.declaring(declared)
    if let one = old.commit, let other = new.commit {
      guard let changed = GitChanges.between(one, new: other, git: git) else {
        throw CommandError(.inputOutput, "io_failed", subject: "git", "cannot compare the two commits")
      }
      for id in Set(changed.files.compactMap { StoreLocation(relativePath: $0.path)?.recordID }).sorted() {
        if let record = RecordDelta(id, from: old.state(of: id), to: new.state(of: id), known) {
          records.append(record)
        }
      }
      return
    }
    let trashes = [try old.trash(), try new.trash()]
    for folder in UInt8.min...UInt8.max {
      let (before, after) = (try old.files(folder, trashes[0]), try new.files(folder, trashes[1]))
      for id in Set(before.keys).union(after.keys).sorted() where before[id] != after[id] {
        if let record = RecordDelta(id, from: before[id], to: after[id], known) {
          records.append(record)
        }
      }
    }
  }
}

extension ComparedState {
  fileprivate func header() throws -> [UInt8]? {
    do throws(StoreError) { return try store.read(.header) } catch { throw unreadable(error) }
  }

  /// The removed records, by folder.
  fileprivate func trash() throws -> [UInt8: [RecordID]] {
    do throws(StoreError) {
      return Dictionary(grouping: try store.trashed(), by: \.folder)
    } catch {
      throw unreadable(error)
    }
  }

  /// The records of one of 256 folders, live or in the trash.
  fileprivate func files(_ folder: UInt8, _ trash: [UInt8: [RecordID]]) throws -> [RecordID: StoredVersion] {
    var files: [RecordID: StoredVersion] = [:]
    do throws(StoreError) {
      try store.readRecords(inFolder: folder) { id, result in
        files[id] = (try? result.get()).map { StoredVersion($0) } ?? .unreadable
        return true
      }
    } catch {
      throw unreadable(error)
    }
    for id in trash[folder] ?? [] where files[id] == nil { files[id] = store.version(at: .trash(id)) }
    return files
  }

  fileprivate func state(of id: RecordID) -> StoredVersion? {
    store.version(at: .record(id)) ?? store.version(at: .trash(id))
  }

  private func unreadable(_ error: StoreError) -> CommandError {
    CommandError(
      .inputOutput, "io_failed", subject: error.path ?? name, error.reason, hints: ["the file is in the state \(name)"])
  }
}

extension RecordStore {
  /// The version at a place; nil if there is no file.
  func version(at place: StoreLocation) -> StoredVersion? {
    do throws(StoreError) { return try read(place).map { StoredVersion($0) } } catch { return .unreadable }
  }
}
