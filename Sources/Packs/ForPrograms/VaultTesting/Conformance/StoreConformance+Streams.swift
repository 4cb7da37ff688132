internal import VaultDocument
internal import VaultStorage

extension StoreConformance {
  /// Documents that are read and written in pieces.
  static let streams: [StoreConformance] = [
    StoreConformance(rule: "a document that is written in pieces is read back, with any size of pieces") { store in
      for size in [0, 1, 1000, 262_143, 262_144, 700_001] {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let old = try store.reader(of: .checkpoint)
        if let old { _ = try old.all() }
        try store.write(bytes, to: .checkpoint, pieceByteCount: 1 + size / 7, replacing: old?.mark)
        try require(store.read(.checkpoint) == bytes, "\(size) bytes")
        guard let reader = try store.reader(of: .checkpoint) else { throw TextFault("no reader") }
        try require(reader.all() == bytes && reader.next().isEmpty, "\(size) bytes in pieces")
      }
    },
    StoreConformance(rule: "a first document is written only if there is none") { store in
      try require(store.reader(of: .checkpoint) == nil, "a reader of a missing document")
      try store.write([1], to: .checkpoint, pieceByteCount: 1, replacing: nil)
      try require(.changedUnderneath, at: "checkpoint.jsonl") { () throws(StoreError) in
        try store.write([2], to: .checkpoint, pieceByteCount: 1, replacing: nil)
      }
      try require(store.read(.checkpoint) == [1], "the first stays")
    },
    StoreConformance(rule: "a document is replaced only if it is the one that was read") { store in
      try store.apply([.put(.checkpoint, [1, 2, 3])])
      guard let reader = try store.reader(of: .checkpoint) else { throw TextFault("no reader") }
      _ = try reader.all()
      try store.apply([StoreChange(.checkpoint, from: [1, 2, 3], to: [1, 2, 4])])
      try require(.changedUnderneath, at: "checkpoint.jsonl") { () throws(StoreError) in
        try store.write([9], to: .checkpoint, pieceByteCount: 1, replacing: reader.mark)
      }
      try require(store.read(.checkpoint) == [1, 2, 4], "the other one stays")
    },
    StoreConformance(rule: "an uncommitted document is invisible, and an abandoned one is removed") { store in
      try store.apply([.put(.checkpoint, [1])])
      try store.withLock(.exclusive) { lock throws(StoreError) in
        let writer = try store.writer(of: .checkpoint, under: lock)
        try writer.append([UInt8](repeating: 7, count: 1 << 20))
      }
      try require(store.read(.checkpoint) == [1], "the old one")
      try require(store.strayEntries().isEmpty, "nothing is left")
    },
  ]
}

extension RecordStore {
  /// Writes a document in pieces under a lock of its own.
  func write(
    _ bytes: [UInt8], to place: StoreLocation, pieceByteCount: Int, replacing mark: ContentMark?
  ) throws(StoreError) {
    try withLock(.exclusive) { lock throws(StoreError) in
      let writer = try writer(of: place, under: lock)
      for start in stride(from: 0, to: bytes.count, by: pieceByteCount) {
        try writer.append(Array(bytes[start..<min(start + pieceByteCount, bytes.count)]))
      }
      try writer.commit(replacing: mark)
    }
  }
}
