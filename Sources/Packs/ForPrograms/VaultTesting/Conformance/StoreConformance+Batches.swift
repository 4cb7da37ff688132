internal import VaultDocument
internal import VaultStorage

extension StoreConformance {
  static let batches: [StoreConformance] = [
    StoreConformance(rule: "a batch puts, replaces and removes at once") { store in
      let ids = (0..<40).map { _ in RecordID.random() }
      try store.apply(ids.map { .put(.record($0), $0.bytes) })
      for id in ids { try require(store.read(.record(id)) == id.bytes, "put") }
      let moved = ids.prefix(20).flatMap { id in
        [StoreChange(.record(id), from: id.bytes, to: nil), .put(.trash(id), [1])]
      }
      try store.apply(moved + ids.suffix(20).map { StoreChange(.record($0), from: $0.bytes, to: [2]) })
      for id in ids.prefix(20) {
        try require(store.read(.record(id)) == nil && store.read(.trash(id)) == [1], "moved")
      }
      for id in ids.suffix(20) { try require(store.read(.record(id)) == [2], "replaced") }
      try require(store.trashed() == ids.prefix(20).sorted(), "listed")
    },
    StoreConformance(rule: "one wrong expectation stops the whole batch") { store in
      let ids = (0..<12).map { _ in RecordID.random() }
      try store.apply([.put(.record(ids[7]), [7])])
      try require(.changedUnderneath, at: StoreLocation.record(ids[7]).relativePath) { () throws(StoreError) in
        try store.apply(ids.map { .put(.record($0), [1]) })
      }
      for (index, id) in ids.enumerated() {
        try require(store.read(.record(id)) == (index == 7 ? [7] : nil), "record \(index)")
      }
    },
    StoreConformance(rule: "one document over its limit stops the whole batch") { store in
      let ids = [RecordID.random(), .random()]
      try require(.tooLarge) { () throws(StoreError) in
        try store.apply([
          .put(.record(ids[0]), [1]), .put(.record(ids[1]), [UInt8](repeating: 0, count: 16 << 20 + 1)),
        ])
      }
      try require(store.read(.record(ids[0])) == nil, "nothing was written")
    },
  ]

  /// Begins a batch, and returns it with its lock.
  private static func begin(
    _ store: any RecordStore, expecting count: Int
  ) throws(StoreError) -> (batch: any StoreBatch, lock: any StoreLock) {
    let lock = try store.lock(.exclusive, timeout: .zero, onWait: { _ in })
    return (try store.batch(expecting: count, under: lock), lock)
  }

  static let batchesInPieces: [StoreConformance] = [
    StoreConformance(rule: "a batch in pieces is visible as a whole when it is committed, and not before") { store in
      // Fewer and more than expected, because the count is only a hint.
      for (expected, count) in [(2, 30), (30, 2), (0, 0), (1, 1)] {
        let ids = (0..<count).map { _ in RecordID.random() }
        let (batch, lock) = try begin(store, expecting: expected)
        for id in ids { try batch.stage([.put(.record(id), id.bytes)]) }
        for id in ids { try require(store.read(.record(id)) == nil, "seen before the commit") }
        try batch.commit()
        batch.abandon()
        lock.release()
        for id in ids { try require(store.read(.record(id)) == id.bytes, "put") }
      }
    },
    StoreConformance(rule: "a batch in pieces moves records to the trash, and compares guards") { store in
      let ids = (0..<3).map { _ in RecordID.random() }
      try store.apply(ids.map { .put(.record($0), [1]) })
      let (batch, lock) = try begin(store, expecting: 3)
      try batch.stage([StoreChange(.record(ids[2]), from: [1], to: [1])])
      for id in ids.prefix(2) {
        try batch.stage([StoreChange(.record(id), from: [1], to: nil), .put(.trash(id), [2])])
      }
      try batch.commit()
      lock.release()
      try require(store.trashed() == ids.prefix(2).sorted(), "in the trash")
      try require(store.read(.record(ids[0])) == nil && store.read(.record(ids[2])) == [1], "moved and kept")
    },
    StoreConformance(rule: "an abandoned or released batch leaves nothing") { store in
      let ids = [RecordID.random(), .random()]
      let lock = try store.lock(.exclusive, timeout: .zero, onWait: { _ in })
      var batch: (any StoreBatch)? = try store.batch(expecting: 1, under: lock)
      try batch?.stage([.put(.record(ids[0]), [1])])
      batch?.abandon()
      batch = try store.batch(expecting: 1, under: lock)
      try batch?.stage([.put(.record(ids[1]), [1])])
      batch = nil
      try store.apply([.put(.header, [1])], under: lock)
      lock.release()
      try require(ids.allSatisfy { try store.read(.record($0)) == nil }, "nothing was written")
    },
    StoreConformance(rule: "a wrong expectation or a large document in a later piece stops the whole batch") { store in
      let ids = [RecordID.random(), .random()]
      let wrong: [(code: StoreError.Code, change: StoreChange)] = [
        (.changedUnderneath, StoreChange(.record(ids[1]), from: [9], to: [2])),
        (.tooLarge, .put(.record(ids[1]), [UInt8](repeating: 0, count: 16 << 20 + 1))),
      ]
      for (code, change) in wrong {
        let (batch, lock) = try begin(store, expecting: 2)
        try batch.stage([.put(.record(ids[0]), [1])])
        try require(code) { () throws(StoreError) in try batch.stage([change]) }
        batch.abandon()
        lock.release()
        try require(store.read(.record(ids[0])) == nil, "nothing was written")
      }
    },
  ]

  static let headers: [StoreConformance] = [
    StoreConformance(rule: "the header changes together with its slots") { store in
      let (old, new, other) = (SlotID.random(), SlotID.random(), SlotID.random())
      try store.apply([.put(.header, [1]), .put(.slot(old), [10]), .put(.slot(other), [12])])
      try store.apply([
        StoreChange(.slot(old), from: [10], to: nil), StoreChange(.header, from: [1], to: [2]), .put(.slot(new), [11]),
      ])
      try require(store.read(.header) == [2], "header")
      try require(store.slots() == [new, other].sorted(), "slots")
    },
    StoreConformance(rule: "if the header was changed meanwhile, no new slot is written") { store in
      let slot = SlotID.random()
      try store.apply([.put(.header, [1])])
      try require(.changedUnderneath, at: "vault.json") { () throws(StoreError) in
        try store.apply([StoreChange(.header, from: [9], to: [2]), .put(.slot(slot), [11])])
      }
      try require(store.slots().isEmpty, "no slot")
    },
  ]

  static let locks: [StoreConformance] = [
    StoreConformance(rule: "an exclusive lock excludes all others until it is released") { store in
      let lock = try store.lock(.exclusive, timeout: .zero, onWait: { _ in })
      for kind in [LockKind.shared, .exclusive] {
        try require(.locked) { () throws(StoreError) in
          _ = try store.lock(kind, timeout: .milliseconds(5), onWait: { _ in })
        }
      }
      lock.release()
      lock.release()
      try store.lock(.exclusive, timeout: .zero, onWait: { _ in }).release()
    },
    StoreConformance(rule: "several shared locks can be held at once, and exclude writers") { store in
      let locks = try (0..<3).map { _ in try store.lock(.shared, timeout: .zero, onWait: { _ in }) }
      for lock in locks {
        try require(.locked) { () throws(StoreError) in
          try store.apply([.put(.header, [1])], timeout: .zero)
        }
        lock.release()
      }
      try store.apply([.put(.header, [1])], timeout: .zero)
    },
    StoreConformance(rule: "a snapshot stays unchanged; writers continue if the store has views, and otherwise wait") {
      store in
      let (kept, gone, new) = (RecordID.random(), RecordID.random(), RecordID.random())
      try store.apply([.put(.record(kept), [1]), .put(.record(gone), [2]), .put(.trash(gone), [3])])
      let lock = try store.lock(.snapshot, timeout: .zero, onWait: { _ in })
      let changes: [StoreChange] = [
        StoreChange(.record(kept), from: [1], to: [9]), StoreChange(.record(gone), from: [2], to: nil),
        .put(.record(new), [4]),
      ]
      if lock.view == nil {
        try require(.locked) { () throws(StoreError) in try store.apply(changes, timeout: .zero) }
      } else {
        try store.apply(changes, timeout: .zero)
      }
      let view = lock.view ?? store
      try require(view.read(.record(kept)) == [1] && view.read(.record(gone)) == [2], "the content before")
      try require(view.read(.record(new)) == nil, "the content after")
      try require(view.records(inFolder: gone.folder).contains(gone) && view.trashed() == [gone], "the lists")
      if let view = lock.view {
        try require(.readOnly) { () throws(StoreError) in try view.apply(changes, timeout: .zero) }
        try store.apply([StoreChange(.record(kept), from: [9], to: [1])], timeout: .zero)
        try require(view.read(.record(kept)) == [1], "after another write")
      } else {
        lock.release()
        try store.apply(changes, timeout: .zero)
      }
      lock.release()
      try require(store.read(.record(gone)) == nil && store.read(.record(new)) == [4], "the present")
    },
    StoreConformance(rule: "the folders of a snapshot can be read in any order, with small and large records") {
      store in
      let folders: [UInt8] = [3, 4, 17, 18]
      var expected: [UInt8: [RecordID: [UInt8]]] = [:]
      for number in 0..<640 {
        let folder = folders[number % 4]
        let id = RecordID(bytes: [folder, UInt8(number % 251), UInt8(number / 251)] + Array(repeating: 5, count: 13))
        expected[folder, default: [:]][id] = Array(repeating: UInt8(number % 256), count: number == 5 ? 20_000 : 9)
      }
      let changes = expected.values.flatMap { $0.map { StoreChange.put(.record($0.key), $0.value) } }
      for start in stride(from: 0, to: changes.count, by: 64) { try store.apply(Array(changes[start...].prefix(64))) }
      let lock = try store.lock(.snapshot, timeout: .zero, onWait: { _ in })
      defer { lock.release() }
      let view = lock.view ?? store
      for folder in folders + folders.reversed() {
        var found: [RecordID: [UInt8]] = [:]
        try view.readRecords(inFolder: folder) { id, bytes in
          found[id] = try? bytes.get()
          return true
        }
        try require(found == expected[folder], "folder \(folder)")
      }
      let some = Array(try view.records(inFolder: 4).dropFirst(3).prefix(2))
      var count = 0
      try view.read(some, inFolder: 4) { id, bytes in
        count += (try? bytes.get()) == expected[4]?[id] ? 1 : 0
        return true
      }
      try require(count == 2 && view.records(inFolder: 5).isEmpty, "some records of a folder, and none")
    },
    StoreConformance(rule: "a lock without references is released") { store in
      var lock: (any StoreLock)? = try store.lock(.exclusive, timeout: .zero, onWait: { _ in })
      try require(lock?.kind == .exclusive, "its kind")
      lock = nil
      try store.lock(.exclusive, timeout: .zero, onWait: { _ in }).release()
    },
    StoreConformance(rule: "a cancelled waiter stops waiting, and delays no other") { store in
      let lock = try store.lock(.shared, timeout: .zero, onWait: { _ in })
      defer { lock.release() }
      var count = 0
      try require(.locked) { () throws(StoreError) in
        let isWanted = {
          count += 1
          return count < 3
        }
        _ = try store.lock(.exclusive, timeout: .seconds(3600), isWanted: isWanted, onWait: { _ in })
      }
      try require(count == 3, "asked \(count) times")
      try store.lock(.shared, timeout: .zero, onWait: { _ in }).release()
    },
    StoreConformance(
      rule: "a waiter is told the holder once, after a second, and then gets an error with the same holder"
    ) {
      store in
      let lock = try store.lock(.exclusive, timeout: .zero, onWait: { _ in })
      defer { lock.release() }
      var told: [Int32?] = []
      do throws(StoreError) {
        _ = try store.lock(.exclusive, timeout: .milliseconds(1200), onWait: { told.append($0) })
        throw StoreError(.ioFailed, reason: "the lock was given twice")
      } catch {
        try require(error.code == .locked, "\(error)")
        try require(told.count == 1 && told[0] == error.holder, "told \(told)")
      }
    },
  ]
}
