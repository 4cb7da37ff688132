internal import VaultDocument
internal import VaultStorage

extension StoreConformance {
  /// The rules of an `AttachmentStore`. Any other store satisfies them trivially.
  static let attachments: [StoreConformance] = [
    rule("an attachment is read back byte for byte, with any size and any size of pieces") { store in
      for size in [0, 1, 262_145, 1_048_575, 1_048_576, 1_048_577, 2_500_000] {
        let (id, bytes) = (AttachmentID.random(), content(size))
        try store.attach(bytes, as: id, pieceByteCount: 1 + size / 7)
        let place = StoreLocation.attachment(id)
        guard let reader = try store.reader(of: place) else { throw TextFault("no reader of \(size) bytes") }
        try require(reader.byteCount == size, "its size")
        try require(reader.all() == bytes && reader.next().isEmpty, "\(size) bytes in pieces")
        try require(store.read(place) == bytes && store.mark(of: place) == reader.mark, "\(size) bytes at once")
      }
    },
    rule("an attachment is invisible until it is committed, and an abandoned one is removed") { store in
      let (id, other) = (AttachmentID.random(), AttachmentID.random())
      let lock = try store.lock(.exclusive, timeout: .zero, onWait: { _ in })
      var writer: (any StoreWriter)? = try store.writer(of: .attachment(id), under: lock)
      try writer?.append(content(2_500_000))
      try require(store.attachments().isEmpty && store.reader(of: .attachment(id)) == nil, "seen before the commit")
      writer = nil
      // Beside another attachment, and beside a record.
      let writers = try (
        store.writer(of: .attachment(id), under: lock), store.writer(of: .attachment(other), under: lock)
      )
      try writers.0.append(content(1_100_000))
      try writers.1.append([7])
      try writers.1.commit(replacing: nil)
      try store.apply([.put(.record(id), [1])], under: lock)
      try require(store.attachments() == [other], "the committed attachment")
      try writers.0.commit(replacing: nil)
      lock.release()
      try require(
        store.attachments() == [id, other].sorted() && store.strayEntries().isEmpty, "both, and nothing else")
      try require(store.read(.record(id)) == [1] && store.read(.attachment(other)) == [7], "each for itself")
    },
    rule("an attachment replaces another one only if that is the expected one") { store in
      let (id, bytes) = (AttachmentID.random(), content(1_500_000))
      let path = StoreLocation.attachment(id).relativePath
      try store.attach(bytes, as: id, pieceByteCount: 1 << 18)
      let mark = try store.mark(of: .attachment(id))
      try require(.changedUnderneath, at: path) { () throws(StoreError) in
        try store.attach([2], as: id, pieceByteCount: 1)
      }
      // If nothing exists, the mark cannot match.
      try require(.changedUnderneath) { () throws(StoreError) in
        try store.attach([2], as: .random(), pieceByteCount: 1, replacing: mark)
      }
      try require(store.read(.attachment(id)) == bytes, "the first stays")
      try store.attach([2], as: id, pieceByteCount: 1, replacing: mark)
      try require(store.read(.attachment(id)) == [2], "a different attachment there")
    },
    rule("attachments are listed in ascending order until they are removed, and removing a missing one is no error") {
      store in
      let ids = (0..<6).map { AttachmentID(bytes: [UInt8(($0 * 90) % 256)] + Array(repeating: 3, count: 15)) }
      for id in ids { try store.attach(id.bytes, as: id, pieceByteCount: 5) }
      try require(store.keepsAttachments() && store.attachments() == ids.sorted(), "all")
      try store.withLock(.exclusive) { lock throws(StoreError) in
        try store.removeAttachments([ids[1], ids[4], .random()], under: lock)
        try store.removeAttachments([], under: lock)
      }
      let rest = [ids[0], ids[2], ids[3], ids[5]].sorted()
      try require(store.attachments() == rest && store.heldAttachments() == rest, "the others")
      try require(store.reader(of: .attachment(ids[1])) == nil, "a reader of a removed attachment")
      try require(store.places() == rest.map { .attachment($0) }, "the places")
    },
    rule("reading an attachment that is removed meanwhile gives all of it or an error") { store in
      let (id, bytes) = (AttachmentID.random(), content(3_000_000))
      try store.attach(bytes, as: id, pieceByteCount: 1 << 18)
      guard let reader = try store.reader(of: .attachment(id)) else { throw TextFault("no reader") }
      let first = try reader.next()
      try store.withLock(.exclusive) { lock throws(StoreError) in
        try store.removeAttachments([id], under: lock)
      }
      let rest: [UInt8]
      do throws(StoreError) { rest = try reader.all() } catch { return }
      try require(first + rest == bytes, "something else")
    },
    rule("a snapshot keeps its attachments with all their bytes") { store in
      let (id, bytes) = (AttachmentID.random(), content(2_200_000))
      try store.attach(bytes, as: id, pieceByteCount: 1 << 18)
      let lock = try store.lock(.snapshot, timeout: .zero, onWait: { _ in })
      defer { lock.release() }
      let view = lock.view ?? store
      if lock.view != nil {
        try store.withLock(.exclusive) { writing throws(StoreError) in
          try store.removeAttachments([id], under: writing)
        }
        try store.attach([1], as: .random(), pieceByteCount: 1)
      }
      guard let reader = try view.reader(of: .attachment(id)) else { throw TextFault("no reader") }
      try require(view.heldAttachments() == [id] && reader.all() == bytes, "the content before")
    },
  ]

  /// A rule for stores with attachments.
  private static func rule(
    _ rule: String, test: @escaping @Sendable (any AttachmentStore) throws -> Void
  ) -> StoreConformance {
    StoreConformance(rule: rule) { store in
      guard let store = store as? any AttachmentStore else { throw CancellationError() }
      try test(store)
    }
  }

  private static func content(_ byteCount: Int) -> [UInt8] {
    (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 37) }
  }
}

extension RecordStore {
  /// Writes an attachment in pieces under a lock of its own.
  fileprivate func attach(
    _ bytes: [UInt8], as id: AttachmentID, pieceByteCount: Int, replacing mark: ContentMark? = nil
  ) throws(StoreError) {
    try write(bytes, to: .attachment(id), pieceByteCount: pieceByteCount, replacing: mark)
  }
}
