package import VaultDocument
internal import VaultStorage

extension RecordIndex {
  /// The marks of the 256 folders; nil for those that were never read.
  ///
  /// - Throws: ``IndexFailure``.
  package func folderMarks() throws(IndexFailure) -> [IndexMark?] {
    var marks = [IndexMark?](repeating: nil, count: 256)
    try reading("SELECT number, mark FROM folders") { row throws(IndexFailure) in
      guard let number = UInt8(exactly: row.integer(0)) else { throw .damaged }
      marks[Int(number)] = try unsafe row.withBytes(1) { bytes throws(IndexFailure) in try unsafe IndexMark(bytes) }
    }
    return marks
  }

  /// The marks of the records of one folder.
  ///
  /// - Throws: ``IndexFailure``.
  package func marks(inFolder folder: UInt8) throws(IndexFailure) -> [RecordID: IndexMark] {
    var marks: [RecordID: IndexMark] = [:]
    let bounds = { (statement: borrowing Statement) in
      statement.bind(1, [folder])
      statement.bind(2, folder == .max ? [UInt8](repeating: .max, count: Identifier.byteCount + 1) : [folder + 1])
    }
    try reading("SELECT id, mark FROM records WHERE id >= ? AND id < ?", binding: bounds) { row throws(IndexFailure) in
      marks[try row.id(0)] = try unsafe row.withBytes(1) { bytes throws(IndexFailure) in try unsafe IndexMark(bytes) }
    }
    return marks
  }

  /// Notes what one folder holds now, between ``begin()`` and ``commit()``.
  ///
  /// - Parameters:
  ///   - mark: nil when the folder as such was not read again.
  ///   - changed: the records that are new or other than before.
  ///   - removed: those that are gone.
  /// - Throws: ``IndexFailure``.
  package func update(
    folder: UInt8, mark: IndexMark?, changed: [IndexedRecord], removed: [RecordID]
  ) throws(IndexFailure) {
    do throws(IndexFailure) {
      if !changed.isEmpty || !removed.isEmpty {
        try writeTexts(folder, changed, removed)
        try delete(removed)
        try write(changed)
      }
      if let mark { try write(mark, folder) }
    } catch {
      throw giveUp(error)
    }
  }

  private func write(_ mark: IndexMark, _ folder: UInt8) throws(IndexFailure) {
    let statement = try connection.prepare(
      "INSERT INTO folders VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET mark = excluded.mark")
    statement.bind(1, Int64(folder))
    statement.bind(2, mark.bytes)
    statement.bind(3, try FolderTexts.encode([]))
    try statement.run()
  }

  private func writeTexts(
    _ folder: UInt8, _ changed: [IndexedRecord], _ removed: [RecordID]
  ) throws(IndexFailure) {
    let select = try connection.prepare("SELECT texts FROM folders WHERE number = ?")
    select.bind(1, Int64(folder))
    var texts: [RecordID: (bytes: [UInt8], isIrregular: Bool)] = [:]
    if try select.step() {
      texts = try unsafe select.withBytes(0) { bytes throws(IndexFailure) in try unsafe FolderTexts(bytes).all }
    }
    select.reset()
    for id in removed { texts[id] = nil }
    for record in changed {
      switch record {
      case .record(let row, let text): texts[row.id] = (text.bytes, text.isIrregular)
      case .watched(let id, _): texts[id] = nil
      }
    }
    let sorted = texts.sorted { $0.key < $1.key }.map {
      (id: $0.key, bytes: $0.value.bytes, isIrregular: $0.value.isIrregular)
    }
    let statement = try connection.prepare(
      "INSERT INTO folders VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET texts = excluded.texts")
    statement.bind(1, Int64(folder))
    // Never current, until the mark is written as well.
    statement.bind(2, IndexMark.never.bytes)
    statement.bind(3, try FolderTexts.encode(sorted))
    try statement.run()
  }

  private func delete(_ ids: [RecordID]) throws(IndexFailure) {
    let statement = try connection.prepare("DELETE FROM records WHERE id = ?")
    for id in ids {
      statement.bind(1, id.bytes)
      try statement.run()
    }
  }

  private func write(_ records: [IndexedRecord]) throws(IndexFailure) {
    let statement = try connection.prepare(
      "INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    for record in records {
      switch record {
      case .record(let row, _): statement.bind(row)
      case .watched(let id, let mark): statement.bind(watched: id, mark)
      }
      try statement.run()
    }
  }
}

extension Statement {
  fileprivate borrowing func bind(_ row: IndexRow) {
    bind(1, row.id.bytes)
    bind(2, row.mark.bytes)
    bind(3, 0)
    bind(4, row.kind)
    bind(5, row.name)
    bind(6, RecordText.key(of: row.name))
    bind(7, Int64(row.revision))
    bind(8, row.checksum)
    bind(9, row.createdAt.secondsSinceEpoch)
    bind(10, Int64(row.createdAt.nanoseconds))
    bind(11, row.updatedAt.secondsSinceEpoch)
    bind(12, Int64(row.updatedAt.nanoseconds))
  }

  fileprivate borrowing func bind(watched id: RecordID, _ mark: IndexMark) {
    bind(1, id.bytes)
    bind(2, mark.bytes)
    bind(3, 1)
    // Not null, which is the key of a name that has none.
    bind(6, [])
    for column in [4, 5, 7, 8, 9, 10, 11, 12] as [Int32] { bind(column, nil) }
  }
}

extension IndexMark {
  /// Of nothing that there is.
  fileprivate static var never: IndexMark {
    IndexMark(StoreStamp(inode: .max, byteCount: 0, modified: .max, changed: .max), readAt: .now())
  }
}
