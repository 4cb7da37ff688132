package import VaultDocument

extension RecordIndex {
  /// The marks of the 256 folders; nil for those that were never read.
  ///
  /// - Throws: ``IndexFailure``.
  package func folderMarks() throws(IndexFailure) -> [IndexMark?] {
    var marks = [IndexMark?](repeating: nil, count: 256)
    try forEachRow("SELECT number, mark FROM folders") { row throws(IndexFailure) in
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
    try forEachRow("SELECT id, row FROM records WHERE id >= ? AND id < ?", binding: bounds) {
      row throws(IndexFailure) in
      marks[try row.id(0)] = try unsafe row.withBytes(1) { bytes throws(IndexFailure) in
        // Every row begins with one, a watched record's is nothing else.
        guard bytes.count >= IndexMark.byteCount else { throw .damaged }
        return try unsafe IndexMark(UnsafeRawBufferPointer(rebasing: bytes.prefix(IndexMark.byteCount)))
      }
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
    let statement = try connection.prepare("INSERT OR REPLACE INTO folders VALUES (?, ?)")
    statement.bind(1, Int64(folder))
    statement.bind(2, mark.bytes)
    try statement.run()
  }

  private func writeTexts(
    _ folder: UInt8, _ changed: [IndexedRecord], _ removed: [RecordID]
  ) throws(IndexFailure) {
    var texts = try texts(of: folder)
    for id in removed { texts[id] = nil }
    for record in changed {
      switch record {
      case .record(let row, _, let text): texts[row.id] = (text.bytes, text.isIrregular)
      case .watched(let id, _): texts[id] = nil
      }
    }
    let sorted = texts.sorted { $0.key < $1.key }.map { id, text in (id, text.bytes, text.isIrregular) }
    let statement = try connection.prepare("INSERT OR REPLACE INTO texts VALUES (?, ?)")
    statement.bind(1, Int64(folder))
    statement.bind(2, try FolderTexts.encode(sorted))
    try statement.run()
  }

  private func texts(of folder: UInt8) throws(IndexFailure) -> [RecordID: (bytes: [UInt8], isIrregular: Bool)] {
    let statement = try connection.prepare("SELECT piece FROM texts WHERE number = ?")
    statement.bind(1, Int64(folder))
    guard try statement.step() else { return [:] }
    return try unsafe statement.withBytes(0) { bytes throws(IndexFailure) in try unsafe FolderTexts(bytes).all }
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
      "INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
    for record in records {
      switch record {
      case .record(let row, let mark, _): statement.bind(row, mark)
      case .watched(let id, let mark): statement.bind(watched: id, mark)
      }
      try statement.run()
    }
  }
}

extension Statement {
  fileprivate borrowing func bind(_ row: IndexRow, _ mark: IndexMark) {
    bind(1, row.id.bytes)
    bind(2, row.bytes(mark))
    bind(3, row.kind)
    bind(4, RecordText.key(of: row.name))
    bind(5, row.createdAt.secondsSinceEpoch)
    bind(6, Int64(row.createdAt.nanoseconds))
    bind(7, row.updatedAt.secondsSinceEpoch)
    bind(8, Int64(row.updatedAt.nanoseconds))
    bind(9, 0)
  }

  fileprivate borrowing func bind(watched id: RecordID, _ mark: IndexMark) {
    bind(1, id.bytes)
    bind(2, mark.bytes)
    bind(3, nil)
    // Not null, which is the key of a name that has none.
    bind(4, [])
    for column in 5...8 as ClosedRange<Int32> { bind(column, nil) }
    bind(9, 1)
  }
}
