internal import VaultDocument
internal import VaultStorage

extension StoreConformance {
  /// Begins a replacement that has read all records, and returns it with its lock.
  private static func begin(
    _ store: any RecordStore
  ) throws -> (replacement: any StoreReplacement, lock: any StoreLock) {
    let lock = try store.lock(.exclusive, timeout: .zero, onWait: { _ in })
    let replacement = try replacement(of: store, under: lock)
    for folder in try store.recordFolders() {
      try replacement.read(store.records(inFolder: folder), inFolder: folder) { _, _ in true }
    }
    return (replacement, lock)
  }

  private static func replacement(
    of store: any RecordStore, under lock: any StoreLock
  ) throws -> any StoreReplacement {
    guard let replacement = try store.replacement(under: lock) else { throw CancellationError() }
    return replacement
  }

  private static func expect(_ store: any RecordStore, _ expected: [RecordID: [UInt8]]) throws {
    for (id, bytes) in expected { try require(store.read(.record(id)) == bytes, "\(id)") }
    var listed: [RecordID] = []
    for folder in UInt8.min ... .max { listed += try store.records(inFolder: folder) }
    let folders = try store.recordFolders()
    try require(folders == folders.sorted() && Set(folders).isSuperset(of: expected.keys.map(\.folder)), "the folders")
    try require(listed == expected.keys.sorted(), "the list of records")
  }

  static let replacements: [StoreConformance] = [
    StoreConformance(rule: "a replacement is visible as a whole when it is committed, and not before") { store in
      let (ids, new) = ((0..<30).map { _ in RecordID.random() }, (0..<600).map { _ in RecordID.random() })
      try store.apply(ids.map { .put(.record($0), [1]) } + [.put(.trash(ids[0]), [9])])
      let (replacement, lock) = try begin(store)
      var expected = Dictionary(uniqueKeysWithValues: new.map { ($0, $0.bytes) })
      // One is rewritten, one stays, the others are removed.
      expected[ids[0]] = [2]
      expected[ids[1]] = [1]
      for (id, bytes) in expected { try replacement.stage([(id, bytes)]) }
      try expect(store, Dictionary(uniqueKeysWithValues: ids.map { ($0, [1]) }))
      try replacement.commit()
      try expect(store, expected)
      for folder in UInt8.min...127 { replacement.clear(folder: folder) }
      replacement.end()
      replacement.end()
      lock.release()
      try expect(store, expected)
      try require(store.trashed() == [ids[0]] && store.read(.trash(ids[0])) == [9], "the trash stays")
      try require(store.strayEntries().isEmpty, "nothing else")
    },
    StoreConformance(rule: "a record that was changed, added or removed stops a replacement") { store in
      let ids = (0..<4).map { _ in RecordID.random() }
      let others: [(change: StoreChange, left: [RecordID: [UInt8]])] = [
        (StoreChange(.record(ids[0]), from: [1], to: [2]), [ids[0]: [2], ids[1]: [1]]),
        (StoreChange(.record(ids[0]), from: [2], to: nil), [ids[1]: [1]]),
        (.put(.record(ids[2]), [1]), [ids[1]: [1], ids[2]: [1]]),
      ]
      try store.apply(ids.prefix(2).map { .put(.record($0), [1]) })
      for (change, left) in others {
        let (replacement, lock) = try begin(store)
        try replacement.stage([(ids[3], [3])])
        // As a writer that ignores the lock would do.
        try store.apply([change], under: lock)
        try require(.changedUnderneath) { () throws(StoreError) in try replacement.commit() }
        replacement.end()
        lock.release()
        try expect(store, left)
      }
    },
    StoreConformance(rule: "a record that was not read stops a replacement") { store in
      let id = RecordID.random()
      try store.apply([.put(.record(id), [1])])
      let lock = try store.lock(.exclusive, timeout: .zero, onWait: { _ in })
      let replacement = try replacement(of: store, under: lock)
      try require(.changedUnderneath, at: "records/" + id.folderName) { () throws(StoreError) in
        try replacement.commit()
      }
      replacement.end()
      lock.release()
      try expect(store, [id: [1]])
    },
    StoreConformance(rule: "an ended or released replacement leaves nothing") { store in
      let ids = [RecordID.random(), .random()]
      try store.apply([.put(.record(ids[0]), [1])])
      let lock = try store.lock(.exclusive, timeout: .zero, onWait: { _ in })
      var replacement: (any StoreReplacement)? = try replacement(of: store, under: lock)
      try replacement?.stage([(ids[1], [2])])
      replacement?.end()
      replacement = try store.replacement(under: lock)
      try replacement?.stage([(ids[1], [2])])
      replacement = nil
      lock.release()
      try expect(store, [ids[0]: [1]])
    },
    StoreConformance(rule: "a large document stops a replacement") { store in
      let (replacement, lock) = try begin(store)
      try require(.tooLarge) { () throws(StoreError) in
        try replacement.stage([(.random(), [UInt8](repeating: 0, count: 16 << 20 + 1))])
      }
      replacement.end()
      lock.release()
      try expect(store, [:])
    },
    StoreConformance(rule: "a replacement also changes the header and the checkpoint") { store in
      let id = RecordID.random()
      try store.apply([.put(.header, [1])])
      let (replacement, lock) = try begin(store)
      try replacement.stage([(id, [1])])
      try store.apply([StoreChange(.header, from: [1], to: [2]), .put(.slot(id), [3])], under: lock)
      try store.apply([.put(.checkpoint, [4])], under: lock)
      try replacement.commit()
      replacement.end()
      lock.release()
      try expect(store, [id: [1]])
      try require(store.read(.header) == [2] && store.read(.checkpoint) == [4], "the others")
    },
  ]
}
