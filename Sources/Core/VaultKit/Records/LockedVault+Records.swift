public import VaultDocument
internal import VaultRecords
package import VaultStorage
internal import VaultTrust

extension LockedVault {
  /// The store to read all records from. A remote store with few records gives all of them in one request.
  func recordSource() throws(VaultError) -> any RecordStore {
    guard let remote = store as? any RemoteStore else { return store }
    return try inStore { () throws(StoreError) in try remote.fewRecords() } ?? store
  }

  /// The number of live records; no file is opened.
  ///
  /// - Throws: ``VaultError`` if a folder cannot be read.
  public func recordCount() throws(VaultError) -> Int {
    var count = 0
    for folder in try folders() {
      count += try inStore { () throws(StoreError) in try store.records(inFolder: folder).count }
    }
    return count
  }

  /// The ids of all live records, ascending; no file is opened.
  package func recordIDs() throws(VaultError) -> [RecordID] {
    var ids: [RecordID] = []
    for folder in try folders() {
      ids += try inStore { () throws(StoreError) in try store.records(inFolder: folder) }
    }
    return ids
  }

  /// The folders that may hold live records, ascending.
  func folders() throws(VaultError) -> [UInt8] {
    try inStore { () throws(StoreError) in try store.recordFolders() }
  }

  /// All live records in the order of ids, in chunks within one folder. No file is opened, and a folder is listed when
  /// its turn comes.
  func chunks() throws(VaultError) -> RecordChunks { RecordChunks(store, try folders()) }

  /// Reads every live record, folder by folder in the order of ids; an error of one file does not stop the others.
  ///
  /// - Parameter body: returns whether to continue.
  /// - Throws: ``VaultError`` if a folder cannot be read.
  public func forEachRecord(
    _ body: (Result<StoredRecord, VaultError>) -> Bool
  ) throws(VaultError) {
    try forEachFile { id, bytes in
      body(
        bytes.flatMap { bytes in
          Result { () throws(VaultError) in
            try StoredRecord(parsing: bytes, file: StoreLocation.record(id).relativePath, id: id, kinds: kinds)
          }
        })
    }
  }

  /// Nothing is verified. `body` gets the bytes or the error of each live record in the order of ids, and returns
  /// whether to continue.
  package func forEachFile(_ body: (RecordID, Result<[UInt8], VaultError>) -> Bool) throws(VaultError) {
    var goesOn = true
    let store = try recordSource()
    for folder in try inStore({ () throws(StoreError) in try store.recordFolders() }) {
      try inStore { () throws(StoreError) in
        try store.readRecords(inFolder: folder) { id, result in
          goesOn = body(id, result.mapError { VaultError(store: $0, record: id) })
          return goesOn
        }
      }
      if !goesOn { return }
    }
  }

  /// The record with this id.
  ///
  /// - Throws: ``VaultError`` `.noSuchRecord`, `.damaged`.
  public func record(_ id: RecordID) throws(VaultError) -> StoredRecord {
    guard let bytes = try read(id) else { throw .noSuchRecord }
    return try StoredRecord(parsing: bytes, file: StoreLocation.record(id).relativePath, id: id, kinds: kinds)
  }

  /// The bytes of a live record's file; nil if there is no file.
  package func read(_ id: RecordID) throws(VaultError) -> [UInt8]? { try bytes(of: id, at: .record(id)) }

  /// The bytes of a record's file, live or removed; nil if there is no file.
  package func bytes(of id: RecordID, at place: StoreLocation) throws(VaultError) -> [UInt8]? {
    try inStore(record: id) { () throws(StoreError) in try store.read(place) }
  }

  /// The id of the one record that `text` means: a full id, else an exact name in any case, else `TAG/NAME` of a record
  /// with this tag, else the beginning of one id, at least 4 characters.
  ///
  /// Unreadable files have no name. If nothing else matches, one of them may be the record, and its error is thrown.
  /// The caller must verify the record that it then opens. Empty text never names a record, even one without a name,
  /// because an unset variable must not name one.
  ///
  /// With an index, a file that was edited in place keeps its old name until it is read for another reason.
  ///
  /// - Throws: ``VaultError`` `.noSuchRecord`, `.ambiguousRecord` with the candidates, `.damaged`, `.cancelled`.
  public func resolve(_ text: String) async throws(VaultError) -> RecordID {
    if let id = RecordID(parsing: text) {
      guard try read(id) != nil else { throw .noSuchRecord }
      return id
    }
    guard !text.isEmpty else { throw .noSuchRecord }
    let found = try await candidates(text)
    let named = found.found.filter(\.isNamed)
    let candidates = named.isEmpty ? found.found.filter(\.hasPrefix) : named
    if candidates.isEmpty, let fault = found.faults.first { throw fault }
    return try Self.only(toldApart(candidates.map(\.summary))).id
  }

  /// The records with this name or `TAG/NAME`, in any case; unreadable files are left out.
  ///
  /// - Throws: ``VaultError`` if a folder cannot be read; `.cancelled`.
  public func records(named name: String) async throws(VaultError) -> [RecordSummary] {
    try await candidates(name).found.filter(\.isNamed).map(\.summary)
  }

  /// The records that a text may mean; tags are considered only if no record has the whole text as its name.
  private func candidates(_ text: String) async throws(VaultError) -> FileFindings<NamedRecord> {
    let match = NameMatch(text)
    var findings = try await candidates(match)
    guard !findings.found.contains(where: \.isNamed) else { return findings }
    for match in match.qualified { findings.found += try await candidates(match).found }
    return findings
  }

  private func candidates(_ match: NameMatch) async throws(VaultError) -> FileFindings<NamedRecord> {
    if let indexed = try await indexedCandidates(match) { return indexed }
    return try await scan { id, bytes throws(VaultError) in try match.candidate(id, bytes: bytes, kinds: kinds) }
  }

  static func only(_ candidates: [RecordSummary]) throws(VaultError) -> RecordSummary {
    guard let first = candidates.first else { throw .noSuchRecord }
    guard candidates.count == 1 else { throw .ambiguous(candidates) }
    return first
  }
}

/// Some records of one folder, the work of one task.
struct RecordChunk: Sendable {
  let folder: UInt8
  let ids: [RecordID]
}

/// The records of some folders in the order of their ids; a folder that cannot be listed is an error in its place.
struct RecordChunks: Sequence, IteratorProtocol, Sendable {
  private let store: any RecordStore
  private var folders: ArraySlice<UInt8>
  private var folder: UInt8 = 0
  private var rest = Chunks<[RecordID]>([])

  fileprivate init(_ store: any RecordStore, _ folders: [UInt8]) { (self.store, self.folders) = (store, folders[...]) }

  mutating func next() -> Result<RecordChunk, VaultError>? {
    while true {
      if let ids = rest.next() { return .success(RecordChunk(folder: folder, ids: ids)) }
      guard let next = folders.popFirst() else { return nil }
      do throws(VaultError) {
        let store = store
        rest = Chunks(try inStore { () throws(StoreError) in try store.records(inFolder: next) })
        folder = next
      } catch {
        return .failure(error)
      }
    }
  }
}

extension VaultError {
  package static var noSuchRecord: VaultError { VaultError(.noSuchRecord, "the vault has no such record") }

  /// At most ten candidates are listed.
  static func ambiguous(_ candidates: [RecordSummary]) -> VaultError {
    var shown: [Remedy] = candidates.prefix(10).map { record in
      let who = record.who.isEmpty ? "" : "  (\(record.who))"
      return "\(record.id.text)  \(record.kind)  \(record.label)\(who)"
    }
    if candidates.count > shown.count { shown.append("and \(candidates.count - shown.count) more") }
    var error = VaultError(
      .ambiguousRecord, "\(candidates.count) records match: name one by its id", remedies: shown)
    error.candidates = candidates.map(\.id)
    return error
  }
}

/// A record that a word may mean.
struct NamedRecord: Sendable {
  let summary: RecordSummary
  let isNamed: Bool
  let hasPrefix: Bool
}

/// How the command line can name a record: by a name, or by the beginning of an id.
struct NameMatch: Sendable {
  let text: String
  let lowercased: String
  let idPrefix: String?
  /// A tag that the record must also have, in lower case; nil for any.
  let tag: String?
  private let probe: [UInt8]

  /// - Parameter tag: the text before the name; with a tag, the name is never an id.
  init(_ text: String, tag: String? = nil) {
    (self.text, self.tag) = (text, tag?.lowercased())
    lowercased = text.lowercased()
    probe = TextMatch.longestASCIIRun(in: text)
    let isPrefix =
      tag == nil && text.utf8.count >= 4 && text.utf8.allSatisfy { isHexDigit($0) || $0 == UInt8(ascii: "-") }
    idPrefix = isPrefix ? text : nil
  }

  /// Whether the text means this record: by its id, its name, its tag and name or the beginning of its id.
  func means(_ record: OpenRecord) -> Bool {
    isPrefix(of: record.id) || names(record.name)
      || qualified.contains { $0.names(record.name) && $0.isTag(of: RecordTags.of(record.fields)) }
  }

  func isPrefix(of id: RecordID) -> Bool { idPrefix.map { id.text.utf8.starts(with: $0.utf8) } ?? false }

  /// The record in a file, if the text means it.
  func candidate(_ id: RecordID, bytes: [UInt8], kinds: KindCatalog) throws(VaultError) -> NamedRecord? {
    guard isPrefix(of: id) || mayName(bytes) else { return nil }
    let file = StoreLocation.record(id).relativePath
    let record = try StoredRecord(parsing: bytes, file: file, id: id, kinds: kinds)
    return isTag(of: record.tags) ? candidate(RecordSummary(record)) : nil
  }

  func candidate(_ summary: RecordSummary) -> NamedRecord? {
    let record = NamedRecord(
      summary: summary, isNamed: names(summary.name), hasPrefix: isPrefix(of: summary.id))
    return record.isNamed || record.hasPrefix ? record : nil
  }

  /// Whether a file can contain the name at all, judged by its bytes before parsing.
  func mayName(_ bytes: [UInt8]) -> Bool { TextMatch.mayContain(probe, in: bytes) }

  /// Uses canonical equivalence, because people cannot see how a letter was composed.
  func names(_ name: String) -> Bool { name.lowercased() == lowercased }
}

private func isHexDigit(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
}
