internal import VaultDocument
internal import VaultIndex
internal import VaultRecords
internal import VaultSealing
internal import VaultStorage

/// The question to an index about each folder.
struct IndexQuestion: Sendable {
  /// Which records may match, by the data in the index; nil for all.
  var isWanted: (@Sendable (IndexedFolder, Int) -> Bool)?
  /// Texts that their values must contain.
  var probes: [IndexProbe] = []
  var order: IndexRows.Order = .name
  /// The most rows; nil for all.
  var limit: Int?
}

/// The rows of one folder for a question, and the records that only their files can answer for.
struct FolderAnswer: Sendable {
  /// The matching records; with a limit, only the first of them if their order is known.
  let rows: IndexedFolder
  /// The records whose files must be read.
  let watched: [RecordID]
  /// Whether the order is known here.
  let isOrdered: Bool
  private let isOwn: Bool

  /// - Parameter isOwn: whether the folder was read for this question, so that it is valid here even if it is too
  ///   recent to be trusted by others.
  init(_ folder: IndexedFolder, to question: IndexQuestion, isOwn: Bool) {
    self.isOwn = isOwn
    watched = folder.indices.filter(folder.isWatched).map(folder.id)
    let found = question.probes.isEmpty ? Array(folder.indices) : folder.search(question.probes)
    let rows = folder.keeping(found.filter { !folder.isWatched($0) && question.isWanted?(folder, $0) ?? true })
    isOrdered = question.order != .name || rows.isOrderedByKey
    self.rows = isOrdered ? rows.keepingFirst(question.limit ?? .max, by: question.order) : rows
  }

  /// Whether the folder is unchanged since it was read, given a stamp taken now.
  func isOf(_ stamp: StoreStamp?) -> Bool { isCurrent(rows.mark, stamp) }

  /// Whether data read under a mark is current.
  func isCurrent(_ mark: IndexMark, _ stamp: StoreStamp?) -> Bool { isOwn ? mark.isOf(stamp) : mark.isCurrent(stamp) }
}

/// Reads folders of a vault, and stores the results in its index.
struct FolderReader: Sendable {
  let vault: LockedVault
  let store: any StampedStore
  let index: RecordIndex

  /// The answer of the index about a folder.
  func known(_ folder: UInt8, to question: IndexQuestion) -> FolderAnswer? {
    index.folder(folder, withTexts: !question.probes.isEmpty).map { FolderAnswer($0, to: question, isOwn: false) }
  }

  /// Lists a folder and reads the files that are not known in their present state.
  func read(_ number: UInt8, _ stamp: StoreStamp?, to question: IndexQuestion) throws(TextFault) -> FolderAnswer {
    let folder = try askingStore { () throws(StoreError) in try contents(number, stamp) }
    try index.keep(folder, as: number)
    return FolderAnswer(folder, to: question, isOwn: true)
  }

  /// The present content of a folder: unchanged records from the index, and the others read. A nil stamp means that
  /// the folder does not exist.
  private func contents(_ number: UInt8, _ stamp: StoreStamp?) throws(StoreError) -> IndexedFolder {
    let readAt = Timestamp.now()
    var folder = IndexedFolder(IndexMark(stamp, readAt: readAt))
    let known = index.folder(number, withTexts: true) ?? folder
    // Without a stamp the folder does not exist, so a slow store is not asked for each of 256.
    let ids = stamp == nil ? [] : try store.records(inFolder: number)
    var wanted: [RecordID: StoreStamp] = [:]
    for (id, stamp) in zip(ids, try store.recordStamps(of: ids)) { wanted[id] = stamp }
    var current = known.indices.filter { known.mark($0).isCurrent(wanted[known.id($0)]) }[...]
    for index in current { wanted[known.id(index)] = nil }
    try store.read(ids.filter { wanted[$0] != nil }, inFolder: number) { id, bytes in
      let before = current.prefix { known.id($0) < id }
      for index in before { folder.append(index, of: known) }
      current = current.dropFirst(before.count)
      if let stamp = wanted[id] {
        folder.append(id, bytes: try? bytes.get(), mark: IndexMark(stamp, readAt: readAt), kinds: vault.kinds)
      }
      return true
    }
    for index in current { folder.append(index, of: known) }
    return folder
  }
}

extension IndexedFolder {
  /// Adds the parts of a file that may be kept. A file that is unreadable, or has clear text in place of a secret, is
  /// only marked as watched.
  fileprivate mutating func append(_ id: RecordID, bytes: [UInt8]?, mark: IndexMark, kinds: KindCatalog) {
    let file = StoreLocation.record(id).relativePath
    guard let bytes, let record = try? StoredRecord(parsing: bytes, file: file, id: id, kinds: kinds),
      // Clear text in place of a secret is not copied anywhere.
      record.kind?.clearTextPath(in: record.fields) == nil
    else { return append(watched: id, mark) }
    let summary = RecordSummary(record)
    let row = IndexRow(
      id: id, kind: summary.kind, name: summary.name, who: summary.who, revision: summary.revision,
      createdAt: summary.createdAt, updatedAt: summary.updatedAt)
    var text = RecordText()
    text.add(.object(record.fields))
    append(row, mark: mark, text: text)
  }
}

extension RecordText {
  /// Adds the values that ``TextMatch`` and conditions look at.
  fileprivate mutating func add(_ value: JSONValue) {
    switch value {
    case .string(let text): if !SealedToken.hasTokenShape(text) { add(text) }
    case .number(let number): add(number.literal)
    case .bool(let flag): add(flag)
    case .array(let items): for item in items { add(item) }
    case .object(let members): for member in members { add(member.value) }
    case .null: break
    }
  }
}
